/** The model that answers from a recording: each request gets the reply that was recorded for its step and attempt. */
import { type Model, ModelFailure, type ReportedUsage } from '../runtime/model';
import { type PromptParts, promptTemplate, readPrompt } from '../runtime/prompt';
import { counted, quoted } from '../runtime/quotation';
import { redactedText } from '../runtime/redaction';
import { type RecordedStep, type TraceBranch, TraceGap, type TraceReader } from '../runtime/traceReader';
import type { ModelName } from './modelName';
import type { ModelResources } from './modelResources';
import { promptDifference } from './promptDifference';

/** What `replay:` is followed by. */
export interface RecordingName {
  /** As the user gives it. */
  readonly path: string;
  /** Along whose line the answers are taken: the original run's, a branch's, or that of the last branch. */
  readonly branch: number | 'last';
}

/** `run.skilltrace.jsonl`, `run.skilltrace.jsonl#2`, `run.skilltrace.jsonl#last`. */
export function parseRecordingName(text: string): RecordingName {
  const [, path, branch] = /^(.+)#(\d{1,9}|last)$/s.exec(text) ?? [];
  if (path === undefined || branch === undefined) return { path: text, branch: 0 };
  return { path, branch: branch === 'last' ? branch : Number(branch) };
}

/**
 * The model's name as it is recorded: without the folders of this machine. A run that goes on looks for the recording by
 * that name, beside its own trace first.
 */
export function recordedReplayName(text: string): string {
  return `replay:${text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1)}`;
}

/**
 * Makes the model; the recording is opened by `prepare`, or else with the first request.
 *
 * @throws ModelFailure where recordings can't be opened here
 */
export function createReplayModel(
  name: ModelName,
  _fullName: string,
  { openRecording, sha256 }: Pick<ModelResources, 'openRecording' | 'sha256'>,
): Model {
  const text = 'model' in name ? name.model : '';
  const { path, branch: wanted } = parseRecordingName(text);
  const ownName = recordedReplayName(text);
  const title = `The recording ${quoted(recordedReplayName(path).slice('replay:'.length), 120)}`;
  if (openRecording === undefined) throw noReply(`${title} can't be opened here: there are no files.`);
  let opened: Promise<TraceReader> | undefined;

  async function recording(signal: AbortSignal): Promise<TraceReader> {
    opened ??= open();
    try {
      return await opened;
    } catch (error) {
      opened = undefined;
      signal.throwIfAborted();
      throw error;
    }
  }

  async function open(): Promise<TraceReader> {
    let reader: TraceReader | undefined;
    try {
      reader = await openRecording?.(path);
      await reader?.read();
    } catch (error) {
      if (error instanceof ModelFailure) throw error;
      // What a file system says names folders of this machine, and this may be recorded.
      throw noReply(`${title} can't be read: look at the file and its permissions.`, error);
    }
    if (reader === undefined) throw noReply(`${title} can't be opened here.`);
    if (reader.header === undefined) {
      const [problem] = reader.problems;
      const why = problem === undefined ? 'it has no run record' : `line ${problem.line}: ${problem.message}`;
      throw noReply(`${title} is no trace of a run (${quoted(why, 200).slice(1, -1)}): name one that is.`);
    }
    branchOf(reader);
    return reader;
  }

  function branchOf({ branches }: TraceReader): TraceBranch {
    const branch = wanted === 'last' ? branches.at(-1) : branches.find(({ id }) => id === wanted);
    if (branch !== undefined) return branch;
    const there = branches.map(({ id }) => id);
    throw noReply(`${title} has no branch ${wanted}: it has ${there.join(', ') || 'none'}.`);
  }

  /** The recorded step, also where it was written after the recording was opened. */
  async function stepOf(
    reader: TraceReader,
    { step, attempt }: { readonly step: number; readonly attempt: number },
    signal: AbortSignal,
  ): Promise<{ readonly branch: TraceBranch; readonly recorded: RecordedStep }> {
    const where = `step ${step}, attempt ${attempt}`;
    for (let isFresh = false; ; isFresh = true) {
      const branch = branchOf(reader);
      const recorded = step < branch.steps ? await reader.step(branch.id, step) : undefined;
      if (recorded !== undefined && attemptOf(recorded, attempt) !== undefined) return { branch, recorded };
      if (!isFresh) {
        await reader.read(signal);
        continue;
      }
      if (recorded === undefined || recorded.attempts.length === 0) {
        const steps = recorded === undefined ? branch.steps : step;
        const why = branch.end === undefined ? '' : ` (${quoted(branch.end.reason, 200).slice(1, -1)})`;
        throw noReply(
          `${title} ends after ${counted(steps, 'step')}${why} and has no reply for ${where}: limit the run to as many steps (--budget-steps, budget.steps), or go on from its trace with another model, by "replay" and "model" in launch.json.`,
        );
      }
      const last = recorded.attempts.at(-1);
      const how =
        last?.rejection === undefined
          ? 'the last one recorded there was taken, and here it was rejected: use the skill and the options of the recording'
          : `${counted(recorded.attempts.length, 'attempt')} ${recorded.attempts.length === 1 ? 'is' : 'are'} recorded there: allow as few retries as the recording did`;
      throw noReply(`${title} has no reply for ${where}: ${how}.`);
    }
  }

  return {
    name: ownName,
    async prepare(signal) {
      await recording(signal);
    },
    async *generate(request, signal) {
      signal.throwIfAborted();
      const reader = await recording(signal);
      const { step, attempt, prompt } = request;
      try {
        const { branch, recorded } = await stepOf(reader, request, signal);
        const record = attemptOf(recorded, attempt)?.record;
        if (record === undefined) throw new RangeError('The attempt is gone');
        if (record.prompt.characters !== prompt.length || record.prompt.sha256 !== sha256(prompt)) {
          const why = await difference(reader, { branch: branch.id, step, attempt, prompt });
          throw noReply(`${title} no longer fits at step ${step}, attempt ${attempt}: ${why}`);
        }
        signal.throwIfAborted();
        const { thinking, reply, finish, tokens } = record;
        if (thinking !== undefined && thinking !== '') yield { type: 'thinking', text: thinking };
        if (reply !== '') yield { type: 'text', text: reply };
        if (tokens.source === 'reported' || tokens.estimatedBy !== undefined)
          yield { type: 'usage', usage: usageOf(tokens) };
        if (finish !== undefined) yield { type: 'finish', reason: finish };
      } catch (error) {
        if (!(error instanceof TraceGap)) throw error;
        throw noReply(
          `${title} has lost its reply for step ${step}, attempt ${attempt}: ${error.message}`,
          error,
        );
      }
    },
  };
}

