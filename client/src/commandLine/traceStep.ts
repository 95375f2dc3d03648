/** Everything that a trace tells about one step, for `skill-state trace show --step`. */
import type { JsonObject } from '../../../schemas/json/jsonValue';
import type { AttemptRecord } from '../../../schemas/trace/trace';
import { actingAfter } from '../runtime/acting';
import { takenText } from '../runtime/failureWords';
import { isFreeStep } from '../runtime/freeModels';
import { costPart, spendingDetail, spendingOf } from '../runtime/spending';
import { formatChange, stateChanges } from '../runtime/stateChanges';
import { TraceGap } from '../runtime/traceGap';
import type { RecordedStep, TraceReader } from '../runtime/traceReader';

/** A step with the states around it and the prompts in it; undefined what the trace has lost. */
export interface ShownStep {
  readonly recorded: RecordedStep;
  readonly state: JsonObject | undefined;
  readonly nextState: JsonObject | undefined;
  readonly prompts: readonly (string | undefined)[];
  /** What may not be as it was, a sentence each. */
  readonly doubts: readonly string[];
  /** Whether nobody charges for the model that answered. */
  readonly isFree: boolean;
  /** As what the model wrote its replies, where that isn't what the prompt asks for; undefined where it is. */
  readonly encoding: string | undefined;
}

/** Reads a step and what stands around it. @throws RangeError where the branch has no such step */
export async function readStep(reader: TraceReader, branch: number, step: number): Promise<ShownStep> {
  const recorded = await reader.step(branch, step);
  const doubts = new Set<string>();
  async function known<Value>(promise: Promise<Value>): Promise<Value | undefined> {
    try {
      return await promise;
    } catch (error) {
      if (!(error instanceof TraceGap)) throw error;
      doubts.add(error.message);
      return undefined;
    }
  }
  const state = await known(reader.stateAt(branch, step));
  const nextState = await known(reader.stateAt(branch, step + 1));
  if (!reader.isStateCertain(branch, step + 1))
    doubts.add(`The states around step ${step} may differ from these: lines before can't be read.`);
  const prompts: (string | undefined)[] = [];
  for (const { record } of recorded.attempts) {
    const made = await known(reader.promptOf(branch, step, record.attempt));
    prompts.push(made?.prompt.text);
    if (made?.matches === false) {
      doubts.add(
        `The prompt of step ${step}, attempt ${record.attempt}, isn't the one that was sent: its hash is another.`,
      );
    }
  }
  const isFree = isFreeStep(reader, branch, step);
  const encoding = encodingOf(reader, branch, step);
  return { recorded, state, nextState, prompts, doubts: [...doubts], isFree, encoding };
}

function encodingOf({ header, branches }: TraceReader, branch: number, step: number): string | undefined {
  const { acting = [] } = branches.find(({ id }) => id === branch) ?? {};
  if (header === undefined) return undefined;
  const before = acting.filter(({ from }) => from <= step);
  const { encoding } = actingAfter(header, before).model.settings;
  return encoding === 'json-schema' || encoding === 'operations' ? encoding : undefined;
}

/** For `--json`. */
export function stepDetails({ recorded, state, nextState, prompts }: ShownStep) {
  const { step, observation, attempts, commits, intent, outcome, warnings, edits } = recorded;
  return {
    step,
    observation,
    state: state ?? null,
    attempts: attempts.map(({ record, rejection }, index) => ({
      attempt: record.attempt,
      prompt: prompts[index] ?? null,
      failures: record.failures ?? [],
      thinking: record.thinking ?? null,
      reply: record.reply,
      finish: record.finish ?? null,
      tokens: record.tokens,
      cost: record.cost ?? null,
      ...(record.costAtMost !== undefined && { costAtMost: record.costAtMost }),
      rejection: rejection
        ? {
            class: rejection.class,
            message: rejection.message,
            pointer: rejection.pointer ?? null,
            schemaLocation: rejection.schemaLocation ?? null,
            offset: rejection.offset ?? null,
            exhausted: rejection.exhausted ?? null,
          }
        : null,
    })),
    edits: edits.map(({ target, phase, pointer, value }) => ({
      target,
      phase,
      pointer: pointer ?? null,
      ...(value !== undefined && { value }),
    })),
    commits: commits.map(({ by, patch, evicted }) => ({ by, patch, evicted: evicted ?? [] })),
    action: intent?.action ?? null,
    outcome: outcome
      ? { accepted: outcome.accepted, done: outcome.done, observation: outcome.observation }
      : null,
    warnings: warnings.map(({ class: warningClass, message, pointer }) => ({
      class: warningClass,
      message,
      pointer: pointer ?? null,
    })),
    nextState: nextState ?? null,
  };
}

/** For a person. */
export function stepLines({
  recorded,
  state,
  nextState,
  prompts,
  isFree,
  encoding,
}: ShownStep): readonly string[] {
  const { step, observation, attempts, intent, outcome, warnings, edits } = recorded;
  const way = encoding === undefined ? '' : `, written as ${encoding} and shown as the prompt asks`;
  const changes =
    state && nextState ? stateChanges(state, nextState).map(formatChange).join('\n') : undefined;
  return [
    `t=${step}`,
    ...section('Observation', observation),
    ...section('State', state ? JSON.stringify(state, undefined, 2) : unknown),
    ...edits.flatMap(({ target, pointer, value }) =>
      section(
        `Edited by hand, ${target}${pointer === undefined ? '' : ` at ${pointer || '(root)'}`}`,
        value === undefined ? '(deleted)' : typeof value === 'string' ? value : JSON.stringify(value),
      ),
    ),
    ...attempts.flatMap(({ record, rejection }, index) => [
      ...section(`Prompt, attempt ${record.attempt}`, prompts[index] ?? unknown),
      ...(record.failures
        ? section(
            `Requests that failed, attempt ${record.attempt}`,
            record.failures
              .map((failure) => `${failure.class}: ${failure.message}${takenText([failure])}`)
              .join('\n'),
          )
        : []),
      ...(record.thinking === undefined
        ? []
        : section(`Thinking, attempt ${record.attempt}, no part of the reply`, record.thinking)),
      ...section(
        `Reply, attempt ${record.attempt}${way}${endText(record)}: ${tokensLine(record, isFree)}`,
        record.reply,
      ),
      ...(rejection
        ? section(
            `Rejected, ${rejection.class}${rejection.pointer === undefined ? '' : ` at ${rejection.pointer || '(root)'}`}`,
            rejection.message,
          )
        : []),
    ]),
    ...section('State changes', changes === undefined ? unknown : changes || '(none)'),
    ...section('Action', intent?.action ?? '(none)'),
    ...section(
      'Outcome',
      outcome ? `${outcome.accepted ? 'accepted' : 'refused'}\n${outcome.observation}` : '(none)',
    ),
    ...warnings.flatMap((warning) => section(`Warning, ${warning.class}`, warning.message)),
  ];
}

/** Why the reply ended, where it didn't by itself. */
function endText({ finish }: AttemptRecord): string {
  return finish === undefined || finish === 'stop' ? '' : `, ended by ${finish}`;
}

function tokensLine(record: AttemptRecord, isFree: boolean): string {
  const spending = spendingOf([{ tokens: record.tokens, cost: record.cost, costAtMost: record.costAtMost }]);
  return `${spending.prompt} + ${spending.completion} tokens (${spendingDetail(spending)})${costPart(spending, isFree)}`;
}

const unknown = '(not known: the trace has lost it)';

function section(title: string, text: string): readonly string[] {
  return ['', `── ${title}`, ...text.split('\n')];
}
