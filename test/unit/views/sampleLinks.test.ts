/** Where samples stand in the text of a tried step. */
import { expect, it } from 'vitest';
import { samplingText } from '../../../client/src/runtime/samplingText';
import { sampleLinks } from '../../../client/src/views/models/sampleLinks';
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
  const text = samplingText(report);
  const lines = text.split('\n');
  const found = sampleLinks(text, report).map(({ line, start, end, model, sample }) => [
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
