/** What every server of ours is wired with: the built-in environments, the tokenizer, files on disk. */
import { createEnvironment, environmentNames } from '../../client/src/environments/registry';
import { loadTokenizer } from '../../client/src/models/o200kTokenizer';
import { diskFiles } from './diskFiles';
import type { ServerOptions } from './handlers';

/** Nobody is asked for anything: an environment is made only to see what it declares. */
const asker = { ask: async () => undefined };

export const wiring: Pick<ServerOptions, 'environments' | 'loadTokenizer' | 'files'> = {
  environments: {
    names: environmentNames,
    actionsOf: (name) =>
      environmentNames.includes(name) ? createEnvironment(name, { asker }).actions : undefined,
  },
  loadTokenizer,
  files: new Map([['file', diskFiles]]),
};
