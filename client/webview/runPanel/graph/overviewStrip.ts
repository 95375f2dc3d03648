/** The whole run in a strip below the graph, with a window over what is in view: it moves the view like a scroll bar. */
import { totalOf } from '../../../../schemas/messages/runPanelMessages';
import { element, setAttributes, svgElement } from '../elements';
import type { Stretches } from './stretches';
import { showsAll, type Viewport, wholeRun } from './viewport';

/** Steps from which on there is a strip. */
const leastSteps = 80;

/** Where the bars of the graph begin and end, so that the strip stands below them. */
const sides = { left: 46, right: 10 };

export class OverviewStrip {
  readonly root: HTMLElement;
  readonly #stretches: Stretches;
  readonly #svg = svgElement('svg', { class: 'strip-drawing', 'aria-hidden': 'true', focusable: 'false' });
  readonly #bars = svgElement('path', { class: 'strip-bars' });
  readonly #trouble = svgElement('path', { class: 'strip-trouble' });
  readonly #window = svgElement('rect', { class: 'strip-window', rx: 2 });
  #frame: number | undefined;
  #model: { branch: number; steps: number; view: Viewport } = {
    branch: 0,
    steps: 0,
    view: { from: 0, to: 1 },
  };

  /** `center` is called with the step that the user wants in the middle. */
  constructor(stretches: Stretches, center: (step: number) => void) {
    this.#stretches = stretches;
    // The keys of the graph do the same, so that the strip needs no focus and no name.
    this.root = element('div', { class: 'strip', 'aria-hidden': 'true' }, this.#svg);
    this.#svg.append(this.#bars, this.#trouble, this.#window);
    const move = (event: PointerEvent) => {
      const { left, width } = this.#svg.getBoundingClientRect();
      const share = (event.clientX - left - sides.left) / (width - sides.left - sides.right);
      center(share * wholeRun(this.#model.steps).to);
    };
    this.root.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.root.setPointerCapture(event.pointerId);
      move(event);
    });
    this.root.addEventListener('pointermove', (event) => {
      if (this.root.hasPointerCapture(event.pointerId)) move(event);
    });
    new ResizeObserver(() => this.#redraw()).observe(this.root);
  }

  update(model: { readonly branch: number; readonly steps: number; readonly view: Viewport }): void {
    this.#model = model;
    // Of so few steps the graph itself shows every one.
    this.root.hidden = model.steps < leastSteps;
    this.#redraw();
  }

  #redraw(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      if (this.#svg.clientWidth > 0) this.#draw();
    });
  }

  #draw(): void {
    const { branch, steps, view } = this.#model;
    const whole = wholeRun(steps);
    const width = this.#svg.clientWidth - sides.left - sides.right;
    const height = this.#svg.clientHeight;
    const { bins } = this.#stretches.visible(branch, whole, steps, width);
    const mean = (bin: (typeof bins)[number]) => totalOf(bin.tokens) / (bin.to - bin.from);
    const highest = bins.reduce((most, bin) => Math.max(most, mean(bin)), 1);
    const place = (step: number) => sides.left + (step / whole.to) * width;
    let bars = '';
    let trouble = '';
    for (const bin of bins) {
      const x = place(bin.from).toFixed(1);
      const barWidth = Math.max(place(bin.to) - place(bin.from) - 0.4, 0.6).toFixed(1);
      const barHeight = ((mean(bin) / highest) * (height - 3)).toFixed(1);
      bars += `M${x} ${height}v-${barHeight}h${barWidth}v${barHeight}z`;
      if (bin.rejections === 0) continue;
      // As much of the bar as there are rejected replies in its steps.
      const share = Math.min(bin.rejections / (bin.to - bin.from), 1);
      const troubled = Math.max(Number(barHeight) * share, 2).toFixed(1);
      trouble += `M${x} ${height}v-${troubled}h${barWidth}v${troubled}z`;
    }
    setAttributes(this.#bars, { d: bars });
    setAttributes(this.#trouble, { d: trouble });
    setAttributes(this.#window, {
      x: place(view.from),
      y: 0.5,
      // Where all is in view there is nothing to move.
      width: showsAll(view, steps) ? 0 : Math.max(place(view.to) - place(view.from), 3),
      height: height - 1,
    });
  }
}
