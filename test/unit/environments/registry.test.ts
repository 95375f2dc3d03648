/** Environments by name. */
import { describe, expect, it } from 'vitest';
import { createEnvironment, environmentNames } from '../../../client/src/environments/registry';
import { createQueueAsker } from '../../../client/src/runtime/asker';
import { UnknownNameFailure } from '../../../client/src/runtime/unknownName';

const asker = createQueueAsker([]);

describe('the registry of environments', () => {
  it('makes each environment that it names', () => {
    for (const name of environmentNames) expect(createEnvironment(name, { asker }).name).toBe(name);
  });

  it.each(['warehuose', '', 'constructor'])('names what there is instead of %j', (name) => {
    expect(() => createEnvironment(name, { asker })).toThrow(UnknownNameFailure);
    expect(() => createEnvironment(name, { asker })).toThrow(
      `There is no environment "${name}"; there is warehouse, manual.`,
    );
  });
});
