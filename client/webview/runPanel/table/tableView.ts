/** The steps as a table: what the graph shows, for the keyboard and for screen readers. Only the rows in view are in the page. */
import { type StepFilter, type StepRow, tokenParts } from '../../../../schemas/messages/runPanelMessages';
import { share } from '../../../../schemas/text/spending';
import { element, foreign, setAttributes } from '../elements';
import type { Rows } from '../rows';
import { count, marked, noneFound, notExecuted, partNames, statusNames } from '../texts';
import { rowWindow, scrollTopFor } from './rowWindow';

export interface TableModel {
  readonly branch: number;
  readonly filter: StepFilter;
  /** How many rows there are with this filter. */
  readonly total: number;
  /** Whether it is known that there are none. */
  readonly isEmpty: boolean;
  readonly selected: number | undefined;
  readonly position: number | undefined;
}

export interface TableOptions {
  readonly rows: Rows;
  select(step: number): void;
  goTo(step: number): void;
}

interface Column {
  readonly name: string;
  readonly title: string;
  /** In units of the font's size: a column that took its width from what is in view would jump. */
  readonly width: number;
  readonly numeric?: true;
  readonly cell: (row: StepRow) => Node | string;
}

const columns: readonly Column[] = [
  { name: 'Step', width: 5.5, title: 'Step t', numeric: true, cell: ({ step }) => count(step) },
  {
    name: 'Status',
    width: 7,
    title: 'What became of the step',
    cell: ({ status }) => element('span', { class: `status ${status}` }, statusNames[status]),
  },
  {
    name: 'Action',
    width: 22,
    title: 'The action, as it went to the environment, or as a reply has chosen it',
    cell: actionCell,
  },
  { name: 'Written', width: 9.5, title: 'Top-level keys of Σ that were written', cell: writtenCell },
  {
    name: 'Tokens',
    width: 6,
    title: 'Tokens of the step, all attempts together',
    numeric: true,
    cell: ({ tokens }) => marked(tokens.spent, tokens.estimated),
  },
  {
    name: 'Attempts',
    width: 5.5,
    title: 'Replies of the model',
    numeric: true,
    cell: ({ attempts }) => count(attempts),
  },
  {
    name: 'Rejected',
    width: 8.5,
    title: 'Why replies were rejected',
    cell: ({ rejections }) =>
      element('span', { class: rejections.length > 0 ? 'error' : '' }, rejections.join(', ')),
  },
  {
    name: 'Warnings',
    width: 11,
    title: 'What the step was warned of',
    cell: ({ warnings }) =>
      element('span', { class: warnings.length > 0 ? 'warning' : '' }, warnings.join(', ')),
  },
  ...tokenParts.map(
    (part): Column => ({
      name: partNames[part],
      width: 7.5,
      title: `Tokens: ${partNames[part]}`,
      numeric: true,
      cell: ({ tokens }) => count(tokens[part]),
    }),
  ),
  {
    name: 'Retried',
    width: 6,
    title: 'Tokens that went into rejected attempts',
    numeric: true,
    cell: ({ tokens }) => count(tokens.retried),
  },
  {
    name: 'Sum',
    width: 8,
    title: 'Tokens up to and with the step',
    numeric: true,
    cell: ({ tokens, before, beforeEstimated }) =>
      marked(before + tokens.spent, beforeEstimated + tokens.estimated),
  },
  {
    name: 'Cached',
    width: 6,
    title: "The share of the prompt that came from the provider's cache",
    numeric: true,
    cell: ({ cached, prompt }) => (cached === 0 ? '' : share(cached, prompt)),
  },
  {
    name: 'Thinking',
    width: 6,
    title: 'Tokens of the output that a reasoning model thought with',
    numeric: true,
    cell: ({ thinking }) => (thinking === 0 ? '' : count(thinking)),
  },
  {
    name: 'Cost',
    width: 9,
    title: 'US dollars, as far as prices are known',
    numeric: true,
    cell: ({ cost }) => cost ?? '',
  },
];