interface Asked {
  readonly branch: number;
  readonly step: number;
  readonly attempt: number;
  readonly prompt: string;
}

/** What differs between the prompt that was recorded and this one, and what to do about it. */
async function difference(reader: TraceReader, { branch, step, attempt, prompt }: Asked): Promise<string> {
  const same = 'run it with the skill, environment, seed and options of the recording.';
  const { text } = reader.header?.template ?? {};
  if (text !== undefined && text !== promptTemplate.text) {
    return 'the recording was made with another prompt template, by another version of this program.';
  }
  const recorded = await reader.promptOf(branch, step, attempt);
  const before = recorded.matches === false ? undefined : partsOf(recorded.prompt);
  if (before === undefined) {
    return 'its prompt there can no longer be put together from what it holds, so that nobody can tell what differs.';
  }
  const now = readPrompt(prompt);
  if (now === undefined) return `this prompt is none of a run: ${same}`;
  const edited = lastEdit(reader, branch, step);
  let advice = same;
  if (edited !== undefined) {
    advice = `the recording was edited by hand at step ${edited}, which a replay doesn't repeat.`;
  } else if (recorded.prompt.text.includes(redactedText) !== prompt.includes(redactedText)) {
    advice = 'one of the two has texts redacted: run it with the patterns of the recording.';
  }
  return `${promptDifference(before, now)}. ${advice.charAt(0).toUpperCase()}${advice.slice(1)}`;
}

/** By where the parts stand, since they may have what looks like parts in them. */
function partsOf({
  text,
  stateText,
  parts,
}: Awaited<ReturnType<TraceReader['promptOf']>>['prompt']): PromptParts {
  const at = ({ start, end }: { readonly start: number; readonly end: number }) => text.slice(start, end);
  return {
    instructions: at(parts.instructions),
    stateText,
    observation: at(parts.observation),
    ...(parts.correction && { correction: at(parts.correction) }),
  };
}

/** The latest step up to this one that somebody edited. */
function lastEdit(reader: TraceReader, branch: number, step: number): number | undefined {
  for (let at = step; at >= 0; at--) if (reader.summary(branch, at).edited) return at;
  return undefined;
}

function attemptOf({ attempts }: RecordedStep, attempt: number) {
  return attempts.findLast(({ record }) => record.attempt === attempt);
}

function usageOf({
  prompt,
  completion,
  cached,
  thinking,
  estimatedBy,
}: RecordedStep['attempts'][number]['record']['tokens']): ReportedUsage {
  return {
    prompt,
    completion,
    ...(cached !== undefined && { cached }),
    ...(thinking !== undefined && { thinking }),
    ...(estimatedBy !== undefined && { estimatedBy }),
  };
}

function noReply(message: string, cause?: unknown): ModelFailure {
  return new ModelFailure(message, { class: 'no-reply', retryable: false, cause });
}
