/**
 * The token graph on the page. It draws what is in view, one path for all boxes of a part, and is gone through like a
 * slider: with the arrow keys from step to step, with the wheel and by dragging from stretch to stretch.
 */
import type { StepFilter, StepRow } from '../../../../schemas/messages/runPanelMessages';
import { element, setAttributes, svgElement } from '../elements';
import { count } from '../texts';
import { drawLayout, drawPlaces, makeLayers } from './layers';
import { type GraphContent, type GraphLayout, type GraphSize, layOut, plotArea, stepAt } from './layout';
import type { Stretches } from './stretches';
import { createTooltip } from './tooltip';
import {
  clamped,
  panned,
  revealing,
  showsAll,
  type Viewport,
  wholeRun,
  zoomed,
  zoomedAround,
} from './viewport';

/** What the graph shows, as the page has it now. */
export interface GraphModel {
  readonly branch: number;
  readonly steps: number;
  readonly selected: number | undefined;
  /** Where the debug session stands on this line of history. */
  readonly position: number | undefined;
  readonly cumulative: boolean;
  readonly filter: StepFilter;
}

export interface GraphOptions {
  readonly stretches: Stretches;
  /** A step as one line, for tooltip and speech. */
  row(step: number): Promise<StepRow | undefined>;
  /** The user looks at a step: it is to be shown. */
  select(step: number): void;
  /** The user wants to be at a step. */
  goTo(step: number): void;
  /** The user zoomed or moved; undefined where everything is in view. */
  viewChanged(view: Viewport | undefined): void;
}

/** Pixels that a pointer may move and still have clicked. */
const clickSlack = 4;
const zoomStep = 1.25;

