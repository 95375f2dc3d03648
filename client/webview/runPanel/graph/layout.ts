/** From bars and a viewport to lines and boxes: the geometry of the token graph. Free of the DOM, for tests and exports. */
import { nice, ticks } from 'd3-array';
import {
  type GraphBin,
  type StepFilter,
  type TokenPart,
  tokenParts,
  totalOf,
} from '../../../../schemas/messages/runPanelMessages';
import { assertNever } from '../../../../schemas/text/assertNever';
import type { Viewport } from './viewport';

export interface GraphSize {
  readonly width: number;
  readonly height: number;
}

/** What to draw. */
export interface GraphContent {
  /** In order of steps, without holes. */
  readonly bins: readonly GraphBin[];
  /** Tokens before the first of them. */
  readonly before: number;
  readonly view: Viewport;
  readonly size: GraphSize;
  readonly cumulative: boolean;
  /** Bars without a step that passes it step back. */
  readonly filter: StepFilter;
}

/** A label of an axis, at the tick's place. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** A bar's box, from the axis up. */
export interface Bar {
  readonly bin: GraphBin;
  readonly x: number;
  readonly width: number;
  readonly top: number;
}

export type MarkKind = 'rejected' | 'warned' | 'fork';

export interface Mark {
  readonly kind: MarkKind;
  readonly x: number;
  readonly y: number;
}

export interface GraphLayout {
  /** The area of the bars. */
  readonly plot: {
    readonly left: number;
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
  };
  readonly bars: readonly Bar[];
  /** An SVG path for all boxes of a part. */
  readonly parts: Readonly<Record<TokenPart, string>>;
  /** The same for the bars that step back, all parts in one. */
  readonly faint: string;
  /** The same for what rejected attempts took: the upper end of its bar. */
  readonly retried: string;
  /** Where bars are of several steps: the area below the largest step of each. */
  readonly peaks: string;
  /** Where there is room for them; else boxes say the same. */
  readonly marks: readonly Mark[];
  readonly markBoxes: Readonly<Record<MarkKind, string>>;
  /** The running total; empty where it is off. */
  readonly line: string;
  readonly steps: readonly Tick[];
  readonly tokens: readonly Tick[];
  readonly totals: readonly Tick[];
}

const axisWidth = 46;
/** Below the bars: marks, then labels. */
const markHeight = 12;
const labelHeight = 18;

/** The area of the bars in a graph of a size. */
export function plotArea({ width, height }: GraphSize, cumulative: boolean): GraphLayout['plot'] {
  return {
    left: axisWidth,
    top: 12,
    right: Math.max(width - (cumulative ? axisWidth : 10), axisWidth + 1),
    bottom: Math.max(height - markHeight - labelHeight, 13),
  };
}

/** The step that stands at a horizontal place, as a real number. */
export function stepAt(x: number, { from, to }: Viewport, { left, right }: GraphLayout['plot']): number {
  return from + ((x - left) / (right - left)) * (to - from);
}

/** Where a step begins. */
export function placeOf(step: number, { from, to }: Viewport, { left, right }: GraphLayout['plot']): number {
  return left + ((step - from) / (to - from)) * (right - left);
}