function actionCell(row: StepRow): Node | string {
  const { action, chosen } = row;
  if (action !== undefined) return foreign(action, { class: 'code', title: action });
  if (chosen === undefined) return '';
  const standing = notExecuted(row);
  const title = `${chosen} · ${standing}`;
  return element('span', { class: 'muted', title }, foreign(chosen, { class: 'code' }), ` · ${standing}`);
}

function writtenCell({ changed, changedCount }: StepRow): Node {
  const more = changedCount - changed.length;
  const cell = element('span', {});
  for (const [index, key] of changed.entries()) cell.append(index > 0 ? ', ' : '', foreign(key));
  if (more > 0) cell.append(` and ${more} more`);
  return cell;
}

export class TableView {
  readonly root: HTMLElement;
  readonly #options: TableOptions;
  readonly #table: HTMLTableElement;
  readonly #body = element('tbody', {});
  readonly #above = element('div', { class: 'table-space' });
  readonly #below = element('div', { class: 'table-space' });
  readonly #none = element('p', { class: 'muted table-none', role: 'status', hidden: true });
  #model: TableModel = {
    branch: 0,
    filter: 'all',
    total: 0,
    isEmpty: false,
    selected: undefined,
    position: undefined,
  };
  #rowHeight = 22;
  #isResized = true;
  #drawn: Map<number, DrawnRow> = new Map();
  #frame: number | undefined;
  /** The index of the row that the keyboard is on. */
  #current = 0;
  #takeFocus = false;
  /** The keyboard went to a row that is still on its way. */
  #selectWhenThere: number | undefined;

  constructor(options: TableOptions) {
    this.#options = options;
    const head = element(
      'tr',
      { 'aria-rowindex': 1 },
      ...columns.map(({ name, title, numeric, width }) => {
        const cell = element('th', { scope: 'col', title, class: numeric ? 'number' : undefined }, name);
        cell.style.width = `${width}em`;
        return cell;
      }),
    );
    this.#table = element(
      'table',
      { role: 'grid', 'aria-label': 'Steps', 'aria-colcount': columns.length },
      element('thead', {}, head),
      this.#body,
    );
    this.root = element(
      'div',
      { class: 'table', tabindex: -1 },
      this.#above,
      this.#table,
      this.#none,
      this.#below,
    );
    this.root.addEventListener('scroll', () => this.redraw());
    this.#body.addEventListener('click', (event) => {
      const index = indexOf(event.target);
      const row = index === undefined ? undefined : this.#rowAt(index);
      if (index === undefined || row === undefined) return;
      this.#current = index;
      this.#takeFocus = true;
      this.#options.goTo(row.step);
    });
    this.#body.addEventListener('keydown', (event) => this.#key(event));
    new ResizeObserver(() => {
      this.#isResized = true;
      this.redraw();
    }).observe(this.root);
  }

  update(model: TableModel): void {
    const changed = model.branch !== this.#model.branch || model.filter !== this.#model.filter;
    this.#model = model;
    if (changed) this.#current = 0;
    this.#current = Math.min(this.#current, Math.max(model.total - 1, 0));
    const { filter, isEmpty } = model;
    this.#none.hidden = filter === 'all' || !isEmpty;
    this.#none.textContent = filter === 'all' || !isEmpty ? '' : noneFound[filter];
    setAttributes(this.#table, { 'aria-rowcount': model.total + 1 });
    this.redraw();
  }

  /** Scrolls a row into view and makes it the one that the keyboard is on. */
  reveal(index: number, { focus = false }: { readonly focus?: boolean } = {}): void {
    this.#current = index;
    this.#takeFocus ||= focus;
    const head = this.#headHeight();
    this.root.scrollTop = scrollTopFor(index, { ...this.#geometry(), height: this.root.clientHeight - head });
    this.redraw();
  }

  redraw(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      if (this.root.clientHeight > 0) this.#draw();
    });
  }

  #geometry() {
    return {
      rows: this.#model.total,
      rowHeight: this.#rowHeight,
      scrollTop: this.root.scrollTop,
      height: this.root.clientHeight,
    };
  }

  #headHeight(): number {
    return this.#table.tHead?.offsetHeight ?? 0;
  }

  #rowAt(index: number): StepRow | undefined {
    return this.#options.rows.at(this.#model.branch, this.#model.filter, index);
  }

  #draw(): void {
    this.#measure();
    const window = rowWindow(this.#geometry());
    const hadFocus = this.#body.contains(document.activeElement);
    this.#above.style.height = `${window.above}px`;
    this.#below.style.height = `${window.below}px`;
    const before = this.#drawn;
    this.#drawn = new Map();
    for (let index = window.from; index < window.to; index++) {
      const row = this.#rowAt(index);
      const known = before.get(index);
      // Rows that stay are left in their place, and with them the focus.
      const drawn = known !== undefined && known.row === row ? known : { row, element: rowElement(row) };
      this.#describe(drawn, index);
      this.#drawn.set(index, drawn);
    }
    const kept = new Set([...this.#drawn.values()].map((drawn) => drawn.element));
    for (const { element: row } of before.values()) if (!kept.has(row)) row.remove();
    let place = 0;
    for (const row of kept) {
      const there = this.#body.children.item(place++);
      if (there !== row) this.#body.insertBefore(row, there);
    }
    this.#selectAwaited();
    if (!hadFocus && !this.#takeFocus) return;
    this.#takeFocus = false;
    this.#drawn.get(this.#current)?.element.focus({ preventScroll: true });
  }

  /** Rows have the same height; it changes with the size of the font. */
  #measure(): void {
    if (!this.#isResized) return;
    const height = this.#body.querySelector('tr')?.offsetHeight;
    if (height === undefined || height === 0) return;
    this.#rowHeight = height;
    this.#isResized = false;
  }

  #describe({ row, element: drawn }: DrawnRow, index: number): void {
    const { selected, position } = this.#model;
    setAttributes(drawn, {
      'aria-rowindex': index + 2,
      'data-index': index,
      tabindex: index === this.#current ? 0 : -1,
      'aria-selected': row !== undefined && row.step === selected ? 'true' : 'false',
      'aria-current': row !== undefined && row.step === position ? 'step' : undefined,
    });
  }

  #selectAwaited(): void {
    if (this.#selectWhenThere === undefined) return;
    const row = this.#rowAt(this.#selectWhenThere);
    if (row === undefined) return;
    this.#selectWhenThere = undefined;
    this.#options.select(row.step);
  }

  #key(event: KeyboardEvent): void {
    const { total } = this.#model;
    if (event.altKey || event.metaKey || event.ctrlKey || total === 0) return;
    const page = Math.max(Math.floor((this.root.clientHeight - this.#headHeight()) / this.#rowHeight) - 1, 1);
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: this.#current + 1,
      ArrowUp: this.#current - 1,
      PageDown: this.#current + page,
      PageUp: this.#current - page,
      Home: 0,
      End: total - 1,
    };
    const target = Object.hasOwn(targets, event.key) ? targets[event.key] : undefined;
    if (target !== undefined) {
      this.reveal(Math.min(Math.max(target, 0), total - 1), { focus: true });
      this.#selectWhenThere = this.#current;
      this.#selectAwaited();
    } else if (event.key === 'Enter' || event.key === ' ') {
      const row = this.#rowAt(this.#current);
      if (row !== undefined) this.#options.goTo(row.step);
    } else return;
    event.preventDefault();
  }
}

/** A row of the page, and what it was made of. */
interface DrawnRow {
  /** Undefined while it is on its way. */
  readonly row: StepRow | undefined;
  readonly element: HTMLTableRowElement;
}

function rowElement(row: StepRow | undefined): HTMLTableRowElement {
  if (row === undefined)
    return element('tr', {}, element('td', { colspan: columns.length, class: 'muted' }, '…'));
  return element(
    'tr',
    {},
    ...columns.map(({ numeric, cell }) =>
      element('td', { class: numeric ? 'number' : undefined }, cell(row)),
    ),
  );
}

function indexOf(target: EventTarget | null): number | undefined {
  const row = target instanceof Element ? target.closest('tr[data-index]') : undefined;
  const index = Number(row?.getAttribute('data-index') ?? Number.NaN);
  return Number.isInteger(index) ? index : undefined;
}
