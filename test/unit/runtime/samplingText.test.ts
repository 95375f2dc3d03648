import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { samplingText } from '../../../client/src/runtime/samplingText';
import type { ModelReport, SampleReport, SamplingReport } from '../../../schemas/messages/samplingMessages';

const sample = (parts: Partial<SampleReport>): SampleReport => ({
  number: 1,
  outcome: 'accepted',
  action: 'Wait',
  patch: {},
  changes: ['+ /a = 1'],
  changesLeftOut: 0,
  rejection: undefined,
  failure: undefined,
  reply: 'Because.',
  replyLeftOut: 0,
  finish: 'stop',
  tokens: {
    prompt: 100,
    completion: 10,
    cached: undefined,
    thinking: undefined,
    source: 'reported',
    estimatedBy: undefined,
  },
  cost: undefined,
  costAtMost: undefined,
  requests: undefined,
  ...parts,
});

const model = (parts: Partial<ModelReport>): ModelReport => ({
  model: 'openai:x',
  temperature: 0,
  asked: 2,
  samples: [sample({}), sample({ number: 2 })],
  stopped: undefined,
  actions: [{ value: 'Wait', samples: [1, 2] }],
  patches: [{ value: '{}', samples: [1, 2] }],
  rejections: [],
  agreement: 1,
  differing: undefined,
  spending: {
    prompt: 200,
    completion: 20,
    cached: 100,
    thinking: 0,
    source: 'reported',
    estimated: 0,
    byExtension: 0,
    cost: undefined,
    knownCost: 0.5,
    costAtMost: undefined,
  },
  ...parts,
});

const report = (models: readonly ModelReport[], parts: Partial<SamplingReport> = {}): SamplingReport => ({
  skill: 'warehouse',
  step: 3,
  branch: 0,
  attempt: 1,
  observation: 'item_1 arrived',
  correction: undefined,
  cancelled: false,
  tried: undefined,
  models,
  ...parts,
});