export class GraphView {
  readonly root: HTMLElement;
  readonly #options: GraphOptions;
  readonly #svg: SVGSVGElement;
  readonly #layers = makeLayers();
  readonly #tooltip = createTooltip();
  #model: GraphModel = {
    branch: 0,
    steps: 0,
    selected: undefined,
    position: undefined,
    cumulative: false,
    filter: 'all',
  };
  /** Undefined: the whole run, however long it gets. */
  #view: Viewport | undefined;
  #layout: GraphLayout | undefined;
  #frame: number | undefined;
  #drag: { readonly x: number; readonly view: Viewport; moved: boolean } | undefined;
  #words: { readonly step: number; readonly words: string } | undefined;

  constructor(options: GraphOptions) {
    this.#options = options;
    this.#svg = svgElement('svg', { class: 'graph-drawing', 'aria-hidden': 'true', focusable: 'false' });
    this.#svg.append(...Object.values(this.#layers));
    this.root = element(
      'div',
      {
        class: 'graph',
        tabindex: 0,
        role: 'slider',
        'aria-label': 'Tokens of each step',
        'aria-orientation': 'horizontal',
        'aria-describedby': 'graph-keys',
      },
      this.#svg,
      this.#tooltip.root,
    );
    this.#listen();
    new ResizeObserver(() => this.redraw()).observe(this.root);
  }

  /** The stretch in view. */
  get view(): Viewport {
    return this.#view === undefined ? wholeRun(this.#model.steps) : clamped(this.#view, this.#model.steps);
  }

  /** Takes a view back that was remembered. */
  restore(view: Viewport | undefined): void {
    this.#view = view;
  }

  update(model: GraphModel): void {
    this.#model = model;
    this.redraw();
  }

  /** Moves as little as is needed to have a step in view. */
  reveal(step: number): void {
    this.#move(revealing(this.view, step, this.#model.steps));
  }

  /** Moves so that a step is in the middle. */
  center(step: number): void {
    const { from, to } = this.view;
    this.#move(panned(this.view, step - (from + to) / 2, this.#model.steps));
  }

  /** Shows all steps. */
  fit(): void {
    this.#view = undefined;
    this.#options.viewChanged(undefined);
    this.redraw();
  }

  /** Zooms around the selected step where it is in view, else around the middle. */
  zoom(direction: 'in' | 'out'): void {
    const { selected, steps } = this.#model;
    const factor = direction === 'in' ? 1 / zoomStep ** 3 : zoomStep ** 3;
    this.#move(zoomedAround(this.view, factor, selected, steps));
  }

  /** What is in view, for a picture of some size. */
  async contentFor(size: GraphSize): Promise<GraphContent> {
    const { branch, steps, cumulative, filter } = this.#model;
    const { view } = this;
    const { left, right } = plotArea(size, cumulative);
    const stretch = await this.#options.stretches.whole(branch, view, steps, right - left);
    return { ...stretch, view, size, cumulative, filter };
  }

  #content(): GraphContent {
    const { branch, steps, cumulative, filter } = this.#model;
    const size = { width: this.#svg.clientWidth, height: this.#svg.clientHeight };
    const { view } = this;
    const { left, right } = plotArea(size, cumulative);
    const stretch = this.#options.stretches.visible(branch, view, steps, right - left);
    return { ...stretch, view, size, cumulative, filter };
  }

  /** Draws with the next frame, however often it is asked. */
  redraw(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      if (this.#svg.clientWidth > 0) this.#draw();
    });
  }

  #draw(): void {
    const layout = layOut(this.#content());
    this.#layout = layout;
    setAttributes(this.root, { 'data-binned': layout.peaks !== '' });
    drawLayout(this.#layers, layout);
    drawPlaces(this.#layers, layout, { view: this.view, ...this.#model });
    this.#describe();
  }

  /** What a screen reader says of the slider. */
  #describe(): void {
    const { steps, selected } = this.#model;
    setAttributes(this.root, {
      'aria-valuemin': 0,
      'aria-valuemax': Math.max(steps - 1, 0),
      'aria-valuenow': selected ?? 0,
    });
    const words = this.#words?.step === selected ? this.#words?.words : undefined;
    setAttributes(this.root, {
      'aria-valuetext':
        words ?? (selected === undefined ? `${count(steps)} steps, none selected` : `Step ${selected}`),
    });
  }

  /** The words for a step, once they are known. */
  say(step: number, words: string): void {
    this.#words = { step, words };
    this.#describe();
  }

  #listen(): void {
    const { root } = this;
    root.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    root.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.#drag = { x: event.clientX, view: this.view, moved: false };
      root.setPointerCapture(event.pointerId);
    });
    root.addEventListener('pointermove', (event) => this.#pointerMoved(event));
    root.addEventListener('pointerup', (event) => {
      const drag = this.#drag;
      this.#drag = undefined;
      root.classList.remove('dragging');
      if (drag === undefined || drag.moved) return;
      const step = this.#stepUnder(event);
      if (step !== undefined) this.#options.goTo(step);
    });
    root.addEventListener('pointercancel', () => {
      this.#drag = undefined;
      root.classList.remove('dragging');
    });
    root.addEventListener('pointerleave', () => this.#tooltip.hide());
    root.addEventListener('focus', () => {
      const { selected } = this.#model;
      if (selected !== undefined && root.matches(':focus-visible')) this.#showTooltip(selected);
    });
    root.addEventListener('blur', () => this.#tooltip.hide());
    root.addEventListener('keydown', (event) => this.#key(event));
  }

  #wheel(event: WheelEvent): void {
    const layout = this.#layout;
    if (layout === undefined) return;
    event.preventDefault();
    const { from, to } = this.view;
    const width = layout.plot.right - layout.plot.left;
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.#move(panned(this.view, ((sideways * lines) / width) * (to - from), this.#model.steps));
      return;
    }
    const anchor = stepAt(event.clientX - this.#svg.getBoundingClientRect().left, this.view, layout.plot);
    this.#zoomAround(anchor, zoomStep ** Math.max(-3, Math.min(3, (event.deltaY * lines) / 50)));
  }

  #zoomAround(anchor: number, factor: number): void {
    this.#move(zoomed(this.view, factor, anchor, this.#model.steps));
  }

  #move(view: Viewport): void {
    // The bar that it belongs to goes elsewhere.
    this.#tooltip.hide();
    const whole = showsAll(view, this.#model.steps);
    this.#view = whole ? undefined : view;
    this.#options.viewChanged(this.#view);
    this.redraw();
  }

  #pointerMoved(event: PointerEvent): void {
    const drag = this.#drag;
    const layout = this.#layout;
    if (layout === undefined) return;
    if (drag !== undefined) {
      const by = event.clientX - drag.x;
      if (!drag.moved && Math.abs(by) < clickSlack) return;
      drag.moved = true;
      this.root.classList.add('dragging');
      this.#tooltip.hide();
      const perPixel = (drag.view.to - drag.view.from) / (layout.plot.right - layout.plot.left);
      this.#move(panned(drag.view, -by * perPixel, this.#model.steps));
      return;
    }
    const step = this.#stepUnder(event);
    if (step === undefined) this.#tooltip.hide();
    else this.#showTooltip(step);
  }

  /** The step under the pointer; of a bar of several steps the one that the pointer is nearest to. */
  #stepUnder(event: PointerEvent): number | undefined {
    const layout = this.#layout;
    if (layout === undefined) return undefined;
    const x = event.clientX - this.#svg.getBoundingClientRect().left;
    if (x < layout.plot.left - 2 || x > layout.plot.right + 2) return undefined;
    const step = Math.floor(stepAt(x, this.view, layout.plot));
    return step >= 0 && step < this.#model.steps ? step : undefined;
  }

  #showTooltip(step: number): void {
    const layout = this.#layout;
    const bar = layout?.bars.find(({ bin }) => step >= bin.from && step < bin.to);
    if (layout === undefined || bar === undefined) {
      this.#tooltip.hide();
      return;
    }
    this.#tooltip.show(bar.bin, { x: bar.x + bar.width / 2, y: bar.top, width: this.#svg.clientWidth });
    if (bar.bin.to - bar.bin.from > 1) return;
    this.#options.row(step).then(
      (row) => row !== undefined && this.#tooltip.explain(bar.bin, row),
      // The tooltip has the bar's figures; whoever fetched the row has said why it can't be had.
      () => undefined,
    );
  }

  #key(event: KeyboardEvent): void {
    const { steps, selected } = this.#model;
    if (steps === 0 || event.altKey || event.metaKey) return;
    const { from, to } = this.view;
    const page = Math.max(Math.round((to - from) * 0.9), 1);
    const at = selected ?? Math.floor(from);
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: selected === undefined ? at : at - (event.ctrlKey ? 10 : 1),
      ArrowRight: selected === undefined ? at : at + (event.ctrlKey ? 10 : 1),
      ArrowDown: at - 1,
      ArrowUp: at + 1,
      PageUp: at - page,
      PageDown: at + page,
      Home: 0,
      End: steps - 1,
    };
    const target = Object.hasOwn(targets, event.key) ? targets[event.key] : undefined;
    if (target !== undefined) {
      const step = Math.min(Math.max(target, 0), steps - 1);
      this.#options.select(step);
      this.reveal(step);
      this.#showTooltip(step);
    } else if (event.key === 'Enter' || event.key === ' ') {
      if (selected !== undefined) this.#options.goTo(selected);
    } else if (event.key === '+' || event.key === '=') this.zoom('in');
    else if (event.key === '-') this.zoom('out');
    else if (event.key === '0') this.fit();
    else if (event.key === 'Escape') this.#tooltip.hide();
    else return;
    event.preventDefault();
  }
}
