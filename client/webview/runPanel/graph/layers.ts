/** What the graph is drawn with: one element for all boxes of a kind, from the back to the front. */
import { tokenParts } from '../../../../schemas/messages/runPanelMessages';
import { setAttributes, svgElement } from '../elements';
import { type GraphLayout, markPaths, placeOf } from './layout';
import type { Viewport } from './viewport';

export type Layers = ReturnType<typeof makeLayers>;

/** The elements, in the order in which they lie upon each other. */
export function makeLayers() {
  const path = (name: string) => svgElement('path', { class: name });
  return {
    defs: svgElement(
      'defs',
      {},
      svgElement(
        'pattern',
        {
          id: 'stripes',
          width: 5,
          height: 5,
          patternUnits: 'userSpaceOnUse',
          patternTransform: 'rotate(45)',
        },
        svgElement('rect', { class: 'stripe-ground', width: 5, height: 5 }),
        svgElement('path', { class: 'stripe', d: 'M1.5 0V5' }),
      ),
    ),
    grid: path('grid'),
    peaks: path('peaks'),
    band: svgElement('rect', { class: 'band' }),
    faint: path('faint'),
    instructions: path('part instructions'),
    scaffold: path('part scaffold'),
    state: path('part state'),
    observation: path('part observation'),
    output: path('part output'),
    retried: path('retried'),
    line: path('total-line'),
    axis: path('axis'),
    rejectedBoxes: path('mark-box rejected'),
    warnedBoxes: path('mark-box warned'),
    forkBoxes: path('mark-box fork'),
    marks: svgElement('g'),
    labels: svgElement('g', { class: 'labels' }),
    selected: svgElement('rect', { class: 'selected-step', rx: 2 }),
    position: path('position'),
  };
}

/** Bars, axes and marks. */
export function drawLayout(layers: Layers, layout: GraphLayout): void {
  const { plot } = layout;
  for (const part of tokenParts) setAttributes(layers[part], { d: layout.parts[part] });
  setAttributes(layers.faint, { d: layout.faint });
  setAttributes(layers.retried, { d: layout.retried });
  setAttributes(layers.peaks, { d: layout.peaks });
  setAttributes(layers.line, { d: layout.line });
  setAttributes(layers.axis, { d: `M${plot.left} ${plot.bottom}H${plot.right}` });
  setAttributes(layers.grid, {
    d: layout.tokens.map(({ at }) => `M${plot.left} ${at}H${plot.right}`).join(''),
  });
  const text = (x: number, y: number, anchor: string, label: string) => {
    const made = svgElement('text', { x, y, 'text-anchor': anchor });
    made.textContent = label;
    return made;
  };
  layers.labels.replaceChildren(
    ...layout.tokens.map(({ at, label }) => text(plot.left - 6, at + 4, 'end', label)),
    ...layout.totals.map(({ at, label }) => text(plot.right + 6, at + 4, 'start', label)),
    ...layout.steps.map(({ at, label }) => text(at, plot.bottom + 27, 'middle', label)),
  );
  layers.marks.replaceChildren(
    ...layout.marks.map(({ kind, x, y }) =>
      svgElement('path', { class: `mark ${kind}`, d: markPaths[kind], transform: `translate(${x} ${y})` }),
    ),
  );
  setAttributes(layers.rejectedBoxes, { d: layout.markBoxes.rejected });
  setAttributes(layers.warnedBoxes, { d: layout.markBoxes.warned });
  setAttributes(layers.forkBoxes, { d: layout.markBoxes.fork });
}

/** The selected step, and the one where the session stands. */
export function drawPlaces(
  layers: Layers,
  { plot, bars }: GraphLayout,
  {
    view,
    selected,
    position,
  }: {
    readonly view: Viewport;
    readonly selected: number | undefined;
    readonly position: number | undefined;
  },
): void {
  const boxOf = (step: number | undefined) => {
    if (step === undefined) return undefined;
    const bar = bars.find(({ bin }) => step >= bin.from && step < bin.to);
    if (bar !== undefined) return { x: bar.x, width: bar.width, top: bar.top };
    const from = placeOf(step, view, plot);
    const width = placeOf(step + 1, view, plot) - from;
    return from >= plot.left && from + width <= plot.right + 1
      ? { x: from, width, top: plot.bottom }
      : undefined;
  };
  const chosen = boxOf(selected);
  setAttributes(
    layers.selected,
    chosen === undefined
      ? { width: 0 }
      : {
          x: chosen.x - 2,
          y: plot.top - 8,
          width: Math.max(chosen.width, 2) + 4,
          height: plot.bottom - plot.top + 9,
        },
  );
  const here = boxOf(position);
  const middle = here === undefined ? 0 : here.x + here.width / 2;
  setAttributes(layers.position, {
    d: here === undefined ? '' : `M${middle - 6} ${plot.top - 11}h12l-6 9z`,
  });
  setAttributes(
    layers.band,
    here === undefined
      ? { width: 0 }
      : { x: here.x, y: plot.top, width: Math.max(here.width, 2), height: plot.bottom - plot.top },
  );
}
