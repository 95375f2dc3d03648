/** A model in front of another one has all of its members. */
import { describe, expect, it } from 'vitest';
import { wrappedModel } from '../../../client/src/models/wrappedModel';
import type { Model } from '../../../client/src/runtime/model';
import { modelRequest } from '../../support/modelRequest';

const { signal } = new AbortController();

class Whole implements Model {
  readonly name = 'whole';
  readonly price = { prompt: 1, completion: 2 };
  readonly text = 'its own';
  found: Model['found'];
  without: Model['without'];
  remarks() {
    return [this.text];
  }
  async prepare() {
    this.found = { encoding: 'free' };
    this.without = ['temperature'];
  }
  async *generate() {
    yield { type: 'text', text: this.text } as const;
  }
}

async function textOf(model: Model): Promise<string> {
  let text = '';
  for await (const event of model.generate(modelRequest({ prompt: '' }), signal))
    if (event.type === 'text') text += event.text;
  return text;
}

describe('a wrapped model', () => {
  it('does what the other one does', async () => {
    const wrapped = wrappedModel(new Whole(), {});
    await wrapped.prepare?.(signal);
    expect(wrapped).toMatchObject({
      name: 'whole',
      price: { completion: 2 },
      found: { encoding: 'free' },
      without: ['temperature'],
    });
    expect(wrapped.remarks?.(modelRequest({ prompt: '' }).expected, { temperature: 0 })).toEqual(['its own']);
    expect(await textOf(wrapped)).toBe('its own');
  });

  it('has the price and the answers that it is made for', async () => {
    const wrapped = wrappedModel(new Whole(), {
      price: { prompt: 3, completion: 4 },
      async *generate() {
        yield { type: 'text', text: 'another' };
      },
    });
    expect(wrapped.price).toEqual({ prompt: 3, completion: 4 });
    expect(await textOf(wrapped)).toBe('another');
    expect(wrapped.remarks?.(modelRequest({ prompt: '' }).expected, { temperature: 0 })).toEqual(['its own']);
  });
});
