import { describe, expect, it } from 'vitest';
import { Layers } from '../../../client/src/hosts/layers';

describe('layers', () => {
  it('show of each key what the uppermost has, in whatever order it was set', () => {
    const layers = new Layers<string>();
    const below = layers.add();
    const above = layers.add();
    above.values.set('a', 'above');
    below.values.set('a', 'below');
    below.values.set('b', 'below');
    expect([layers.get('a'), layers.get('b'), layers.get('c')]).toEqual(['above', 'below', undefined]);
    above.values.delete('a');
    expect(layers.get('a')).toBe('below');
  });

  it('count no more when they are removed, as often as that is asked for', () => {
    const layers = new Layers<string>();
    const below = layers.add();
    const above = layers.add();
    below.values.set('a', 'below');
    above.values.set('a', 'above');
    above.remove();
    above.remove();
    expect(layers.get('a')).toBe('below');
    expect(layers.isEmpty).toBe(false);
    below.remove();
    expect(layers.get('a')).toBeUndefined();
    expect(layers.isEmpty).toBe(true);
  });
});
