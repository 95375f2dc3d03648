/** What a command has for models: keys of the environment, proxies, the user's prices, what is known of servers. */
import { printableLine } from '../../../schemas/text/printable';
import { commandKeys } from '../hosts/node/keys';
import type { HostModels } from '../hosts/node/participants';
import { createPatientFetch } from '../hosts/node/patientFetch';
import { readPriceFile } from '../hosts/node/priceFile';
import { createProbeStore, probeFilePath } from '../hosts/node/probeStore';
import { createProxyFetch } from '../hosts/node/proxyFetch';
import { parseModelName } from '../models/modelName';
import type { Terminal } from './terminal';

/** The flags of a command that concern models; undefined where one isn't given. */
export interface ModelFlags {
  readonly baseUrl?: string | undefined;
  /** A file. */
  readonly prices?: string | undefined;
}

/**
 * Nothing is asked of a server yet.
 *
 * @throws FileFailure for a file of prices that can't be read or has none
 */
export async function commandModels(
  { baseUrl, prices }: ModelFlags,
  { stderr }: Pick<Terminal, 'stderr'>,
  variables: NodeJS.ProcessEnv = process.env,
): Promise<HostModels> {
  lookAtMachineAlone(variables);
  return {
    keys: commandKeys(variables, baseUrl),
    fetch: createProxyFetch(variables, createPatientFetch()),
    probes: createProbeStore({
      path: probeFilePath(variables),
      onProblem: (message) => stderr.write(`skill-state: ${message}\n`),
    }),
    onProbe(server, model) {
      // In a terminal alone: whoever reads a log doesn't wait. What may stand on the line is progress, which goes on below.
      const text = printableLine(`Asking ${server} what replies of ${model} can be held to…`);
      if (stderr.isTTY === true) stderr.write(`\r\u001b[K${text}\n`);
    },
    prices: prices === undefined ? undefined : await readPriceFile(prices),
  };
}

/**
 * Without credentials Google's library asks the network whether this machine is Google's, which takes seconds and ends in a
 * warning of Node's, unless it is told to look at the machine alone (README of gcp-metadata, Environment variables).
 */
function lookAtMachineAlone(variables: NodeJS.ProcessEnv): void {
  const { METADATA_SERVER_DETECTION, GCE_METADATA_HOST, GCE_METADATA_IP } = variables;
  const isSet = [METADATA_SERVER_DETECTION, GCE_METADATA_HOST, GCE_METADATA_IP].some((value) => value);
  if (!isSet) variables.METADATA_SERVER_DETECTION = 'bios-only';
}

/** Where the model's server is: as the flag says, else for OpenAI's models as the variable that its own programs read. */
export function baseUrlOf(
  { baseUrl }: ModelFlags,
  model: string | undefined,
  { OPENAI_BASE_URL }: NodeJS.ProcessEnv = process.env,
): string | undefined {
  if (baseUrl !== undefined) return baseUrl;
  const isOpenAi = model !== undefined && parseModelName(model)?.provider === 'openai';
  return isOpenAi ? OPENAI_BASE_URL?.trim() || undefined : undefined;
}
