/** Where going back leads: the places of earlier stops, found by the phases that were carried out. */
import type { PhaseReport } from '../runtime/execution';
import type { Journey, JourneyPlace } from '../runtime/journey';
import type { StopReason, StopRules } from './stopPolicy';

/** The part of a journey that looks back in it. */
export type PastReports = Pick<Journey, 'reportsOf'>;

/** A phase that was carried out, and the place before it. */
interface Past {
  readonly report: PhaseReport;
  readonly place: JourneyPlace;
}

/** The phases before a place on its line, the latest first. */
async function* before(journey: PastReports, { branch, step, index }: JourneyPlace): AsyncGenerator<Past> {
  let reports = await journey.reportsOf(branch, step);
  let until = index;
  for (let at = step; ; ) {
    for (let one = until - 1; one >= 0; one--) {
      const report = reports[one];
      if (report !== undefined) yield { report, place: { branch, step: at, index: one } };
    }
    if (at === 0) return;
    at--;
    reports = await journey.reportsOf(branch, at);
    until = reports.length;
  }
}

/** The phase carried out just before a place; undefined at the run's start. */
export async function reportBefore(
  journey: PastReports,
  place: JourneyPlace,
): Promise<PhaseReport | undefined> {
  for await (const { report } of before(journey, place)) return report;
  return undefined;
}

/**
 * The place that `stepBack` leads to: from just before an act, or a step's start, to just before the act before it, from
 * elsewhere in a step to its start. Undefined at the run's start.
 *
 * @param isAtAct whether the place is just before an act
 * @param turn called at every phase that is passed; ends the search by throwing
 */
export async function placeBefore(
  journey: PastReports,
  { branch, step, index }: JourneyPlace,
  isAtAct: boolean,
  turn: () => Promise<void>,
): Promise<JourneyPlace | undefined> {
  if (index > 0 && !isAtAct) return { branch, step, index: 0 };
  if (index === 0 && step === 0) return undefined;
  for await (const { report, place } of before(journey, { branch, step, index })) {
    await turn();
    if (report.phase === 'act') return place;
  }
  return { branch, step: 0, index: 0 };
}

/**
 * The latest place before another one at which a run going forward would have stopped, and why. Undefined where there is
 * none.
 *
 * @param turn called at every phase that is passed; ends the search by throwing
 */
export async function stopBefore(
  journey: PastReports,
  from: JourneyPlace,
  rules: () => StopRules,
  turn: (passed: JourneyPlace) => Promise<void>,
): Promise<{ readonly place: JourneyPlace; readonly reason: StopReason } | undefined> {
  // The phase that led to where the run stands now stopped it there already.
  let isFirst = true;
  for await (const { report, place } of before(journey, from)) {
    const stop = isFirst ? undefined : (await rules().hitsOf(report, place)).stop;
    isFirst = false;
    if (stop !== undefined) return { place: { ...place, index: place.index + 1 }, reason: stop };
    await turn(place);
  }
  return undefined;
}
