/**
 * Diagnostics and completion of a state schema of 9,000 lines: by our language service, by yaml-language-server, and
 * what one parse by `yaml` costs. In turn, so that a busy machine strikes all.
 */
import { LineCounter, parseDocument } from 'yaml';
import { LineIndex, type Position } from '../../../schemas/text/position';
import { LspClient } from '../lspClient';
import { skillWorkspace } from '../skillWorkspace';
import { Unavailable } from '../vscodeCache';
import { type Figure, type Measure, median, millisecondsOf } from './figures';
import { loadYamlLanguageServer, yamlLanguageServerVersion } from './yamlLanguageServer';

const lineCount = 9_000;
const repetitions = 15;
const title = `State schema of ${lineCount.toLocaleString('en-US')} lines beside yaml-language-server ${yamlLanguageServerVersion}`;
const path = 'state.schema.yaml';
/** What is being typed. */
const typed = '      max';

/** A schema of many bounded properties, as a person would write it; the property that is being typed comes last. */
export function longSchema(lines: number): string {
  const head = [
    '$schema: http://json-schema.org/draft-07/schema#',
    'title: Long',
    'type: object',
    'properties:',
  ];
  const text = [...head];
  for (let group = 0; text.length < lines - 26; group++) {
    text.push(
      `  group_${group}:`,
      '    type: object',
      `    description: The ${group}th group.`,
      '    properties:',
    );
    for (let field = 0; field < 8 && text.length < lines - 20; field++) {
      text.push(
        `      field_${group}_${field}:`,
        '        description: |',
        '          One of many fields. It has a description of some lines, as fields in the',
        '          wild have, so that the document is as long as it says.',
        '        # What it may hold.',
        ...(field % 2 === 0
          ? ['        type: string', `        maxLength: ${40 + field}`, '        pattern: ^[a-z_]+$']
          : [
              '        type: array',
              '        items: { type: integer, minimum: 0, maximum: 99 }',
              '        maxItems: 12',
            ]),
      );
    }
    text.push(`    required: [field_${group}_0]`, '    additionalProperties: false');
  }
  text.push('additionalProperties: false', '  ');
  return text.join('\n');
}

/** The same schema without the limits, so that each field has findings. */
function unboundedSchema(lines: number): string {
  return longSchema(lines)
    .replace(/^ +(?:maxLength|pattern|maxItems): .*\n/gm, '')
    .replaceAll(', maximum: 99', '');
}

/** The same schema while a keyword is being typed in the middle of it: `yaml` has to say what is wrong. */
function brokenSchema(lines: number): string {
  return longSchema(lines).replace(/(?<=^ +maxItems: 12\n)/m, `  ${typed}\n`);
}

/** Instructions that mention some of its fields, and a state that it begins with. */
const skillBeside = {
  'SKILL.md': `---
name: sample
description: Keeps many fields.
---
${Array.from({ length: 40 }, (_, group) => `- Set \`group_${group}.field_${group}_${group % 8}\` to what was seen.`).join('\n')}
`,
  'state.initial.yaml': Array.from(
    { length: 100 },
    (_, group) => `group_${group}:\n  field_${group}_0: abc\n  field_${group}_1: [1, 2]\n`,
  ).join(''),
};

/** A schema that is checked after each change, and how that is asked for. */
interface CheckedDocument {
  readonly name: string;
  /** False where more than the work on the document is measured. */
  readonly hasGoal: boolean;
  /** Changes one line of the schema and gives the number of findings. */
  check(version: number): Promise<number>;
  readonly times: number[];
}

function checkedByService(
  name: string,
  base: string,
  beside: Readonly<Record<string, string>>,
  hasGoal = true,
): CheckedDocument {
  const { service, uri, set } = skillWorkspace({ ...beside, [path]: base });
  return {
    name,
    hasGoal,
    times: [],
    async check(version) {
      set(path, base.replace('title: Long', `title: Long ${version}`));
      return (await service.findings(uri(path)))?.length ?? 0;
    },
  };
}

/** Asked through the protocol, after a change of one character. */
async function checkedByServer(
  name: string,
  base: string,
): Promise<CheckedDocument & { end(): Promise<unknown> }> {
  const client = await LspClient.start();
  const uri = `file:///nowhere/sample/${path}`;
  for (const [other, text] of Object.entries(skillBeside))
    await client.open(`file:///nowhere/sample/${other}`, text);
  await client.open(uri, base);
  const end = client.find(uri, 'title: Long', { end: true });
  return {
    name,
    hasGoal: false,
    times: [],
    async check() {
      await client.change(uri, [{ range: { start: end, end }, text: 'g' }]);
      return (await client.diagnostics(uri)).length;
    },
    end: () => client.stop(),
  };
}

