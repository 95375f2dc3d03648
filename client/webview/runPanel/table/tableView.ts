/** The steps as a table: what the graph shows, for the keyboard and for screen readers. Only the rows in view are in the page. */
import { type StepFilter, type StepRow, tokenParts } from '../../../../schemas/messages/runPanelMessages';
import { element, foreign, setAttributes } from '../elements';
import type { Rows } from '../rows';
import { count, money, partNames, statusNames } from '../texts';
import { rowWindow, scrollTopFor } from './rowWindow';

export interface TableModel {
  readonly branch: number;
  readonly filter: StepFilter;
  /** How many rows there are with this filter. */
  readonly total: number;
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
  readonly numeric?: true;
  readonly cell: (row: StepRow) => Node | string;
}

const columns: readonly Column[] = [
  { name: 'Step', title: 'Step t', numeric: true, cell: ({ step }) => String(step) },
  {
    name: 'Status',
    title: 'What became of the step',
    cell: ({ status }) => element('span', { class: `status ${status}` }, statusNames[status]),
  },
  {
    name: 'Action',
    title: 'The action, as it went to the environment',
    cell: ({ action }) => (action === undefined ? '' : foreign(action, { class: 'code', title: action })),
  },
  { name: 'Changed', title: 'Top-level keys of Σ that were written', cell: changedCell },
  { name: 'Attempts', title: 'Replies of the model', numeric: true, cell: ({ attempts }) => count(attempts) },
  {
    name: 'Rejected',
    title: 'Why replies were rejected',
    cell: ({ rejections }) =>
      element('span', { class: rejections.length > 0 ? 'error' : '' }, rejections.join(', ')),
  },
  {
    name: 'Warnings',
    title: 'What the step was warned of',
    cell: ({ warnings }) =>
      element('span', { class: warnings.length > 0 ? 'warning' : '' }, warnings.join(', ')),
  },
  ...tokenParts.map(
    (part): Column => ({
      name: partNames[part],
      title: `Tokens: ${partNames[part]}`,
      numeric: true,
      cell: ({ tokens }) => count(tokens[part]),
    }),
  ),
  {
    name: 'Retried',
    title: 'Tokens that went into rejected attempts',
    numeric: true,
    cell: ({ tokens }) => count(tokens.retried),
  },
  { name: 'Total', title: 'Tokens of the step', numeric: true, cell: ({ tokens }) => count(tokens.spent) },
  {
    name: 'Sum',
    title: 'Tokens up to and with the step',
    numeric: true,
    cell: ({ tokens, before }) => count(before + tokens.spent),
  },
  {
    name: 'Cost',
    title: 'US dollars, where a price is known',
    numeric: true,
    cell: ({ cost }) => (cost === undefined ? '' : money(cost)),
  },
];

function changedCell({ changed, changedCount }: StepRow): Node {
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
  #model: TableModel = { branch: 0, filter: 'all', total: 0, selected: undefined, position: undefined };
  #rowHeight = 22;
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
      ...columns.map(({ name, title, numeric }) =>
        element('th', { scope: 'col', title, class: numeric ? 'number' : undefined }, name),
      ),
    );
    this.#table = element(
      'table',
      { role: 'grid', 'aria-label': 'Steps', 'aria-colcount': columns.length },
      element('thead', {}, head),
      this.#body,
    );
    this.root = element('div', { class: 'table', tabindex: -1 }, this.#above, this.#table, this.#below);
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
    new ResizeObserver(() => this.redraw()).observe(this.root);
  }

  update(model: TableModel): void {
    const changed = model.branch !== this.#model.branch || model.filter !== this.#model.filter;
    this.#model = model;
    if (changed) this.#current = 0;
    this.#current = Math.min(this.#current, Math.max(model.total - 1, 0));
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
    const measured = this.#body.querySelector('tr')?.offsetHeight;
    if (measured !== undefined && measured > 0) this.#rowHeight = measured;
    const window = rowWindow(this.#geometry());
    const hadFocus = this.#body.contains(document.activeElement);
    this.#above.style.height = `${window.above}px`;
    this.#below.style.height = `${window.below}px`;
    const rows: HTMLTableRowElement[] = [];
    for (let index = window.from; index < window.to; index++) rows.push(this.#row(index));
    this.#body.replaceChildren(...rows);
    this.#selectAwaited();
    if (!hadFocus && !this.#takeFocus) return;
    this.#takeFocus = false;
    this.#body.querySelector<HTMLElement>('tr[tabindex="0"]')?.focus({ preventScroll: true });
  }

  #selectAwaited(): void {
    if (this.#selectWhenThere === undefined) return;
    const row = this.#rowAt(this.#selectWhenThere);
    if (row === undefined) return;
    this.#selectWhenThere = undefined;
    this.#options.select(row.step);
  }

  #row(index: number): HTMLTableRowElement {
    const row = this.#rowAt(index);
    const { selected, position } = this.#model;
    const made = element('tr', {
      'aria-rowindex': index + 2,
      'data-index': index,
      tabindex: index === this.#current ? 0 : -1,
      'aria-selected': row !== undefined && row.step === selected ? 'true' : 'false',
      'aria-current': row !== undefined && row.step === position ? 'step' : undefined,
    });
    if (row === undefined) made.append(element('td', { colspan: columns.length, class: 'muted' }, '…'));
    else {
      for (const { numeric, cell } of columns)
        made.append(element('td', { class: numeric ? 'number' : undefined }, cell(row)));
    }
    return made;
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

function indexOf(target: EventTarget | null): number | undefined {
  const row = target instanceof Element ? target.closest('tr[data-index]') : undefined;
  const index = Number(row?.getAttribute('data-index') ?? Number.NaN);
  return Number.isInteger(index) ? index : undefined;
}
