/** The stretch of steps that a graph shows, as a half-open interval of real numbers; step t takes [t, t + 1). */

export interface Viewport {
  readonly from: number;
  readonly to: number;
}

/** The fewest steps that zooming in shows. */
const leastSpan = 6;

/** All steps; a graph of few steps has room for more, so that a bar isn't as wide as the page. */
export function wholeRun(steps: number): Viewport {
  return { from: 0, to: Math.max(steps, leastSpan) };
}

/** Whether nothing lies outside. */
export function showsAll(view: Viewport, steps: number): boolean {
  const whole = wholeRun(steps);
  return view.from <= whole.from && view.to >= whole.to;
}

/** The nearest stretch that lies within the run. */
export function clamped({ from, to }: Viewport, steps: number): Viewport {
  const whole = wholeRun(steps);
  const span = Math.min(Math.max(to - from, leastSpan), whole.to);
  const start = Math.min(Math.max(from, 0), whole.to - span);
  return { from: start, to: start + span };
}

/** `factor` 2 shows twice as many steps; the step at `anchor` stays where it is on the screen. */
export function zoomed(view: Viewport, factor: number, anchor: number, steps: number): Viewport {
  const span = Math.max((view.to - view.from) * factor, leastSpan);
  const share = (anchor - view.from) / (view.to - view.from);
  const from = anchor - share * span;
  return clamped({ from, to: from + span }, steps);
}

/** As {@link zoomed}, around a step that stays in view as a whole; where there is none in view, around the middle. */
export function zoomedAround(
  view: Viewport,
  factor: number,
  step: number | undefined,
  steps: number,
): Viewport {
  if (step === undefined || step + 1 <= view.from || step >= view.to)
    return zoomed(view, factor, (view.from + view.to) / 2, steps);
  const { from, to } = zoomed(view, factor, step + 0.5, steps);
  return panned({ from, to }, Math.min(step - from, 0) + Math.max(step + 1 - to, 0), steps);
}

/** The view moved by so many steps, as far as there are any. */
export function panned(view: Viewport, by: number, steps: number): Viewport {
  return clamped({ from: view.from + by, to: view.to + by }, steps);
}

/** The least move after which a step can be seen; the view itself where it can be already. */
export function revealing(view: Viewport, step: number, steps: number): Viewport {
  if (step >= view.from && step + 1 <= view.to) return view;
  const margin = Math.min((view.to - view.from) / 10, 20);
  const by = step < view.from ? step - margin - view.from : step + 1 + margin - view.to;
  return panned(view, Math.trunc(by), steps);
}

/** How many steps make a bar, so that no bar is narrower than `leastWidth` pixels: 1, 2, 5, 10, 20, … */
export function stepsPerBar({ from, to }: Viewport, pixels: number, leastWidth: number): number {
  const needed = ((to - from) * leastWidth) / Math.max(pixels, 1);
  if (needed <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(needed));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= needed) ?? 10;
  return factor * power;
}
