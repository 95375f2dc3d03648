/** What a run tells at its beginning of how its replies are held to their format. */
import { describe, expect, it } from 'vitest';
import { decodingRemarks } from '../../../client/src/models/decoding/probeWords';
import { withRequestRetries } from '../../../client/src/models/requestRetries';
import type { Model } from '../../../client/src/runtime/model';
import { modelRequest } from '../../support/modelRequest';

const dropped = ['/a', '/b', '/c', '/d', ''].map((pointer) => ({
  pointer,
  keyword: 'pattern',
  reason: "can't be said there",
}));

describe('decodingRemarks', () => {
  it('says how replies travel, and why', () => {
    expect(decodingRemarks({ encoding: 'free', explanation: 'It was chosen.' }, dropped)).toEqual([
      'Replies travel as the prompt asks, held to nothing: It was chosen.',
    ]);
  });

  it('names the first keywords that are not held to, and how many more there are', () => {
    const [, second] = decodingRemarks({ encoding: 'operations', explanation: 'It was chosen.' }, dropped);
    expect(second).toBe(
      "Not held to while it writes, and checked afterwards as always: /a: pattern can't be said there; /b: pattern can't be said there; /c: pattern can't be said there; and 2 more.",
    );
  });

  it('is silent about keywords where there are none', () => {
    expect(decodingRemarks({ encoding: 'grammar', explanation: 'So.' }, [])).toHaveLength(1);
  });
});

it('a model whose requests are made again still tells its remarks', () => {
  const model: Model = {
    name: 'm',
    remarks: ({ state }) => [`Σ has ${Object.keys(state).length} keys.`],
    // biome-ignore lint/correctness/useYield: it is never asked
    async *generate() {
      throw new Error('Not asked.');
    },
  };
  const { expected } = modelRequest({ prompt: '' });
  expect(withRequestRetries(model, {}).remarks?.(expected)).toEqual(['Σ has 0 keys.']);
});
