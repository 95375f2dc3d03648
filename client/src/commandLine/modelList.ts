/** `skill-state models list`: every provider with what it needs, and its models. */
import { printable } from '../../../schemas/text/printable';
import { money } from '../../../schemas/text/spending';
import { geminiTarget } from '../models/gemini/geminiTarget';
import { type ModelName, modelProviders } from '../models/modelName';
import { serverOf } from '../models/servers';
import type { ModelPrice } from '../runtime/model';
import { commandModels, type ModelFlags } from './commandModels';
import { isServerProvider, type ListedModel, type ListedProvider, listProvider } from './providerListing';
import { type ExitCode, type Terminal, UsageFailure } from './terminal';

type Provider = ModelName['provider'];

export interface ModelListFlags extends ModelFlags {
  readonly provider?: Provider;
  readonly json?: boolean;
}

/**
 * Prints the providers, or one of them.
 *
 * @returns 1 where one was named that can't be used as things are; else 0
 * @throws ModelSettingFailure for a base URL that can't be one
 */
export async function modelList(flags: ModelListFlags, terminal: Terminal): Promise<ExitCode> {
  const named = flags.provider ?? (flags.baseUrl === undefined ? undefined : 'openai');
  if (flags.baseUrl !== undefined && named !== undefined && !hasServer(named))
    throw new UsageFailure(`--base-url is for servers; ${named} has none.`);
  refuseBaseUrl(named, flags.baseUrl);
  const models = await commandModels(flags, terminal);
  const wanted = named === undefined ? modelProviders : [named];
  const { signal } = terminal;
  const listing = { models, isNamed: named !== undefined, signal };
  const providers = await Promise.all(
    wanted.map((provider) =>
      listProvider(provider, { ...listing, baseUrl: flags.baseUrl, variable: process.env.OPENAI_BASE_URL }),
    ),
  );
  terminal.signal.throwIfAborted();
  const text = flags.json
    ? `${JSON.stringify({ providers })}\n`
    : `${providers.map((one) => providerLines(one).join('\n')).join('\n\n')}\n`;
  terminal.stdout.write(printable(text));
  return named !== undefined && providers.some(({ usable }) => !usable) ? 1 : 0;
}

/** @throws ModelSettingFailure for a base URL that can't be one */
function refuseBaseUrl(provider: Provider | undefined, baseUrl: string | undefined): void {
  if (baseUrl === undefined || provider === undefined) return;
  if (provider === 'gemini') geminiTarget({ baseUrl });
  else if (provider === 'openai' || isServerProvider(provider)) serverOf(provider, baseUrl);
}

function hasServer(provider: Provider): boolean {
  return provider === 'openai' || provider === 'gemini' || isServerProvider(provider);
}

function providerLines({ provider, usable, server, about, models }: ListedProvider): readonly string[] {
  const where = server === null || !usable ? '' : ` at ${server}`;
  const others = models.filter(({ name }) => name !== provider);
  const width = Math.max(0, ...others.map(({ name }) => name.length));
  return [`${provider}${where}: ${about}`, ...others.map((model) => `  ${modelLine(model, width)}`)];
}

function modelLine({ name, contextTokens, price }: ListedModel, width: number): string {
  const facts = [
    ...(contextTokens === null ? [] : [`${contextTokens} tokens of context`]),
    ...(price === null ? [] : [priceText(price)]),
  ];
  return facts.length === 0 ? name : `${name.padEnd(width)}  ${facts.join(', ')}`;
}

/** Per million tokens. */
function priceText({ prompt, completion, cached }: ModelPrice): string {
  const fromCache = cached === undefined ? '' : ` (cached ${money(cached)})`;
  return `${money(prompt)}${fromCache} in, ${money(completion)} out per million tokens`;
}
