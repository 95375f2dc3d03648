/** Replies made to hang or kill what reads them: each has to be over in a blink. */
import { loadTokenizer } from '../../../client/src/models/o200kTokenizer';
import type { Model } from '../../../client/src/runtime/model';
import type { JsonObject, JsonValue } from '../../../schemas/json/jsonValue';
import { replyOf, skillOf } from '../memoryRun';
import { type Figure, type Measure, median } from './figures';
import { steadyEnvironment } from './steadyWarehouse';
import { timedRun } from './timedRun';

const repetitions = 5;
/** Milliseconds within which a person sees no pause. */
const blink = 1_000;

interface CatastrophicInput {
  readonly name: string;
  readonly schema: JsonObject;
  /** The pieces in which the reply comes. */
  pieces(): Iterable<string>;
}

const anyState: JsonObject = { type: 'object' };
const megabyte = 1_000_000;

const inputs: readonly CatastrophicInput[] = [
  {
    name: 'a reply of 50 MB at once',
    schema: anyState,
    pieces: () => ['lorem ipsum dolor sit am, '.repeat((50 * megabyte) / 26)],
  },
  {
    name: 'a reply of 50 MB, 16 characters a piece',
    schema: anyState,
    *pieces() {
      for (let length = 0; length < 50 * megabyte; length += 16) yield 'lorem ipsum dol ';
    },
  },
  {
    name: 'a reply of 1 MB, one letter again and again',
    schema: anyState,
    pieces: () => ['a'.repeat(megabyte)],
  },
  {
    name: 'a patch nested 10,000 deep',
    schema: anyState,
    pieces: () => [
      `\`\`\`json\n{"state_patch":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)},"action":"Wait"}\n\`\`\``,
    ],
  },
  {
    name: '^(a+)+$ on 50,000 characters',
    schema: { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } },
    pieces: () => [replyOf({ text: `${'a'.repeat(50_000)}b` }, 'Wait')],
  },
  {
    name: 'uniqueItems on 20,000 objects',
    schema: { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } },
    pieces: () => [replyOf({ list: distinctObjects(20_000) }, 'Wait')],
  },
];

/** Every one is the first step of a run, with the product's own limits and tokenizer. */
export async function measureCatastrophes(): Promise<Measure> {
  const tokenizer = await loadTokenizer();
  const figures: Figure[] = [];
  for (const { name, schema, pieces } of inputs) {
    const skill = await skillOf({
      'SKILL.md': '---\nname: skill\ndescription: Waits.\n---\n\nWait.\n',
      'state.schema.json': JSON.stringify(schema),
    });
    const model: Model = {
      name: 'catastrophic',
      async *generate() {
        for (const text of pieces()) yield { type: 'text', text };
      },
    };
    const times: number[] = [];
    let result = '';
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const { steps, run } = await timedRun({
        skill,
        environment: steadyEnvironment(1),
        model,
        tokenizer,
        options: { maxRetries: 0, onExhausted: 'stop' },
      });
      times.push(steps[0] ?? Number.NaN);
      result = Object.keys(run.totals.rejected)[0] ?? 'accepted';
    }
    const value = median(times);
    figures.push({
      name: `${name}: ${result}`,
      value,
      unit: 'ms',
      goal: { text: `at most ${blink} ms`, met: value <= blink },
    });
  }
  return { title: 'Catastrophic replies, one step each', figures };
}

function distinctObjects(count: number): JsonValue {
  return Array.from({ length: count }, (_, index) => ({ id: index, name: `n${index}` }));
}
