/** The page as a whole: what is selected and shown, kept in step with what the extension tells. */
import type {
  BranchRow,
  ExportFormat,
  PictureFormat,
  RunOverview,
} from '../../../schemas/messages/runPanelMessages';
import { assertNever } from '../../../schemas/text/assertNever';
import { DetailView } from './detail/detailView';
import { element, foreign } from './elements';
import { Banner, legend, StatusLine } from './frame';
import { GraphView } from './graph/graphView';
import { OverviewStrip } from './graph/overviewStrip';
import { graphPicture } from './graph/picture';
import { Stretches } from './graph/stretches';
import { connect, type Host, type Told } from './host';
import { firstState, type PageState, restoredState } from './pageState';
import { themePalette } from './palette';
import { pictureData, pictureText } from './pictureMaker';
import { Rows } from './rows';
import { TableView } from './table/tableView';
import { noneFound, spokenStep, withoutSteps } from './texts';
import { Toolbar } from './toolbar';

/** Milliseconds after which the detail of a step is fetched while the run goes on by itself. */
const runningDetailWait = 400;

/** Pixels of the graph in an exported picture. */
const pictureSize = { width: 1100, height: 330 };

export class RunPage {
  readonly #host: Host;
  readonly #root: HTMLElement;
  readonly #stretches: Stretches;
  readonly #stripStretches: Stretches;
  readonly #rows: Rows;
  readonly #graph: GraphView;
  readonly #strip: OverviewStrip;
  readonly #table: TableView;
  readonly #detail: DetailView;
  readonly #toolbar: Toolbar;
  readonly #banner: Banner;
  readonly #status = new StatusLine();
  readonly #live = element('div', { class: 'spoken', role: 'status' });
  readonly #notice = element('div', { class: 'notice', role: 'alert', hidden: true });
  readonly #empty = element('p', { class: 'empty', role: 'status' }, 'Reading the run…');
  readonly #shell: HTMLElement;
  readonly #graphPane: HTMLElement;
  #state: PageState;
  #overview: RunOverview | undefined;
  /** Where the session was said to be, to notice that it moved. */
  #position = '';
  #detailWanted = false;
  #detailUnderWay = false;
  #detailTimer: number | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#host = connect((message) => this.#told(message));
    this.#state = restoredState(this.#host.remembered);
    const fetchBins = (query: { branch: number; from: number; to: number; size: number }) =>
      this.#host.ask({ kind: 'bins', ...query });
    this.#stretches = new Stretches(fetchBins, () => this.#graph.redraw());
    this.#stripStretches = new Stretches(fetchBins, () => this.#updateStrip());
    this.#rows = new Rows(
      (query) => this.#host.ask({ kind: 'rows', ...query }),
      () => this.#updateTable(),
    );
    const select = (step: number) => this.#select(step);
    const goTo = (step: number) => this.#goTo(step);
    this.#graph = new GraphView({
      stretches: this.#stretches,
      row: (step) => this.#rows.of(this.#state.branch, step),
      select,
      goTo,
      viewChanged: (view) => {
        this.#change({ view });
        this.#updateStrip();
      },
    });
    this.#strip = new OverviewStrip(this.#stripStretches, (step) => this.#graph.center(step));
    this.#table = new TableView({ rows: this.#rows, select, goTo });
    this.#detail = new DetailView({
      act: (action) => this.#host.act(action),
      blame: (place) => this.#host.ask({ kind: 'blame', ...place }),
      select: (step) => {
        this.#select(step);
        this.#reveal(step);
      },
      walk: (direction) => void this.#walk(direction),
    });
    this.#banner = new Banner(() => this.#host.act({ kind: 'openText' }));
    this.#toolbar = new Toolbar({
      chooseBranch: (branch) => this.#choose({ branch, view: undefined }),
      chooseFilter: (filter) => {
        this.#choose({ filter });
        void this.#tellNone();
      },
      toggle: (flag) => {
        this.#choose({ [flag]: !this.#state[flag] });
        if (flag === 'follow' && this.#state.follow) this.#followSession();
      },
      zoom: (direction) => (direction === 'fit' ? this.#graph.fit() : this.#graph.zoom(direction)),
      export: () => this.#export(undefined),
    });
    this.#graphPane = element('div', { class: 'graph-pane' }, legend(), this.#graph.root, this.#strip.root);
    this.#shell = element(
      'div',
      { class: 'shell', hidden: true },
      this.#toolbar.root,
      this.#banner.root,
      this.#notice,
      element(
        'main',
        { class: 'panes' },
        element('div', { class: 'run-pane' }, this.#graphPane, this.#table.root),
        this.#detail.root,
      ),
      this.#status.root,
    );
  }

  start(): void {
    this.#root.replaceChildren(this.#empty, this.#shell, this.#live);
    this.#graph.restore(this.#state.view);
    this.#host.ready(this.#state.run);
  }

  #told(message: Told): void {
    switch (message.type) {
      case 'run':
        this.#show(message.overview);
        break;
      case 'empty':
        this.#overview = undefined;
        this.#shell.hidden = true;
        this.#empty.hidden = false;
        this.#empty.textContent = message.message;
        break;
      case 'select':
        this.#choose({ branch: message.branch });
        this.#select(message.step);
        this.#reveal(message.step);
        break;
      case 'startExport':
        this.#export(message.format);
        break;
      case 'takePicture':
        void this.#takePicture(message.format);
        break;
      case 'notice':
        this.#say(message.message);
        break;
      default:
        assertNever(message);
    }
  }

  get #branch(): BranchRow | undefined {
    return this.#overview?.branches.find(({ id }) => id === this.#state.branch);
  }

  #show(overview: RunOverview): void {
    const before = this.#overview;
    this.#overview = overview;
    this.#empty.hidden = true;
    this.#shell.hidden = false;
    if (this.#state.run !== overview.run) {
      const { filter, table, cumulative, follow } = this.#state;
      this.#change({ ...firstState, filter, table, cumulative, follow, run: overview.run });
      this.#forget();
    } else if (before !== undefined && before.run === overview.run) {
      if (before.bytesRead !== overview.bytesRead) {
        this.#stretches.invalidate();
        this.#stripStretches.invalidate();
        this.#rows.invalidate();
      }
    }
    if (this.#branch === undefined) this.#change({ branch: overview.branches[0]?.id ?? 0, view: undefined });
    this.#banner.update(overview);
    this.#followSession();
    const { step } = this.#state;
    const steps = this.#branch?.steps ?? 0;
    if (steps > 0 && (step === undefined || step >= steps)) {
      this.#change({ step: step === undefined ? 0 : steps - 1 });
    }
    if (steps === 0) this.#detail.empty(withoutSteps(overview));
    this.#wantDetail();
    this.#update();
  }

  /** Another run: nothing of the one before is right any more. */
  #forget(): void {
    this.#position = '';
    this.#stretches.clear();
    this.#stripStretches.clear();
    this.#rows.clear();
    this.#graph.restore(undefined);
    this.#detail.empty('Select a step to see what it saw, answered and wrote.');
    this.#say(undefined);
  }

  /** The session moved: what is selected goes with it, unless the user wants to stay. */
  #followSession(): void {
    const position = this.#overview?.session?.position;
    const steps = this.#overview?.branches.find(({ id }) => id === position?.branch)?.steps ?? 0;
    // At a step that has no record, or none yet, what comes before it is looked at: at the end of a run, its last step.
    const step = position && Math.min(position.step, steps - 1);
    const described = position === undefined ? '' : `${position.branch} ${step}`;
    const moved = described !== this.#position;
    this.#position = described;
    if (position === undefined || step === undefined || step < 0 || !this.#state.follow || !moved) return;
    const view = position.branch === this.#state.branch ? this.#state.view : undefined;
    this.#change({ branch: position.branch, step, view });
    this.#reveal(step);
  }

  #change(part: Partial<PageState>): void {
    this.#state = { ...this.#state, ...part };
    if ('view' in part) this.#graph.restore(part.view);
    this.#host.remember(this.#state);
  }

  /** The user chose something that everything depends on. */
  #choose(part: Partial<PageState>): void {
    this.#change(part);
    const steps = this.#branch?.steps ?? 0;
    if (this.#state.step !== undefined && this.#state.step >= steps) this.#change({ step: steps - 1 });
    this.#wantDetail();
    this.#update();
    if (this.#state.step !== undefined && (part.filter !== undefined || part.table))
      this.#reveal(this.#state.step);
  }

  #select(step: number): void {
    this.#say(undefined);
    this.#change({ step });
    this.#wantDetail();
    this.#update();
    const { branch } = this.#state;
    this.#rows.of(branch, step).then(
      (row) => {
        if (row === undefined || this.#state.step !== step || this.#state.branch !== branch) return;
        const words = spokenStep(row);
        this.#graph.say(step, words);
        // The slider and the row of the table speak for themselves while they have the focus.
        const { activeElement } = document;
        const spoken = this.#graph.root === activeElement || this.#table.root.contains(activeElement);
        this.#live.textContent = spoken ? '' : words;
      },
      // The detail of the same step says why.
      () => undefined,
    );
  }

  /** A click or Enter: the step is selected, and a session that can go there goes. */
  #goTo(step: number): void {
    this.#select(step);
    const { branch } = this.#state;
    if (this.#leads()) this.#host.act({ kind: 'goTo', branch, step });
  }

  #leads(): boolean {
    const session = this.#overview?.session;
    return session !== undefined && session.state !== 'ended';
  }

  #reveal(step: number): void {
    this.#update();
    if (!this.#state.table) {
      this.#graph.reveal(step);
      return;
    }
    const { branch, filter } = this.#state;
    if (filter === 'all') {
      this.#table.reveal(step);
      return;
    }
    this.#host.ask({ kind: 'find', branch, step, filter, direction: 'nearest' }).then(
      ({ found }) => found !== undefined && this.#table.reveal(found.index),
      (error: unknown) => this.#failed(error),
    );
  }

  async #walk(direction: 'previous' | 'next'): Promise<void> {
    const { branch, filter, step = 0 } = this.#state;
    try {
      const { found } = await this.#host.ask({ kind: 'find', branch, step, filter, direction });
      if (found === undefined) {
        // That the run is over, everybody sees.
        if (filter === 'all') this.#live.textContent = `There is no ${direction} step.`;
        else this.#say(`There is no ${direction} step that passes the filter.`);
        return;
      }
      this.#select(found.step);
      this.#reveal(found.step);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Says so where no step passes the filter; the table does by itself. */
  async #tellNone(): Promise<void> {
    const { branch, filter, table, step = 0 } = this.#state;
    this.#say(undefined);
    if (filter === 'all' || table || this.#branch === undefined) return;
    try {
      const { found } = await this.#host.ask({ kind: 'find', branch, step, filter, direction: 'nearest' });
      const isChosen = this.#state.filter === filter && this.#state.branch === branch;
      if (found === undefined && isChosen) this.#say(noneFound[filter]);
    } catch (error) {
      this.#failed(error);
    }
  }

  /**
   * One question at a time: while the keyboard runs over steps, those between are left out. What runs by itself is
   * looked at now and then, since nobody reads so fast.
   */
  #wantDetail(): void {
    this.#detailWanted = true;
    if (this.#detailUnderWay || this.#detailTimer !== undefined) return;
    if (this.#overview?.session?.state !== 'running') {
      void this.#fetchDetail();
      return;
    }
    this.#detailTimer = setTimeout(() => {
      this.#detailTimer = undefined;
      void this.#fetchDetail();
    }, runningDetailWait);
  }

  async #fetchDetail(): Promise<void> {
    this.#detailUnderWay = true;
    while (this.#detailWanted) {
      this.#detailWanted = false;
      const { branch, step, run } = this.#state;
      if (step === undefined || step >= (this.#branch?.steps ?? 0)) continue;
      this.#detail.loading({ branch, step });
      try {
        const { detail } = await this.#host.ask({ kind: 'detail', branch, step });
        if (this.#state.run !== run) continue;
        const position = this.#overview?.session?.position;
        this.#detail.show(detail, {
          here: position?.branch === branch && position.step === step,
          leads: this.#leads(),
        });
      } catch (error) {
        this.#detail.failed(step, messageOf(error));
      }
    }
    this.#detailUnderWay = false;
  }

  #update(): void {
    const overview = this.#overview;
    if (overview === undefined) return;
    const { branch, step, cumulative, filter, table } = this.#state;
    this.#toolbar.update(this.#state, overview);
    this.#status.update(overview, this.#branch);
    this.#graphPane.hidden = table;
    this.#table.root.hidden = !table;
    const position = overview.session?.position;
    const here = position?.branch === branch ? position.step : undefined;
    const steps = this.#branch?.steps ?? 0;
    this.#graph.update({ branch, steps, selected: step, position: here, cumulative, filter });
    this.#updateStrip();
    this.#updateTable();
  }

  #updateStrip(): void {
    const steps = this.#branch?.steps ?? 0;
    this.#strip.update({ branch: this.#state.branch, steps, view: this.#graph.view });
  }

  #updateTable(): void {
    const { branch, step, filter, table } = this.#state;
    if (!table) return;
    const position = this.#overview?.session?.position;
    const steps = this.#branch?.steps ?? 0;
    // The first line's coming says how many there are.
    const found = filter === 'all' ? steps : this.#rows.total(branch, filter);
    if (filter !== 'all') this.#rows.at(branch, filter, 0);
    this.#table.update({
      branch,
      filter,
      total: found ?? 0,
      isEmpty: found === 0,
      selected: step,
      position: position?.branch === branch ? position.step : undefined,
    });
  }

  #export(format: ExportFormat | undefined): void {
    this.#host.act({ kind: 'export', branch: this.#state.branch, format });
  }

  async #takePicture(format: PictureFormat): Promise<void> {
    const overview = this.#overview;
    if (overview === undefined) return;
    try {
      const content = await this.#graph.contentFor(pictureSize);
      const text = pictureText(overview, content.view, this.#branch?.steps ?? 0);
      const svg = graphPicture(content, text, themePalette());
      this.#host.act({ kind: 'savePicture', format, data: await pictureData(svg, format) });
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.#say(messageOf(error));
  }

  #say(message: string | undefined): void {
    this.#notice.hidden = message === undefined;
    this.#notice.replaceChildren(...(message === undefined ? [] : [foreign(message)]));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
