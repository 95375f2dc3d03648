/** `skill-state models probe`: how a server can be held to the reply format, found out by trying, and what of a skill that leaves out. */
import { printable } from '../../../schemas/text/printable';
import type { HostModels } from '../hosts/node/participants';
import { loadRunnableSkill } from '../hosts/node/runnableSkill';
import { findSkillFolder } from '../hosts/node/skillFolder';
import { isConclusive, type ProbeResult, type Prober } from '../models/decoding/probe';
import { boundsWords, droppedWords, encodingWords, outcomeWords } from '../models/decoding/probeWords';
import type { DroppedKeyword } from '../models/decoding/replyConstraint';
import { parseModelName } from '../models/modelName';
import { droppedOf, probeAnew, probedName, proberOf } from '../models/probers';
import { estimateFor, estimateText } from '../models/tokenizers';
import { unknownModel } from '../models/unknownModel';
import { baseUrlOf, commandModels, type ModelFlags } from './commandModels';
import { type ExitCode, type Terminal, UsageFailure } from './terminal';

export interface ModelProbeFlags extends ModelFlags {
  /** Tries again what is known already. */
  readonly refresh?: boolean;
  /** A folder, of whose schema and actions is told what the constraint leaves out. */
  readonly skill?: string;
  readonly vertexProject?: string;
  readonly vertexLocation?: string;
  readonly timeout?: number;
  readonly json?: boolean;
}

/**
 * Prints what was found out, now or before, and why it was chosen.
 *
 * @returns 0, whatever was chosen
 * @throws ModelFailure where the server can't be asked
 */
export async function modelProbe(
  model: string,
  flags: ModelProbeFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  if (parseModelName(model) === undefined) throw unknownModel(model);
  const skill =
    flags.skill === undefined ? undefined : await loadRunnableSkill(await findSkillFolder(flags.skill));
  const models = await commandModels(flags, terminal);
  const prober = await proberFor(model, flags, models, terminal.signal);
  const known = flags.refresh ? undefined : await models.probes?.get(prober.server, prober.model);
  const result = known ?? (await probeAnew(prober, models.probes, Date.now(), terminal.signal));
  const dropped =
    skill === undefined
      ? undefined
      : droppedOf(prober, result, {
          stateSchema: skill.stateSchema,
          actions: skill.actions,
          state: skill.initialState,
        });
  const isKnown = known !== undefined;
  const isKept = isKnown || (await models.probes?.get(prober.server, prober.model))?.at === result.at;
  const text = flags.json
    ? `${JSON.stringify(probeJson(model, prober, result, { isKnown, isKept, dropped }))}\n`
    : `${probeLines(model, prober, result, { isKnown, isKept, dropped }).join('\n')}\n`;
  terminal.stdout.write(printable(text));
  return 0;
}

/** @throws UsageFailure for a model without a server that holds replies to anything */
async function proberFor(
  model: string,
  flags: ModelProbeFlags,
  models: HostModels,
  signal: AbortSignal,
): Promise<Prober> {
  const { timeout, vertexProject, vertexLocation } = flags;
  const name = probedName(model);
  if (name === undefined)
    throw new UsageFailure(`${model} has no server that could be held to a format: nothing is to be tried.`);
  if (name.provider !== 'gemini' && (vertexProject !== undefined || vertexLocation !== undefined))
    throw new UsageFailure(
      `--vertex-project and --vertex-location are for models of gemini; the model is ${model}.`,
    );
  const settings = { baseUrl: baseUrlOf(flags, model), timeout, vertexProject, vertexLocation };
  return proberOf(name, { ...models, settings }, signal);
}

interface ProbeShown {
  /** True where nothing was tried now. */
  readonly isKnown: boolean;
  /** Whether later runs will know it. */
  readonly isKept: boolean;
  /** Undefined where no skill was named. */
  readonly dropped: readonly DroppedKeyword[] | undefined;
}

function probeJson(
  model: string,
  { server }: Prober,
  { encoding, placement, explanation, tries, at }: ProbeResult,
  { isKnown, isKept, dropped }: ProbeShown,
) {
  return {
    model,
    server,
    encoding,
    placement: placement ?? null,
    explanation,
    tries,
    at: new Date(at).toISOString(),
    tried: !isKnown,
    kept: isKept,
    tokenizer: estimateFor(model),
    dropped: dropped ?? null,
  };
}

function probeLines(
  model: string,
  { server }: Prober,
  result: ProbeResult,
  { isKnown, isKept, dropped }: ProbeShown,
): readonly string[] {
  const { encoding, placement, explanation, tries } = result;
  const by = placement === undefined ? '' : ` by ${placement}`;
  return [
    `model      ${model} at ${server}`,
    `replies    ${encoding}${by}: ${encodingWords[encoding]}`,
    `because    ${explanation}`,
    `tokens     where they aren't reported, estimated by ${estimateText(estimateFor(model))}`,
    ...(tries.length === 0 ? [] : ['', 'Tried']),
    ...tries.map((one) => {
      const detail = one.detail === '' ? '' : `: ${one.detail}`;
      return `  ${one.encoding} by ${one.placement}: the server ${outcomeWords[one.outcome]}${detail}`;
    }),
    '',
    ...(dropped === undefined ? [unaskedText] : droppedLines(encoding, dropped)),
    '',
    keepingText(result, { isKnown, isKept }),
  ];
}

function keepingText(result: ProbeResult, { isKnown, isKept }: Omit<ProbeShown, 'dropped'>): string {
  if (isKnown) return `Found out at ${new Date(result.at).toISOString()}; --refresh tries again.`;
  if (isKept) return 'Runs with the decoding auto use this from now on.';
  return isConclusive(result)
    ? 'This could not be kept, so each run with the decoding auto finds it out anew.'
    : 'Nothing was found out about the server, so nothing is kept.';
}

const unaskedText =
  'With --skill <folder> it also says what of a skill a model is not held to while it writes.';

function droppedLines(
  encoding: ProbeResult['encoding'],
  dropped: readonly DroppedKeyword[],
): readonly string[] {
  const { sentence, keywords } = droppedWords(encoding, dropped);
  return [sentence, ...keywords.map((keyword) => `  ${keyword}`), ...boundsWords(encoding)];
}
