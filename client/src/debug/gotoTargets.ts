/** Where a line of the skill can lead to: the steps that chose the action, or wrote the property, declared on it. */
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonValue } from '../../../schemas/json/jsonValue';
import { matchAction } from '../../../schemas/skill/actionMatch';
import type { Skill } from '../../../schemas/skill/skill';
import type { ChainedRecord } from '../../../schemas/trace/trace';
import type { Journey, JourneyPlace } from '../runtime/journey';

/** So many steps are offered at most. */
const mostTargets = 100;

/** So many steps are looked through at most, from the last one back. */
const mostSteps = 20_000;

/** After so many steps, messages that arrived get their turn. */
const stepsInARow = 200;

/** Values of a patch that are looked at. */
const mostValues = 10_000;

export interface StepTarget {
  readonly step: number;
  /** As a person reads it in a list. */
  readonly label: string;
  /** The phase before which to stop. */
  readonly phase: 'act' | 'merge';
}

/** What stands on a line, 0-based, of one of the skill's files. */
export interface SkillLine {
  readonly path: string;
  readonly line: number;
}

/**
 * The steps of a line of history that a line of the skill is about, newest first.
 *
 * @param journey at its cursor's branch
 * @param pause lets others have their turn
 */
export async function stepTargets(
  journey: Pick<Journey, 'branches' | 'position' | 'recordsOf' | 'skill'>,
  { path, line }: SkillLine,
  pause: () => Promise<void>,
): Promise<readonly StepTarget[]> {
  const { branch } = journey.position;
  const describe = describerOf(journey.skill, path, line);
  if (describe === undefined) return [];
  const steps = journey.branches.find(({ id }) => id === branch)?.steps ?? 0;
  const targets: StepTarget[] = [];
  for (let step = steps - 1; step >= Math.max(0, steps - mostSteps); step--) {
    const target = describe(await journey.recordsOf(branch, step), step);
    if (target !== undefined) targets.push(target);
    if (targets.length === mostTargets) break;
    if ((steps - step) % stepsInARow === 0) await pause();
  }
  return targets;
}

type Describer = (records: readonly ChainedRecord[], step: number) => StepTarget | undefined;

function describerOf(skill: Skill, path: string, line: number): Describer | undefined {
  const signatures = skill.actions.filter(({ file, range }) => file === path && range.start.line === line);
  if (signatures.length > 0) {
    return (records, step) => {
      const intent = records.findLast((record) => record.kind === 'intent');
      if (intent?.kind !== 'intent') return undefined;
      const match = matchAction(skill.actions, intent.action);
      if (!match.ok || !signatures.includes(match.signature)) return undefined;
      return { step, phase: 'act', label: `step ${step}: ${intent.action}` };
    };
  }
  const pointer = skill.stateSchema.propertyAtLine(line, path)?.pointer;
  if (pointer === undefined) return undefined;
  return (records, step) => {
    for (const record of records.toReversed()) {
      if (record.kind !== 'commit') continue;
      const written = firstWritten(record.patch, (at) => skill.stateSchema.pointersAt(at).includes(pointer));
      if (written !== undefined) return { step, phase: 'merge', label: `step ${step}: ${written}` };
    }
    return undefined;
  };
}

/** The first path of a patch of which something is true, with what is written there. */
function firstWritten(patch: JsonValue, isIt: (path: JsonPath) => boolean): string | undefined {
  const open: { readonly path: readonly string[]; readonly value: JsonValue }[] = [
    { path: [], value: patch },
  ];
  for (let walked = 0; walked < mostValues; walked++) {
    const next = open.pop();
    if (next === undefined) return undefined;
    const { path, value } = next;
    if (path.length > 0 && isIt(path)) return `${path.join('.')} = ${shortened(JSON.stringify(value))}`;
    if (!isJsonObject(value)) continue;
    for (const [key, child] of Object.entries(value)) open.push({ path: [...path, key], value: child });
  }
  return undefined;
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The place of a step just before its last phase of a kind; its start where it has none. */
export async function placeOfPhase(
  journey: Pick<Journey, 'reportsOf'>,
  {
    branch,
    step,
    phase,
  }: { readonly branch: number; readonly step: number; readonly phase: 'observe' | 'act' | 'merge' },
): Promise<JourneyPlace> {
  if (phase === 'observe') return { branch, step, index: 0 };
  const reports = await journey.reportsOf(branch, step);
  const carriedOut = reports.findLastIndex((report) => report.phase === phase);
  const comesNext = reports.at(-1)?.after;
  if (carriedOut >= 0) return { branch, step, index: carriedOut };
  const isNext = comesNext?.phase === phase && comesNext.step === step;
  return { branch, step, index: isNext ? reports.length : 0 };
}
