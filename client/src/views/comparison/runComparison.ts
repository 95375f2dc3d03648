/** Two runs, or two branches of one, beside each other: where they part, and what became of each. Free of VS Code. */
import { isJsonObject, type JsonValue } from '../../../../schemas/json/jsonValue';
import type { Cost } from '../../../../schemas/text/spending';
import type { RecordedScore } from '../../../../schemas/trace/trace';
import { actingAfter } from '../../runtime/acting';
import { chargedCost } from '../../runtime/freeModels';
import { jsonEqual } from '../../runtime/jsonEquality';
import type { Totals } from '../../runtime/runState';
import { type StateChange, stateChanges } from '../../runtime/stateChanges';
import type { RecordedStep, StepSummary, TraceBranch, TraceReader } from '../../runtime/traceReader';

/** One of the runs that are compared. */
export interface ComparedRun {
  readonly reader: TraceReader;
  readonly branch: number;
}

/** A setting that the runs were not made with alike. */
export interface SetupDifference {
  readonly name: string;
  readonly left: string;
  readonly right: string;
}

export type StepAspect = 'state' | 'observation' | 'patch' | 'action' | 'outcome';

/** A step of both runs; a side that has ended has none. */
export interface ComparedStep {
  readonly step: number;
  readonly left: StepSummary | undefined;
  readonly right: StepSummary | undefined;
  /** How Σ after the step differs; undefined where a side has none. */
  readonly changes: readonly StateChange[] | undefined;
}

export interface RunOutcome {
  readonly steps: number;
  readonly end: TraceBranch['end'];
  readonly totals: Totals;
  readonly score: RecordedScore | undefined;
  /** Undefined where nobody charges for the models that answered. */
  readonly cost: Cost | undefined;
}

export interface RunComparison {
  readonly setup: readonly SetupDifference[];
  readonly left: RunOutcome;
  readonly right: RunOutcome;
  /** The first step in which they aren't alike, and in what; undefined where they are alike to the end. */
  readonly first: { readonly step: number; readonly aspects: readonly StepAspect[] } | undefined;
  /** Steps from the first difference on. */
  readonly steps: readonly ComparedStep[];
  /** How many more there are. */
  readonly stepsLeftOut: number;
}

/** How many steps are compared one by one. */
const maxComparedSteps = 100;

/** How many steps are looked at before others have their turn. */
const stepsAtOnce = 20;

/**
 * Compares two runs that have been read.
 *
 * @param pause lets others have their turn
 * @throws what `signal` was aborted with
 */
export async function compareRuns(
  left: ComparedRun,
  right: ComparedRun,
  { pause, signal }: { readonly pause: () => Promise<void>; readonly signal: AbortSignal },
): Promise<RunComparison> {
  const [leftBranch, rightBranch] = [branchOf(left), branchOf(right)];
  const setup = setupDifferences(left, right);
  const common = Math.min(leftBranch.steps, rightBranch.steps);
  const longer = Math.max(leftBranch.steps, rightBranch.steps);
  let first: RunComparison['first'];
  for (let step = sharedSteps(left, right); step < longer && first === undefined; step++) {
    if (step >= common) {
      // One of them has ended here.
      first = { step, aspects: [] };
      break;
    }
    const aspects = await differences(left, right, step);
    if (aspects.length > 0) first = { step, aspects };
    if (step % stepsAtOnce === 0) await pause();
    signal.throwIfAborted();
  }
  const from = first?.step ?? longer;
  const to = Math.min(longer, from + maxComparedSteps);
  const steps: ComparedStep[] = [];
  for (let step = from; step < to; step++) {
    const isCommon = step < common;
    steps.push({
      step,
      left: step < leftBranch.steps ? left.reader.summary(left.branch, step) : undefined,
      right: step < rightBranch.steps ? right.reader.summary(right.branch, step) : undefined,
      changes: isCommon
        ? stateChanges(
            await left.reader.stateAt(left.branch, step + 1),
            await right.reader.stateAt(right.branch, step + 1),
          )
        : undefined,
    });
    if (step % stepsAtOnce === 0) await pause();
    signal.throwIfAborted();
  }
  return {
    setup,
    left: await outcomeOf(left, leftBranch),
    right: await outcomeOf(right, rightBranch),
    first,
    steps,
    stepsLeftOut: longer - to,
  };
}

function branchOf({ reader, branch }: ComparedRun): TraceBranch {
  const found = reader.branches.find(({ id }) => id === branch);
  if (found === undefined) throw new RangeError(`The trace has no branch ${branch}.`);
  return found;
}

