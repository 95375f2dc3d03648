/** Replies from which something is left out: no way of writing JSON carries it past, and the rest stays what it was. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import { escapedReadings } from '../../../client/src/runtime/escapedText';
import { defaultRunOptions } from '../../../client/src/runtime/options';
import { redactedReply } from '../../../client/src/runtime/redactedReply';
import { createRedaction, type Redaction, redactedEnvironment } from '../../../client/src/runtime/redaction';
import { parseReply } from '../../../client/src/runtime/replyParser';
import { planResume } from '../../../client/src/runtime/resume';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { readTrace } from '../../../schemas/trace/trace';
import { memoryRun, replyingModel, skillOf, traceText } from '../../support/memoryRun';

const secrets = ['Müller', 'C:\\Users\\ann', 'a/b"c\td', '😀key'] as const;
const patterns = ['Müller', 'C:\\\\Users\\\\ann', 'a/b"c\\td', '😀key', '\\d{16}', '^whole$'];

function redactionOf(...given: readonly string[]): Redaction {
  const result = createRedaction(given, () => 0);
  if (!result.ok || result.redaction === undefined) throw new Error('No redaction');
  return result.redaction;
}

const redaction = redactionOf(...patterns);

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\t': '\\t',
};

/** The ways in which JSON writes one UTF-16 unit. */
function formsOf(unit: string): string[] {
  const hexadecimal = unit.charCodeAt(0).toString(16).padStart(4, '0');
  const own = shortEscapes[unit];
  const isPlain = unit !== '"' && unit !== '\\' && unit !== '\t';
  return [
    ...(isPlain ? [unit] : []),
    ...(own === undefined ? [] : [own]),
    `\\u${hexadecimal}`,
    `\\u${hexadecimal.toUpperCase()}`,
  ];
}

/** A JSON string of the text, each of its units in any form. */
const writtenAs = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(...Array.from({ length: text.length }, (_, at) => fc.constantFrom(...formsOf(text.charAt(at)))))
    .map((units) => `"${units.join('')}"`);

const secretText = fc
  .tuple(fc.constantFrom('', 'x '), fc.constantFrom(...secrets), fc.constantFrom('', ' y'))
  .map((parts) => parts.join(''));
const string = fc.oneof(secretText, fc.constantFrom('whole', 'the whole', 'plain')).chain(writtenAs);
const number = fc.constantFrom(
  '4111111111111111',
  '4111111111111111.0',
  '4111111111111111e0',
  '41111111111111110e-1',
  '4.111111111111111E+15',
  '4111111111111',
);
const value = fc.oneof(
  string,
  number,
  fc.constant('null'),
  fc.array(fc.oneof(string, number), { maxLength: 3 }).map((items) => `[${items.join(' , ')}]`),
);
const keys = fc.uniqueArray(fc.oneof(secretText, fc.constantFrom('a', 'b', 'whole')), { maxLength: 4 });
const object = keys.chain((names) =>
  fc
    .tuple(...names.map((name) => fc.tuple(writtenAs(name), value)))
    .map((members) => `{${members.map(([key, own]) => `${key}: ${own}`).join(', ')}}`),
);
const action = secretText.map((text) => text.replaceAll('\t', ' '));

function parsed(reply: string): { readonly patch: JsonObject; readonly action: string } {
  const parse = parseReply(reply, defaultRunOptions.limits);
  if (!parse.ok) throw new Error(parse.rejection.message);
  return parse.reply;
}

