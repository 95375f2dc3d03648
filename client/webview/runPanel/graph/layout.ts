/** From bars and a viewport to lines and boxes: the geometry of the token graph. Free of the DOM, for tests and exports. */
import { nice, ticks } from 'd3-array';
import {
  type GraphBin,
  type TokenPart,
  tokenParts,
  totalOf,
} from '../../../../schemas/messages/runPanelMessages';
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
  /** The same for what rejected attempts took: the upper end of its bar. */
  readonly retried: string;
  /** The largest step of each bar of several. */
  readonly peaks: string;
  readonly marks: readonly Mark[];
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
  const hasPeaks = shown.some(({ from, to }) => to - from > 1);
  const highest = shown.reduce((most, bin) => Math.max(most, hasPeaks ? bin.peak : meanOf(bin)), 0);
  const [, top] = nice(0, Math.max(highest, 1), 5);
  const heightOf = (tokens: number) => (tokens / top) * (plot.bottom - plot.top);

  const bars = shown.map((bin): Bar => {
    const start = Math.max(placeOf(bin.from, view, plot), plot.left);
    const end = Math.min(placeOf(bin.to, view, plot), plot.right);
    const gap = Math.min((end - start) * 0.2, 3);
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
    ...boxPaths(bars, plot.bottom, heightOf),
    peaks: bars
      .filter(({ bin }) => bin.to - bin.from > 1)
      .map(({ bin, x, width }) => `M${x} ${round(plot.bottom - heightOf(bin.peak))}h${width}`)
      .join(''),
    marks: bars.flatMap((bar) => marksOf(bar, plot.bottom)),
    ...totalsLine(content, plot),
    steps: stepTicks(view, plot),
    tokens: ticks(0, top, tickCount(plot)).map((value) => ({
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
  bottom: number,
  heightOf: (tokens: number) => number,
): Pick<GraphLayout, 'parts' | 'retried'> {
  const paths = { instructions: '', scaffold: '', state: '', observation: '', output: '' };
  let retried = '';
  for (const { bin, x, width, top } of bars) {
    const steps = Math.max(bin.to - bin.from, 1);
    let sum = 0;
    for (const part of tokenParts) {
      const tokens = bin.tokens[part];
      if (tokens <= 0) continue;
      const lower = round(bottom - heightOf(sum / steps));
      sum += tokens;
      const height = round(lower - (bottom - heightOf(sum / steps)));
      if (height > 0) paths[part] += `M${x} ${lower}v${-height}h${width}v${height}z`;
    }
    const height = round(heightOf(Math.min(bin.tokens.retried, sum) / steps));
    if (height > 0) retried += `M${x} ${top}v${height}h${width}v${-height}z`;
  }
  return { parts: paths, retried };
}

function marksOf({ bin, x, width }: Bar, bottom: number): readonly Mark[] {
  const kinds: MarkKind[] = [];
  if (bin.rejections > 0) kinds.push('rejected');
  else if (bin.warnings > 0) kinds.push('warned');
  if (bin.forks > 0) kinds.push('fork');
  const middle = x + width / 2;
  const y = bottom + markHeight / 2;
  return kinds.map((kind, index) => ({ kind, x: round(middle + (index - (kinds.length - 1) / 2) * 8), y }));
}

function totalsLine(
  { bins, before, view, cumulative }: GraphContent,
  plot: GraphLayout['plot'],
): Pick<GraphLayout, 'line' | 'totals'> {
  if (!cumulative || bins.length === 0) return { line: '', totals: [] };
  const points: { x: number; total: number }[] = [];
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
  const placed = ({ x, total: sum }: { x: number; total: number }) =>
    `${round(x)} ${round(plot.bottom - (sum / top) * (plot.bottom - plot.top))}`;
  return {
    line: inView.length === 0 ? '' : `M${inView.map(placed).join('L')}`,
    totals: ticks(0, top, tickCount(plot)).map((value) => ({
      at: round(plot.bottom - (value / top) * (plot.bottom - plot.top)),
      label: shortNumber(value),
    })),
  };
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
