/** What a server is asked to find out whether it keeps a reply to a format, and what an answer shows. */
import { isJsonObject, type JsonObject, ownProperty } from '../../../../schemas/json/jsonValue';
import { parseActions } from '../../../../schemas/skill/actionSignature';
import { loadStateSchema } from '../../../../schemas/state/stateSchema';
import type { ExpectedReply } from '../../runtime/model';
import { defaultRunOptions } from '../../runtime/options';
import { quoted } from '../../runtime/quotation';
import { parseReply } from '../../runtime/replyParser';
import type { ProbePlacement, ProbeTry } from './probe';
import { type ReplyConstraint, replyConstraint } from './replyConstraint';
import { createReplyDecoder } from './replyDecoder';

export interface ProbeQuestion {
  readonly prompt: string;
  readonly constraint: ReplyConstraint;
  judge(answer: string): Pick<ProbeTry, 'outcome' | 'detail'>;
}

/** What the prompt asks for; the constraint doesn't allow it. */
const prompt = 'Answer with the one word "plum". Write nothing else, and no JSON.';

/** Where the answer may be long, it ends soon. */
const maxTokens = 300;

const optionalKeys = ['colour', 'count', 'note', 'places', 'shape'] as const;

/** Like those of skills: a map with named keys, values with patterns, enumerations, bounds, keys that may be left out. */
const stateSchema = loadStateSchema({
  path: 'state.schema.json',
  text: JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      // Only null can be written here, which deletes it.
      gone: { type: 'null' },
      colour: { enum: ['red', 'blue'] },
      count: { type: 'integer', minimum: 0, maximum: 99 },
      note: { type: 'string', maxLength: 20 },
      places: {
        type: 'object',
        propertyNames: { pattern: '^place_[0-9]$' },
        additionalProperties: { type: 'string', pattern: '^thing_[0-9]$' },
      },
      shape: { type: 'array', items: { enum: ['round', 'flat'] }, maxItems: 2 },
    },
    required: ['colour'],
    additionalProperties: false,
  }),
});

const state: JsonObject = { gone: null, colour: 'red', places: { place_1: 'thing_1' } };

/** @param now makes a word that no answer has by chance */
export function probeQuestion({ encoding, dialect }: ProbePlacement, now: number): ProbeQuestion {
  const word = `Confirm_${Math.abs(Math.trunc(now) % 1_679_616).toString(36)}`;
  const { actions } = parseActions({ text: `# Actions\n\n- \`${word} <place_id>\`\n`, file: 'SKILL.md' });
  const expected = { stateSchema, state, actions };
  const constraint = replyConstraint(expected, encoding, dialect, { maxTokens });
  return {
    prompt,
    constraint: encoding === 'json-schema' ? withNull(constraint) : constraint,
    judge: (answer) => judged(answer, expected, encoding, word),
  };
}

/** Requires a null, so that what comes shows whether a server can write one. */
function withNull(constraint: ReplyConstraint): ReplyConstraint {
  if (constraint.kind !== 'json') return constraint;
  const properties = ownProperty(constraint.schema, 'properties');
  const patch = isJsonObject(properties) ? ownProperty(properties, 'state_patch') : undefined;
  if (!isJsonObject(properties) || !isJsonObject(patch)) return constraint;
  const required = { ...patch, required: ['gone'] };
  return {
    ...constraint,
    schema: { ...constraint.schema, properties: { ...properties, state_patch: required } },
  };
}

function judged(
  answer: string,
  expected: ExpectedReply,
  encoding: ProbePlacement['encoding'],
  word: string,
): Pick<ProbeTry, 'outcome' | 'detail'> {
  const decoder = createReplyDecoder(encoding, expected);
  const parsed = parseReply(decoder.write(answer) + decoder.end(), defaultRunOptions.limits);
  const shown = quoted(answer.trim(), 60);
  if (!parsed.ok) {
    // What ends early shows nothing either way.
    const begins = encoding !== 'grammar' && /^\s*\{\s*"reasoning"\s*:\s*"/.test(answer);
    const isCut = parsed.rejection.class === 'syntax' || parsed.rejection.class === 'no-block';
    return begins && isCut
      ? { outcome: 'unanswered', detail: `It began as the format asks, and didn't end: ${shown}.` }
      : { outcome: 'ignored', detail: `It answered ${shown}.` };
  }
  const { patch, action } = parsed.reply;
  if (!action.startsWith(word))
    return { outcome: 'ignored', detail: `It chose the action ${quoted(action)}.` };
  if (encoding !== 'json-schema') return { outcome: 'enforced', detail: '' };
  if (ownProperty(patch, 'gone') !== null)
    return { outcome: 'ignored', detail: 'It left out a key that has to be null.' };
  if (optionalKeys.every((key) => Object.hasOwn(patch, key)))
    return { outcome: 'ignored', detail: 'It gives every key that may be left out.' };
  return { outcome: 'enforced', detail: '' };
}
