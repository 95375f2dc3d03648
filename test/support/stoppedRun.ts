/** Goes over a run and notes where the rules of the debugger stop it. */
import type { BreakpointStore } from '../../client/src/debug/breakpoints';
import type { StepHistory } from '../../client/src/debug/hitCounts';
import { SkillPaths } from '../../client/src/debug/skillPaths';
import { type Goal, type PhasePlace, reachesGoal, type StopReason } from '../../client/src/debug/stopPolicy';
import { RunStopRules, type StopPoints } from '../../client/src/debug/stopRules';
import type { PhaseReport } from '../../client/src/runtime/execution';
import type { Budget } from '../../client/src/runtime/options';
import type { Skill } from '../../schemas/skill/skill';
import { type MemoryRunOptions, memoryRun } from './memoryRun';

/** Sets breakpoints on lines of a skill's file, which is at `/s/<file>`; lines count from 0. */
export function setLines(
  points: StopPoints,
  skill: Skill,
  file: string,
  wanted: Parameters<BreakpointStore['set']>[1],
): ReturnType<BreakpointStore['set']> {
  const paths = new SkillPaths(
    '/s',
    skill.files.map(({ path }) => path),
  );
  const currentText = async (path: string) => skill.files.find((one) => one.path === path)?.text;
  return points.source.set(`/s/${file}`, wanted, () => ({ skill, paths, currentText }));
}

/** The phases of a whole run with where each began. */
export interface WalkedRun {
  readonly skill: Skill;
  readonly phases: readonly { readonly report: PhaseReport; readonly place: PhasePlace }[];
}

export async function walkedRun(settings: MemoryRunOptions = {}): Promise<WalkedRun> {
  const { execution, skill } = await memoryRun({
    ...settings,
    options: { horizon: 3, seed: 42, ...settings.options },
  });
  const { signal } = new AbortController();
  let run = await execution.start(signal);
  const phases: { report: PhaseReport; place: PhasePlace }[] = [];
  let index = 0;
  while (!run.end) {
    const report = await execution.advance(signal);
    phases.push({ report, place: { branch: 0, step: report.before.step, index } });
    run = report.after;
    index = run.step === report.before.step ? index + 1 : 0;
  }
  return { skill, phases };
}

/** Nothing is known of what was before: hits count from where the run is begun to be gone over. */
const noHistory: StepHistory = { branches: [], reportsOf: async () => [] };

/** What `reportsOf` gives of a run that has one branch. */
export function historyOf({ phases }: WalkedRun): StepHistory {
  return {
    branches: [{ id: 0 }],
    reportsOf: async (_branch, step) =>
      phases.filter(({ place }) => place.step === step).map(({ report }) => report),
  };
}

export interface NotedStops {
  /** `t phase reason`, by the phase that comes next. */
  readonly stops: readonly string[];
  readonly reasons: readonly StopReason[];
  readonly logs: readonly string[];
  readonly told: readonly string[];
}

/** Where a run stops that is begun with a goal, and goes on with it after every stop. */
export async function notedStops(
  run: WalkedRun,
  points: StopPoints,
  options: {
    readonly goal?: Goal;
    readonly budget?: Budget;
    readonly history?: StepHistory;
    readonly backward?: boolean;
  } = {},
): Promise<NotedStops> {
  const { goal = 'continue', budget = {}, history = noHistory, backward = false } = options;
  const told: string[] = [];
  const rules = new RunStopRules({
    points,
    schema: run.skill.stateSchema,
    budget,
    history,
    yieldToMessages: async () => {},
    tell: (text) => told.push(text),
  });
  const stops: string[] = [];
  const reasons: StopReason[] = [];
  const logs: string[] = [];
  let origin = 0;
  for (const { report, place } of backward ? [...run.phases].reverse() : run.phases) {
    const hits = await rules.hitsOf(report, place);
    logs.push(...hits.logs.map(({ text }) => text));
    const reason: StopReason | undefined =
      hits.stop ?? (reachesGoal(report, { goal, origin }) ? { kind: 'step' } : undefined);
    if (reason === undefined) continue;
    const { after } = report;
    stops.push(`${after.step} ${after.phase} ${nameOf(reason)}`);
    reasons.push(reason);
    origin = after.step;
  }
  return { stops, reasons, logs, told };
}

function nameOf(reason: StopReason): string {
  if (reason.kind === 'exception') return reason.exception.filter;
  return reason.kind === 'breakpoint' ? reason.reason : reason.kind;
}