/** How many steps two branches of one trace have in common, and needn't be compared. */
function sharedSteps(left: ComparedRun, right: ComparedRun): number {
  if (left.reader !== right.reader) return 0;
  const branches = new Map(left.reader.branches.map((branch) => [branch.id, branch]));
  /** Each branch that a line comes through, with the step up to which it is the line's. */
  const line = (branch: number): ReadonlyMap<number, number> => {
    const until = new Map<number, number>();
    let end = Number.POSITIVE_INFINITY;
    for (let at = branches.get(branch); at !== undefined && !until.has(at.id); ) {
      until.set(at.id, end);
      end = at.parent?.step ?? 0;
      at = at.parent && branches.get(at.parent.branch);
    }
    return until;
  };
  const rightLine = line(right.branch);
  for (const [branch, leftEnd] of line(left.branch)) {
    const rightEnd = rightLine.get(branch);
    if (rightEnd === undefined) continue;
    const shared = Math.min(leftEnd, rightEnd);
    return Number.isFinite(shared) ? shared : 0;
  }
  return 0;
}

async function differences(
  left: ComparedRun,
  right: ComparedRun,
  step: number,
): Promise<readonly StepAspect[]> {
  const [a, b] = await Promise.all([
    left.reader.step(left.branch, step),
    right.reader.step(right.branch, step),
  ]);
  // A step that a run still stands in is compared as far as it has come.
  const isUnfinished = [left, right].some(
    ({ reader, branch }) => reader.summary(branch, step).status === 'running',
  );
  const aspects: StepAspect[] = [];
  // Equal steps lead from equal states to equal ones, so that those before the first difference need no look.
  if (
    step === 0 &&
    !jsonEqual(await left.reader.stateAt(left.branch, 0), await right.reader.stateAt(right.branch, 0))
  )
    aspects.push('state');
  if (a.observation !== b.observation) aspects.push('observation');
  // Changes by hand stand in the trace at once; a patch only when its step is under way to its end.
  const isYetToWrite = isUnfinished && (a.commits.length === 0 || b.commits.length === 0);
  if (!jsonEqual(editsOf(a), editsOf(b)) || !(isYetToWrite || jsonEqual(commitsOf(a), commitsOf(b))))
    aspects.push('patch');
  if (!isUnfinished && a.intent?.action !== b.intent?.action) aspects.push('action');
  const isOtherOutcome =
    a.outcome?.accepted !== b.outcome?.accepted || a.outcome?.observation !== b.outcome?.observation;
  if (!isUnfinished && isOtherOutcome) aspects.push('outcome');
  return aspects;
}

/** What the model and the environment wrote into Σ in a step. */
function commitsOf({ commits }: RecordedStep): JsonValue {
  return commits.map(({ by, patch }) => [by, patch]);
}

/** What was changed by hand in a step; a deletion has no value. */
function editsOf({ edits }: RecordedStep): JsonValue {
  return edits.map(({ target, pointer = '', value }) => [
    target,
    pointer,
    ...(value === undefined ? [] : [value]),
  ]);
}

async function outcomeOf(run: ComparedRun, branch: TraceBranch): Promise<RunOutcome> {
  const { steps, end } = branch;
  const totals = run.reader.totals(run.branch, steps);
  const score = end?.score ?? (steps === 0 ? undefined : await lastScore(run, steps - 1));
  return { steps, end, totals, score, cost: chargedCost(run.reader, run.branch, steps) };
}

async function lastScore({ reader, branch }: ComparedRun, step: number): Promise<RecordedScore | undefined> {
  for (let at = step; at >= Math.max(0, step - 1); at--) {
    const { outcome } = await reader.step(branch, at);
    if (outcome?.score !== undefined) return outcome.score;
  }
  return undefined;
}

function setupDifferences(left: ComparedRun, right: ComparedRun): readonly SetupDifference[] {
  const [a, b] = [setupOf(left), setupOf(right)];
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((name) => {
    const [leftValue, rightValue] = [a.get(name) ?? 'none', b.get(name) ?? 'none'];
    return leftValue === rightValue ? [] : [{ name, left: leftValue, right: rightValue }];
  });
}

/** What a run was made with, as far as two may differ in it: who acted last, where others went on. */
function setupOf({ reader, branch }: ComparedRun): ReadonlyMap<string, string> {
  const { header } = reader;
  const setup = new Map<string, string>();
  if (header === undefined) return setup;
  setup.set('skill', header.skill.name);
  setup.set('runtime', header.runtime);
  const { skill, acting: changes = [] } = reader.branches.find(({ id }) => id === branch) ?? {};
  for (const { path, sha256 } of skill ?? header.skill.files) setup.set(path, sha256.slice(0, 12));
  const acting = actingAfter(header, changes);
  for (const kind of ['environment', 'model'] as const) {
    setup.set(kind, acting[kind].name);
    for (const [name, value] of Object.entries(acting[kind].settings))
      setup.set(`${kind}.${name}`, String(value));
  }
  for (const [name, value] of Object.entries(header.options)) {
    if (!isJsonObject(value)) setup.set(name, String(value));
    else for (const [inner, one] of Object.entries(value)) setup.set(`${name}.${inner}`, String(one));
  }
  return setup;
}