/** Lays a graph out. Bars of several steps show the mean of a step, so that zooming doesn't change heights. */
export function layOut(content: GraphContent): GraphLayout {
  const { bins, view, size, cumulative } = content;
  const plot = plotArea(size, cumulative);
  const shown = bins.filter(({ from, to }) => to > view.from && from < view.to);
  const highest = shown.reduce(
    (most, bin) => Math.max(most, bin.to - bin.from > 1 ? bin.peak : meanOf(bin)),
    0,
  );
  // The axis ends above the highest bar, at a round number.
  const [, top] = nice(0, Math.max(highest, 1), 5);
  const heightOf = (tokens: number) => (tokens / top) * (plot.bottom - plot.top);

  const bars = shown.map((bin): Bar => {
    const start = Math.max(placeOf(bin.from, view, plot), plot.left);
    const end = Math.min(placeOf(bin.to, view, plot), plot.right);
    // Narrow bars run together: gaps of a pixel here and none there would flicker.
    const gap = end - start < 5 ? 0 : Math.min((end - start) * 0.2, 3);
    return {
      bin,
      x: round(start + gap / 2),
      width: Math.max(round(end - start - gap), 0.5),
      top: round(plot.bottom - heightOf(meanOf(bin))),
    };
  });

  return {
    plot,
    bars,
    ...boxPaths(bars, content.filter, plot.bottom, heightOf),
    peaks: bars
      .filter(({ bin }) => bin.to - bin.from > 1)
      .map(
        ({ bin, x, width }) =>
          `M${x} ${plot.bottom}V${round(plot.bottom - heightOf(bin.peak))}h${width}V${plot.bottom}z`,
      )
      .join(''),
    ...marksOf(bars, plot.bottom),
    ...totalsLine(content, plot),
    // Of a run without steps none is named.
    steps: bars.length > 0 ? stepTicks(view, plot) : [],
    // A run without tokens has no scale.
    tokens: (highest > 0 ? ticks(0, top, tickCount(plot)) : []).map((value) => ({
      at: round(plot.bottom - heightOf(value)),
      label: shortNumber(value),
    })),
  };
}

function meanOf(bin: GraphBin): number {
  return totalOf(bin.tokens) / Math.max(bin.to - bin.from, 1);
}

function boxPaths(
  bars: readonly Bar[],
  filter: StepFilter,
  bottom: number,
  heightOf: (tokens: number) => number,
): Pick<GraphLayout, 'parts' | 'faint' | 'retried'> {
  const paths = { instructions: '', scaffold: '', state: '', observation: '', output: '' };
  let retried = '';
  let faint = '';
  for (const { bin, x, width, top } of bars) {
    if (!passes(bin, filter)) {
      faint += `M${x} ${bottom}V${top}h${width}V${bottom}z`;
      continue;
    }
    const steps = Math.max(bin.to - bin.from, 1);
    const total = totalOf(bin.tokens);
    // What was rejected stands on top. How it splits into parts isn't known: as the whole does.
    const share = total > 0 ? 1 - Math.min(bin.tokens.retried / total, 1) : 1;
    let sum = 0;
    let lower = bottom;
    for (const part of tokenParts) {
      sum += bin.tokens[part] * share;
      const upper = round(bottom - heightOf(sum / steps));
      if (upper < lower) paths[part] += `M${x} ${lower}V${upper}h${width}V${lower}z`;
      lower = Math.min(upper, lower);
    }
    if (bin.tokens.retried > 0 && top < lower) retried += `M${x} ${lower}V${top}h${width}V${lower}z`;
  }
  return { parts: paths, faint, retried };
}

/** Whether a bar has a step that passes a filter. */
export function passes({ rejections, warnings }: GraphBin, filter: StepFilter): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'rejections':
      return rejections > 0;
    case 'warnings':
      return warnings > 0;
    case 'either':
      return rejections + warnings > 0;
    default:
      return assertNever(filter);
  }
}

/** Pixels that a mark takes in width. */
const markWidth = 9;

function marksOf(bars: readonly Bar[], bottom: number): Pick<GraphLayout, 'marks' | 'markBoxes'> {
  const marks: Mark[] = [];
  const boxes = { rejected: '', warned: '', fork: '' };
  for (const { bin, x, width } of bars) {
    const kinds: MarkKind[] = [];
    if (bin.rejections > 0) kinds.push('rejected');
    if (bin.warnings > 0) kinds.push('warned');
    if (bin.forks > 0) kinds.push('fork');
    if (kinds.length * markWidth <= width + 2) {
      const middle = x + width / 2;
      const y = bottom + markHeight / 2;
      for (const [index, kind] of kinds.entries())
        marks.push({ kind, x: round(middle + (index - (kinds.length - 1) / 2) * markWidth), y });
    } else {
      // A row of its own for each kind.
      for (const kind of kinds) boxes[kind] += `M${x} ${bottom + markRows[kind]}h${width}v3h${-width}z`;
    }
  }
  return { marks, markBoxes: boxes };
}