describe('a reply from which something is left out', () => {
  it('has none of it in its text nor in what is parsed from it, however JSON writes it', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          object,
          object.map((inner) => `{"deep": [${inner}]}`),
        ),
        action.chain(writtenAs),
        fc.tuple(string, fc.boolean()),
        (patch, act, [prose, isFenced]) => {
          const before = isFenced ? `\`\`\`json\n{"old": ${prose}}\n\`\`\`\n` : `Because ${prose}.\n`;
          const reply = `${before}\n\`\`\`json\n{"state_patch": ${patch}, "action": ${act}}\n\`\`\``;
          const redacted = redactedReply(reply, redaction);
          for (const { text } of escapedReadings(redacted))
            for (const secret of secrets) expect(text).not.toContain(secret);
          const given = parsed(reply);
          const left = parsed(redacted);
          expect(left.patch).toEqual(redaction.value(given.patch));
          expect(left.action).toBe(redaction.text(given.action));
          expect(redaction.value(left.patch)).toEqual(left.patch);
          expect(JSON.stringify(left.patch)).not.toMatch(/\d{16}/);
          expect(redactedReply(redacted, redaction)).toBe(redacted);
        },
      ),
    );
  });

  it('stays as it is written where nothing is left out', () => {
    for (const reply of [
      '',
      'No block, \\u0041.',
      'R\n\n```json\n{ "state_patch" : {"a":1.50,"b":"\\u0041"}, "action":"go" }\n```\n',
      'R\n```json\n{"state_patch": {"a": tru',
      'R\n```json\n{"a":1,"a":2}\n```',
    ])
      expect(redactedReply(reply, redaction)).toBe(reply);
  });

  it('has none of it where its block is no JSON, is cut short, or another one once something is left out', () => {
    const block = (json: string) => `R\n\n\`\`\`json\n${json}\n\`\`\``;
    for (const [reply, left] of [
      [block('{"a": "M\\u00fcller", oops "M\\u00fcller"}'), block('{"a": "[redacted]", oops "[redacted]"}')],
      ['R\n```json\n{"a": "M\\u00fcller', 'R\n```json\n{"a": "[redacted]'],
      [
        block('{"Müller": 1, "M\\u00fcller": 2, "[redacted]": 3}'),
        block('{"[redacted]": 1, "[redacted] 2": 2, "[redacted] 3": 3}'),
      ],
    ])
      expect(redactedReply(reply ?? '', redaction)).toBe(left);
    const fences = redactionOf('END\\n```', '\\b\\d{16}\\b');
    const reply = 'END\n```\n```json\n{"n": 4111111111111111}\n```\nEND\n```';
    expect(redactedReply(reply, fences)).not.toContain('4111111111111111');
  });

  it('is left out whole where a pattern finds something new each time', () => {
    expect(redactedReply('x', redactionOf('x|\\] ?$'))).toBe('[redacted]');
    const growing = { text: (text: string) => `${text}.`, value: redaction.value };
    expect(redactedReply('x', growing)).toBe('[redacted]');
  });
});

const skillFiles = {
  'SKILL.md': '---\nname: skill\ndescription: A skill.\n---\n\nDo it.\n',
  'state.schema.yaml': 'type: object\nadditionalProperties: true\n',
};
const escaped =
  'Because.\n\n```json\n{"state_patch":{"name":"M\\u00fcller","C:\\\\Users\\\\ann":1,"card":4111111111111111},"action":"Wait"}\n```';

describe('a run whose model escapes what is left out', () => {
  it('has none of it in commits, Σ, prompts and trace, and is repeated without the patterns to the same', async () => {
    const skill = await skillOf(skillFiles);
    const model = replyingModel([escaped]);
    const options = { horizon: 3 };
    const environment = () => redactedEnvironment(createWarehouse(), redaction);
    const run = await memoryRun({ skill, model, environment: environment(), redaction, options });
    const last = await run.finish();
    const own = { name: '[redacted]', '[redacted]': 1, card: '[redacted]' };
    expect(last.state).toMatchObject(own);
    expect(run.records.find(({ kind }) => kind === 'commit')).toMatchObject({ patch: own });
    for (const text of [traceText(run.records), ...model.prompts.slice(1)])
      for (const { text: read } of escapedReadings(text))
        for (const secret of ['Müller', 'Users', '4111111111111111']) expect(read).not.toContain(secret);
    const { recorded } = planResume(readTrace(new TextEncoder().encode(traceText(run.records))));
    const again = await memoryRun({ skill, model: replyingModel([]), options, recorded });
    expect((await again.finish()).state).toEqual(last.state);
    expect(again.records).toEqual([]);
  });
});