export async function measureLanguageFeatures(log: (line: string) => void): Promise<Measure> {
  let peer: ReturnType<typeof loadYamlLanguageServer>;
  try {
    peer = loadYamlLanguageServer(log);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return { title, figures: [], skipped: error.message };
  }
  const base = longSchema(lineCount);
  const { service, uri, set } = skillWorkspace({ [path]: base });
  let version = 0;
  /** Every time another text, since what is unchanged isn't read again. */
  const variant = () => {
    version++;
    return base.replace('title: Long', `title: Long ${version}`);
  };
  const place = base.lastIndexOf('        maxItems: 12');
  const halfTyped = (text: string): { text: string; position: Position } => {
    const at = text.indexOf('\n', place + String(version).length + 1);
    const changed = `${text.slice(0, at)}\n  ${typed}${text.slice(at)}`;
    return { text: changed, position: new LineIndex(changed).positionAt(at + 3 + typed.length) };
  };
  const throughServer = await checkedByServer(
    'diagnostics through the server, protocol and client included',
    base,
  );
  const checkedDocuments = [
    checkedByService('diagnostics beside a SKILL.md and a state', base, skillBeside),
    checkedByService('diagnostics of fields without limits', unboundedSchema(lineCount), skillBeside),
    checkedByService('diagnostics while a keyword is half typed', brokenSchema(lineCount), {}, false),
    throughServer,
  ];
  const times = {
    parse: [] as number[],
    ourDiagnostics: [] as number[],
    theirDiagnostics: [] as number[],
    ourCompletion: [] as number[],
    theirCompletion: [] as number[],
    ourRepeated: [] as number[],
    theirRepeated: [] as number[],
  };
  // The first round compiles the code and does not count.
  for (let repetition = 0; repetition <= repetitions; repetition++) {
    const note = (name: keyof typeof times, milliseconds: number) => {
      if (repetition > 0) times[name].push(milliseconds);
    };
    const parsed = variant();
    note(
      'parse',
      await millisecondsOf(() =>
        parseDocument(parsed, { lineCounter: new LineCounter(), keepSourceTokens: true }),
      ),
    );
    const checked = variant();
    set(path, checked);
    note(
      'ourDiagnostics',
      await millisecondsOf(async () => {
        const found = await service.findings(uri(path));
        if (found === undefined) throw new Error('The schema was not checked.');
      }),
    );
    for (const one of checkedDocuments) {
      const took = await millisecondsOf(async () => {
        if ((await one.check(version)) === 0) throw new Error('Nothing was found.');
      });
      if (repetition > 0) one.times.push(took);
    }
    const document = peer.createDocument(uri(path), version, checked);
    note('theirDiagnostics', await millisecondsOf(() => peer.service.doValidation(document, false)));

    const { text, position } = halfTyped(variant());
    note(
      'ourCompletion',
      await millisecondsOf(async () => {
        set(path, text);
        const items = await service.completion(uri(path), position);
        if (!items.some(({ label }) => label === 'minItems'))
          throw new Error('Our completion offers nothing.');
      }),
    );
    const changed = peer.createDocument(uri(path), version, text);
    note(
      'theirCompletion',
      await millisecondsOf(async () => {
        const { items } = await peer.service.doComplete(changed, position, false);
        if (!items.some(({ label }) => label === 'minItems'))
          throw new Error('Their completion offers nothing.');
      }),
    );
    note('ourRepeated', await millisecondsOf(() => service.completion(uri(path), position)));
    note('theirRepeated', await millisecondsOf(() => peer.service.doComplete(changed, position, false)));
  }
  await throughServer.end();
  const parse = median(times.parse);
  const ratioTo = (
    value: number,
    to: number,
    name: string,
    limit: number,
  ): Pick<Figure, 'ratio' | 'goal'> => ({
    ratio: { value: value / to, to: name },
    goal: { text: `at most ${limit} × ${name}`, met: value <= limit * to },
  });
  const theirs = { completion: median(times.theirCompletion), repeated: median(times.theirRepeated) };
  const [diagnostics, completion, repeated] = [
    median(times.ourDiagnostics),
    median(times.ourCompletion),
    median(times.ourRepeated),
  ];
  return {
    title,
    figures: [
      { name: 'one yaml parse, with line counter and source tokens', value: parse, unit: 'ms' },
      {
        name: 'diagnostics',
        value: diagnostics,
        unit: 'ms',
        ...ratioTo(diagnostics, parse, 'the parse', 1.25),
      },
      ...checkedDocuments.map(({ name, times: took, hasGoal }): Figure => {
        const value = median(took);
        const { ratio, goal } = ratioTo(value, parse, 'the parse', 1.25);
        return { name, value, unit: 'ms', ...(ratio && { ratio }), ...(hasGoal && goal && { goal }) };
      }),
      {
        name: 'diagnostics of yaml-language-server',
        value: median(times.theirDiagnostics),
        unit: 'ms',
        ratio: { value: median(times.theirDiagnostics) / parse, to: 'the parse' },
      },
      { name: 'completion of yaml-language-server after a change', value: theirs.completion, unit: 'ms' },
      {
        name: 'completion after a change',
        value: completion,
        unit: 'ms',
        ...ratioTo(completion, theirs.completion, 'theirs', 0.4),
      },
      { name: 'completion of yaml-language-server, unchanged', value: theirs.repeated, unit: 'ms' },
      {
        name: 'completion, unchanged',
        value: repeated,
        unit: 'ms',
        ...ratioTo(repeated, theirs.repeated, 'theirs', 0.1),
      },
    ],
  };
}