describe('the text of samples', () => {
  it('shows an observation of several lines as lines', () => {
    const text = samplingText(report([model({})], { observation: 'item_1 arrived\n```\nshelf_2 is full\n' }));
    expect(text).toContain(
      'Observation:\n\n````text\nitem_1 arrived\n```\nshelf_2 is full\n````\n\nNothing of this',
    );
    expect(samplingText(report([model({})], { observation: 'a\n'.repeat(9_000) })).length).toBeLessThan(
      4_000,
    );
  });

  it.each([
    ['openai:x', 'unknown'],
    ['scripted', '—'],
  ])('says what answers of %s cost of which nothing is known', (name, cost) => {
    const { spending } = model({});
    const text = samplingText(report([model({ model: name, spending: { ...spending, knownCost: 0 } })]));
    expect(text).toContain(`reported). Cost: ${cost}.`);
  });

  it("says what answers cost at most, and that the model's extension estimated them", () => {
    const { spending } = model({});
    const samples = [sample({ costAtMost: 0.75 }), sample({ number: 2, cost: 0.5 })];
    const counted = { source: 'estimated', estimated: 220, byExtension: 220, costAtMost: 1.25 } as const;
    const text = samplingText(report([model({ samples, spending: { ...spending, ...counted } })]));
    expect(text).toContain("estimated by the model's extension). Cost: between ≈$0.50 and ≈$1.25.");
    expect(text).toMatch(/Samples? 1.*: accepted, action `Wait`, 100 \+ 10 tokens, at most \$0\.75/);
  });

  it('has the distribution, the patches as diffs, tokens and cost', () => {
    const text = samplingText(report([model({})]));
    for (const part of [
      '# Trying step 3 of `warehouse`',
      'Observation: `item_1 arrived`',
      'Nothing of this is recorded',
      '2 answers of 2 asked for, at temperature 0; 2 accepted.',
      'The temperature is 0: samples may all be equal.',
      'Agreement: 100 % of the answers',
      'Tokens: 220 (200 of prompts, 20 of replies, 50 % of the prompts cached, reported). Cost: at least $0.50.',
      '| `Wait` | 2       | 100 % | 1, 2    |',
      '2 answers (100 %): 1, 2\n\n```diff\n+ /a = 1\n```',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('First Difference');
  });

  it('puts models beside each other, and shows the first answers that differ', () => {
    const other = model({
      model: 'ollama:y',
      temperature: 0.7,
      asked: 5,
      samples: [
        sample({ finish: 'length' }),
        sample({
          number: 2,
          outcome: 'rejected',
          action: undefined,
          changes: undefined,
          rejection: { class: 'schema', message: 'Too large.', pointer: '/count' },
        }),
        sample({
          number: 3,
          outcome: 'failed',
          action: undefined,
          changes: undefined,
          reply: undefined,
          tokens: undefined,
          failure: { class: 'timeout', message: 'Nothing came.' },
        }),
      ],
      rejections: [{ value: 'schema', samples: [2] }],
      agreement: 0.5,
      differing: { first: 1, second: 2 },
      stopped: 'It was given up.',
    });
    const text = samplingText(report([model({}), other], { branch: 2, attempt: 2, correction: 'Again.' }));
    for (const part of [
      'Branch 2.',
      'Correction, for attempt 2: `Again.`',
      '| model      | answers | accepted | agreement |',
      '| `ollama:y` | 2       | 50 %     | 50 %      |',
      'No more were asked for: `It was given up.`',
      'Samples 1 and 2 are the first that decide otherwise.',
      'Rejected, `schema` at `/count`: `Too large.`',
      'Failed, `timeout`: `Nothing came.`',
      'finish `length`',
      '### Other Samples',
    ])
      expect(text).toContain(part);
  });

  it('leaves out what is too much, and says so', () => {
    const many = Array.from({ length: 30 }, (_, index) =>
      sample({ number: index + 1, reply: `No. ${index}`, replyLeftOut: 5 }),
    );
    const text = samplingText(
      report([
        model({
          samples: many,
          actions: many.map(({ number }) => ({ value: `Go ${number}`, samples: [number] })),
          patches: [{ value: '{}', samples: many.map(({ number }) => number) }],
        }),
      ]),
    );
    expect(text).toContain('10 more left out.');
    expect(text).toContain('20 more samples left out.');
    expect(text).toContain('5 more characters of the reply left out.');
  });

  it('shows equal answers once', () => {
    const text = samplingText(report([model({})]));
    expect(text).toContain('Samples 1, 2: accepted, action `Wait`, 100 + 10 tokens');
    expect(text.split('```text')).toHaveLength(2);
  });

  it('lets nothing of a model become markup', () => {
    const hostile = [
      '<script>alert(1)</script> [x](command:evil) ![i](https://example.org/i.png)',
      '`` `x` ``` \n# heading\n| cell |',
      '```\n<img src=x onerror=alert(1)>\n```````\n[x](command:evil)\n',
      '\u202egnirts\u0007',
      '',
    ];
    for (const text of hostile) {
      const made = samplingText(
        report(
          [
            model({
              model: text,
              stopped: text,
              samples: [
                sample({
                  action: text,
                  reply: text,
                  finish: text,
                  changes: [`+ /a = ${JSON.stringify(text)}`],
                  rejection: { class: text, message: text, pointer: text },
                  failure: { class: text, message: text },
                }),
              ],
              actions: [{ value: text, samples: [1] }],
              rejections: [{ value: text, samples: [1] }],
            }),
          ],
          { skill: text, observation: text, correction: text },
        ),
      );
      const html = new MarkdownIt({ html: true, linkify: true }).render(made);
      expect(html).not.toMatch(/<(?:script|img|a)\b/);
      expect(html).not.toContain('\u202e');
      expect(made).not.toContain('\u0007');
      // One heading for the step, one for the model, and our own below it.
      expect(html.match(/<h1>/g)).toHaveLength(1);
      expect(html.match(/<h2>/g)).toHaveLength(1);
    }
  });
});
