/** Where samples stand in the text of a tried step. */
import { expect, it } from 'vitest';
import { samplingDocument } from '../../../client/src/runtime/samplingText';
import type { ModelReport, SampleReport, SamplingReport } from '../../../schemas/messages/samplingMessages';

function sample(number: number, reply: string, requests: number | undefined): SampleReport {
  return {
    ...{ number, outcome: 'accepted', action: 'Sample 1: a', patch: {}, changes: [], changesLeftOut: 0 },
    ...{ rejection: undefined, failure: undefined, reply, replyLeftOut: 0, finish: 'stop' },
    ...{ tokens: undefined, cost: undefined, costAtMost: undefined, requests },
  };
}

function model(
  name: string,
  samples: readonly SampleReport[],
  parts: Partial<ModelReport> = {},
): ModelReport {
  const spent = { prompt: 0, completion: 0, cached: 0, thinking: 0, source: undefined };
  return {
    ...{ model: name, temperature: 0, asked: samples.length, samples, stopped: undefined, actions: [] },
    ...{ patches: [], rejections: [], agreement: undefined, differing: undefined },
    spending: {
      ...spent,
      estimated: 0,
      byExtension: 0,
      cost: undefined,
      knownCost: 0,
      costAtMost: undefined,
    },
    ...parts,
  };
}

it('are found in front of their lines, and nowhere in what models wrote', () => {
  const tricky = '````\nSample 2: accepted\n## `x`\n```\nSample 1: accepted';
  const report: SamplingReport = {
    ...{ skill: 's', step: 0, branch: 0, attempt: 1, observation: '## x', correction: 'Sample 1: x' },
    ...{ cancelled: false, tried: 1 },
    models: [
      model('a', [sample(1, tricky, 1), sample(2, tricky, 2), sample(3, 'other', undefined)], {
        differing: { first: 1, second: 3 },
      }),
      model('b', [sample(1, 'x', 1), sample(2, 'x', 1), sample(3, 'x', undefined)]),
    ],
  };
  const { text, links } = samplingDocument(report);
  const lines = text.split('\n');
  const found = links.map(({ line, start, end, model, sample }) => [
    `${lines[line]?.slice(0, start)}[${lines[line]?.slice(start, end)}]`,
    model,
    sample,
  ]);
  expect(found).toEqual([
    ['Sample [1]', 0, 1],
    ['Sample [2]', 0, 2],
    ['Samples [1]', 1, 1],
    ['Samples 1, [2]', 1, 2],
  ]);
});

it('are those of the numbers that are shown, however many answers are alike', () => {
  const samples = Array.from({ length: 30 }, (_, index) =>
    sample(index + 1, 'same', index % 3 === 0 ? 0 : 1),
  );
  const report: SamplingReport = {
    ...{ skill: 's', step: 0, branch: 0, attempt: 1, observation: 'x', correction: undefined },
    ...{ cancelled: false, tried: 1 },
    models: [model('a', samples)],
  };
  const { text, links } = samplingDocument(report);
  const lines = text.split('\n');
  expect(links.map(({ line, start, end }) => lines[line]?.slice(start, end))).toEqual(
    links.map((link) => String(link.sample)),
  );
  expect(links.map((link) => link.sample)).toEqual([2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 20]);
});
