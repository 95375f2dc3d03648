/** Everything that the page shows of one step, in excerpts and bounded in number. */
import { formatPointer } from '../../../../schemas/json/jsonPointer';
import type { RequestSummary } from '../../../../schemas/messages/exchangeMessages';
import type {
  AttemptRow,
  StateChangeRow,
  StepDetail,
  ViolationRow,
} from '../../../../schemas/messages/runPanelMessages';
import { printableLine } from '../../../../schemas/text/printable';
import type { RejectionRecord } from '../../../../schemas/trace/trace';
import { failuresText, outcomeText } from '../../runtime/failureWords';
import { isFreeStep } from '../../runtime/freeModels';
import { type RecordedStep, TraceGap, type TraceReader } from '../../runtime/traceReader';
import { excerptLengths, lineExcerpt, proseExcerpt, textExcerpt, valueExcerpt } from './excerpts';
import { shownCost, stepRow } from './stepRows';
import { type WrittenPath, writtenPaths } from './writtenPaths';

/** The most of each kind that the page gets; the rest is counted, and can be opened. */
const detailLimits = {
  changes: 250,
  attempts: 50,
  violations: 50,
  warnings: 50,
  edits: 50,
  requests: 200,
} as const;

/** Where a rule of the state schema stands, such as `state.schema.yaml:12`; undefined where it is not known. */
export type RuleName = (schemaLocation: string) => string | undefined;

/** The writes of a step. */
export async function writesOf(
  reader: TraceReader,
  branch: number,
  recorded: RecordedStep,
): Promise<readonly WrittenPath[]> {
  const { step } = recorded;
  const [state, policies] = await Promise.all([
    reader.stateAt(branch, step),
    reader.policiesAt(branch, step),
  ]);
  return writtenPaths(state, recorded, policies);
}

/**
 * Of a step whose state is lost, all that is left is told. Rejects with a message for the user where the step itself is.
 *
 * @param requests what the session keeps of the step's requests, oldest first
 */
export async function stepDetail(
  reader: TraceReader,
  branch: number,
  step: number,
  ruleName: RuleName,
  requests: readonly RequestSummary[] = [],
): Promise<StepDetail> {
  const recorded = await reader.step(branch, step);
  const { writes, lost } = await knownWrites(reader, branch, recorded);
  const { attempts, warnings, edits, outcome, intent, observation } = recorded;
  const { chosen } = reader.summary(branch, step);
  return {
    branch,
    step,
    row: stepRow(reader, branch, step),
    observation: textExcerpt(observation),
    action: intent === undefined ? undefined : lineExcerpt(intent.action, excerptLengths.text),
    chosen: intent !== undefined || chosen === undefined ? undefined : lineExcerpt(chosen),
    outcome:
      outcome === undefined
        ? undefined
        : {
            accepted: outcome.accepted,
            done: outcome.done,
            skipped: outcome.skipped === true,
            observation: textExcerpt(outcome.observation),
          },
    attempts: attempts
      .slice(0, detailLimits.attempts)
      .map((attempt) => attemptRow(attempt, isFreeStep(reader, branch, step), ruleName)),
    attemptsLeftOut: Math.max(attempts.length - detailLimits.attempts, 0),
    requests: requests.slice(-detailLimits.requests).map((summary) => ({
      attempt: summary.attempt,
      request: summary.request,
      outcome: proseExcerpt(outcomeText(summary), excerptLengths.text),
      failed: summary.outcome === 'failed',
    })),
    changes: writes.slice(0, detailLimits.changes).map(changeRow),
    changesLeftOut: Math.max(writes.length - detailLimits.changes, 0),
    changesLost: lost === undefined ? undefined : proseExcerpt(lost, excerptLengths.text),
    warnings: warnings.slice(0, detailLimits.warnings).map((warning) => ({
      class: warning.class,
      message: proseExcerpt(warning.message, excerptLengths.text),
      pointer: warning.pointer === undefined ? undefined : lineExcerpt(warning.pointer),
    })),
    warningsLeftOut: Math.max(warnings.length - detailLimits.warnings, 0),
    edits: edits.slice(0, detailLimits.edits).map(({ target, pointer, value }) => ({
      target,
      pointer: lineExcerpt(pointer ?? ''),
      value: value === undefined ? undefined : valueExcerpt(value),
    })),
  };
}

async function knownWrites(
  reader: TraceReader,
  branch: number,
  recorded: RecordedStep,
): Promise<{ readonly writes: readonly WrittenPath[]; readonly lost: string | undefined }> {
  try {
    return { writes: await writesOf(reader, branch, recorded), lost: undefined };
  } catch (error) {
    if (!(error instanceof TraceGap)) throw error;
    return { writes: [], lost: error.message };
  }
}

function changeRow({ path, kind, by, before, after }: WrittenPath): StateChangeRow {
  return {
    pointer: lineExcerpt(formatPointer(path)),
    kind,
    by,
    before: before === undefined ? undefined : valueExcerpt(before),
    after: after === undefined || kind === 'unchanged' ? undefined : valueExcerpt(after),
    items:
      Array.isArray(before) && Array.isArray(after)
        ? { before: before.length, after: after.length }
        : undefined,
  };
}

function attemptRow(
  { record, rejection }: RecordedStep['attempts'][number],
  isFree: boolean,
  ruleName: RuleName,
): AttemptRow {
  const { tokens, cost, costAtMost, finish, failures = [] } = record;
  return {
    attempt: record.attempt,
    prompt: tokens.prompt,
    completion: tokens.completion,
    cached: tokens.cached ?? 0,
    thinking: tokens.thinking ?? 0,
    estimated: tokens.source === 'estimated',
    byExtension: tokens.estimatedBy === 'extension',
    cost: shownCost({ cost, knownCost: cost ?? 0, costAtMost }, tokens.source, isFree),
    finish: finish === undefined ? undefined : lineExcerpt(finish).text,
    failedRequests: failures.length === 0 ? undefined : failuresText(failures),
    rejection: rejection === undefined ? undefined : rejectionRow(rejection, ruleName),
  };
}

/** What was wrong with a reply: its violations, or the rejection itself where it is a single one. */
export function violationsOf(
  rejection: RejectionRecord,
): readonly { readonly pointer?: string; readonly schemaLocation?: string; readonly message: string }[] {
  const { violations = [], pointer, schemaLocation, message } = rejection;
  if (violations.length > 0) return violations;
  return [
    {
      message,
      ...(pointer !== undefined && { pointer }),
      ...(schemaLocation !== undefined && { schemaLocation }),
    },
  ];
}

function rejectionRow(rejection: RejectionRecord, ruleName: RuleName): AttemptRow['rejection'] {
  const violations = violationsOf(rejection);
  return {
    class: rejection.class,
    violations: violations.slice(0, detailLimits.violations).map(
      ({ pointer, message, schemaLocation }): ViolationRow => ({
        pointer:
          pointer === undefined ? undefined : lineExcerpt(pointer === '' ? '(the whole patch)' : pointer),
        message: proseExcerpt(message, excerptLengths.text),
        rule: schemaLocation === undefined ? undefined : ruleOf(schemaLocation, ruleName),
      }),
    ),
    leftOut: Math.max(violations.length - detailLimits.violations, 0),
    exhausted: rejection.exhausted !== undefined,
  };
}

function ruleOf(schemaLocation: string, ruleName: RuleName): string | undefined {
  const name = ruleName(schemaLocation);
  return name === undefined ? undefined : printableLine(name);
}