const markRows: Readonly<Record<MarkKind, number>> = { rejected: 1.5, warned: 5, fork: 8.5 };

interface TotalPoint {
  readonly x: number;
  readonly total: number;
}

function totalsLine(
  { bins, before, view, cumulative }: GraphContent,
  plot: GraphLayout['plot'],
): Pick<GraphLayout, 'line' | 'totals'> {
  if (!cumulative || bins.length === 0) return { line: '', totals: [] };
  const points: TotalPoint[] = [];
  let total = before;
  for (const bin of bins) {
    if (points.length === 0) points.push({ x: placeOf(bin.from, view, plot), total });
    total += bin.tokens.spent;
    points.push({ x: placeOf(bin.to, view, plot), total });
  }
  const inView = points.filter(
    ({ x }, index) => (points[index + 1]?.x ?? x) >= plot.left && (points[index - 1]?.x ?? x) <= plot.right,
  );
  const [, top] = nice(0, Math.max(inView.at(-1)?.total ?? 1, 1), 5);
  const placed = ({ x, total: sum }: TotalPoint) =>
    `${round(x)} ${round(plot.bottom - (sum / top) * (plot.bottom - plot.top))}`;
  return {
    line: inView.length === 0 ? '' : `M${cutToPlot(inView, plot).map(placed).join('L')}`,
    totals: ticks(0, top, tickCount(plot)).map((value) => ({
      at: round(plot.bottom - (value / top) * (plot.bottom - plot.top)),
      label: shortNumber(value),
    })),
  };
}

/** The line ends where the plot does: of its first and last stretch, what lies within stays. */
function cutToPlot(
  points: readonly TotalPoint[],
  { left, right }: GraphLayout['plot'],
): readonly TotalPoint[] {
  const at = (x: number, a: TotalPoint, b: TotalPoint): TotalPoint => ({
    x,
    total: a.total + ((x - a.x) / (b.x - a.x)) * (b.total - a.total),
  });
  return points.map((point, index) => {
    const next = points[index + 1];
    const previous = points[index - 1];
    if (point.x < left && next !== undefined) return at(left, point, next);
    if (point.x > right && previous !== undefined) return at(right, previous, point);
    return point;
  });
}

function tickCount({ top, bottom }: GraphLayout['plot']): number {
  return Math.max(Math.min(Math.floor((bottom - top) / 28), 6), 1);
}

/** Whole steps only, in the middle of their bar where bars are single steps wide. */
function stepTicks(view: Viewport, plot: GraphLayout['plot']): readonly Tick[] {
  const perStep = (plot.right - plot.left) / (view.to - view.from);
  const count = Math.max(Math.floor((plot.right - plot.left) / 80), 1);
  return ticks(Math.max(view.from, 0), view.to, count)
    .filter((step) => Number.isInteger(step))
    .map((step) => ({
      at: round(placeOf(step, view, plot) + perStep / 2),
      label: step.toLocaleString('en-US'),
    }))
    .filter(({ at }) => at >= plot.left && at <= plot.right - 4);
}

/** `950`, `1.5k`, `20k`, `3M`: at most four characters of figures. */
export function shortNumber(value: number): string {
  for (const [unit, name] of units) {
    if (value < unit) continue;
    const scaled = value / unit;
    return `${Number(scaled.toFixed(scaled < 10 ? 2 : scaled < 100 ? 1 : 0))}${name}`;
  }
  return String(Number(value.toFixed(value < 10 ? 1 : 0)));
}

const units = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** A hundredth of a pixel is finer than any screen, and keeps paths short. */
function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The outline of a mark around (0, 0): the kinds differ in shape too, not in colour alone. */
export const markPaths: Readonly<Record<MarkKind, string>> = {
  rejected: 'M-3 -3L3 3M3 -3L-3 3',
  warned: 'M0 -3.5L3.5 3H-3.5z',
  fork: 'M0 -3.5L3.5 0L0 3.5L-3.5 0z',
};
