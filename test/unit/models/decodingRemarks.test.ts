/** What a run tells at its beginning of how its replies are held to their format. */
import { describe, expect, it } from 'vitest';
import { decodingRemarks } from '../../../client/src/models/decoding/probeWords';
import { withRequestRetries } from '../../../client/src/models/requestRetries';
import type { Model } from '../../../client/src/runtime/model';
import { modelRequest } from '../../support/modelRequest';

const one = { pointer: '/a', keyword: 'pattern', reason: "can't be said there" };

describe('decodingRemarks', () => {
  it('says what replies are held to, and why', () => {
    expect(decodingRemarks({ encoding: 'free', explanation: 'It was chosen.' }, [one])).toEqual([
      'Decoding: free (as the prompt asks, held to nothing). It was chosen.',
    ]);
  });

  const remarks = (count: number) =>
    decodingRemarks(
      { encoding: 'operations', explanation: 'It was chosen.' },
      Array.from({ length: count }, (_, index) => ({ ...one, pointer: `/${index}` })),
    ).slice(1);

  it('names the few keywords that are not held to in a sentence', () => {
    expect(remarks(2)).toEqual([
      "Not held to while it writes, and checked afterwards as always: /0: pattern can't be said there; /1: pattern can't be said there.",
    ]);
  });

  it('lists more of them one below the other, and says where all are', () => {
    expect(remarks(4)).toEqual([
      'Not held to while it writes, and checked afterwards as always:',
      ...[0, 1, 2, 3].map((index) => `- /${index}: pattern can't be said there`),
    ]);
    expect(remarks(23)).toHaveLength(22);
    expect(remarks(23).at(-1)).toBe('- and 3 more, which `skill-state models probe --skill` lists');
  });

  it('names the schema itself where something of it as a whole is not held to', () => {
    const [, , said] = decodingRemarks({ encoding: 'grammar', explanation: 'So.' }, [
      { ...one, pointer: '' },
    ]);
    expect(said).toContain("(root): pattern can't be said there.");
  });

  it('is silent about keywords where there are none', () => {
    expect(decodingRemarks({ encoding: 'operations', explanation: 'So.' }, [])).toHaveLength(1);
  });

  it('names the bounds that a grammar has of its own', () => {
    const [, bounds, ...rest] = decodingRemarks({ encoding: 'grammar', explanation: 'So.' }, []);
    expect(bounds).toContain('texts have 20,000 characters (by a pattern 1,000), keys 64, ');
    expect(rest).toEqual([]);
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
  expect(withRequestRetries(model, {}).remarks?.(expected, { temperature: 0 })).toEqual(['Σ has 0 keys.']);
});
