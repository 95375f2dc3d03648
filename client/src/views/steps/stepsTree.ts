/** The Steps tree of the Run and Debug view: the run's steps with its branches, filtered and following the session. */
import * as vscode from 'vscode';
import { printableLine } from '../../../../schemas/text/printable';
import { wholeNumber as count } from '../../../../schemas/text/spending';
import { contextKeys, stepsViewId } from '../../hosts/contextKeys';
import type { TraceReader } from '../../runtime/traceReader';
import type { SessionTraces, TracedRun } from '../sessionTraces';
import { filterText, type StepFilter, StepSearch } from './stepFilter';
import { branchItem, groupItem, stepItem } from './stepItems';
import { type OutlineNode, type StepList, StepsOutline } from './stepsOutline';

/** Milliseconds that changes are gathered for. */
const refreshDelay = 250;
/** Milliseconds after which reading a trace is shown as progress. */
const progressDelay = 2_000;

export interface StepsTree extends vscode.Disposable {
  readonly filter: StepFilter;
  setFilter(filter: StepFilter): void;
  setFollowing(following: boolean): void;
}

export interface StepsTreeOptions {
  readonly traces: SessionTraces;
  readonly log: vscode.LogOutputChannel;
  /** Remembers for the workspace that the tree was shown. */
  readonly memory: vscode.Memento;
}

/** The key under which that is remembered. */
const wasShownKey = 'steps.wasShown';

/** Shows the tree until the returned object is disposed. */
export function createStepsTree(options: StepsTreeOptions): StepsTree {
  return new Tree(options);
}

class Tree implements StepsTree, vscode.TreeDataProvider<OutlineNode> {
  readonly #traces: SessionTraces;
  readonly #log: vscode.LogOutputChannel;
  readonly #memory: vscode.Memento;
  readonly #view: vscode.TreeView<OutlineNode>;
  readonly #changed = new vscode.EventEmitter<OutlineNode | OutlineNode[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscriptions: vscode.Disposable[];
  /** The nodes as VS Code knows them last. */
  readonly #nodes = new Map<string, OutlineNode>();
  #outline: StepsOutline | undefined;
  #shownReader: TraceReader | undefined;
  #shownBranch = 0;
  /** What the outline was made of. */
  #shape = '';
  /** The step that is marked as the session's. */
  #marked: number | undefined;
  #filter: StepFilter = { kind: 'all' };
  #searches = new Map<string, StepSearch>();
  #searching = new AbortController();
  #isSearching = false;
  #isFollowing = true;
  #timer: NodeJS.Timeout | undefined;
  #progressTimer: NodeJS.Timeout | undefined;
  #endProgress: (() => void) | undefined;

  constructor({ traces, log, memory }: StepsTreeOptions) {
    this.#traces = traces;
    this.#log = log;
    this.#memory = memory;
    this.#view = vscode.window.createTreeView(stepsViewId, {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.#subscriptions = [
      this.#view,
      this.#changed,
      traces.onDidChangeCurrent(() => this.#show()),
      traces.onDidRead((run) => this.#later(run)),
      traces.onDidMove((run) => this.#later(run)),
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (visible) this.#show();
      }),
    ];
    this.#setContext('isAwake', true);
    this.#setContext('stepsFollow', this.#isFollowing);
    this.#show();
  }

  get filter(): StepFilter {
    return this.#filter;
  }

  setFilter(filter: StepFilter): void {
    this.#filter = filter;
    this.#endSearches();
    this.#setContext('stepsAreFiltered', filter.kind !== 'all');
    this.#show();
  }

  setFollowing(following: boolean): void {
    this.#isFollowing = following;
    this.#setContext('stepsFollow', following);
    this.#show();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#setProgress(false);
    this.#searching.abort();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async getChildren(node?: OutlineNode): Promise<OutlineNode[]> {
    if (node?.kind === 'branch' && this.#filter.kind !== 'all') await this.#search(node.list);
    const outline = this.#outline;
    if (outline === undefined) return [];
    const children = node === undefined ? outline.roots() : outline.children(node);
    for (const child of children) this.#nodes.set(child.id, child);
    return [...children];
  }

  getParent(node: OutlineNode): OutlineNode | undefined {
    return node.parent;
  }

  getTreeItem(node: OutlineNode): vscode.TreeItem {
    const reader = this.#shownReader;
    const outline = this.#outline;
    if (reader === undefined || outline === undefined) return new vscode.TreeItem('');
    switch (node.kind) {
      case 'step':
        return stepItem(node, reader, node.step === this.#marked && node.list.branch === this.#shownBranch);
      case 'group':
        return groupItem(node, reader, outline, this.#filter.kind !== 'all');
      case 'branch':
        return branchItem(node, reader);
    }
  }

  /** Gathers what comes in quick succession. */
  #later(run: TracedRun): void {
    if (run !== this.#traces.current || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#show();
    }, refreshDelay);
  }

  /** Brings the view up to what is known now; of a long run, only the last group is fetched again. */
  #show(): void {
    const run = this.#traces.current;
    const reader = run?.reader;
    this.#setContext('hasRun', run !== undefined);
    this.#setContext('isRunning', run !== undefined && !run.ended);
    if (reader !== this.#shownReader) {
      this.#shownReader = reader;
      this.#shownBranch = 0;
      this.#shape = '';
      this.#nodes.clear();
      this.#endSearches();
    }
    const branch = run?.position?.branch ?? 0;
    if (reader?.branches.some(({ id }) => id === branch)) this.#shownBranch = branch;
    this.#watchProgress(reader);
    this.#describe(run);
    if (!this.#view.visible && !this.#isFirstStop(run)) {
      // What is not seen is made when it is.
      this.#shape = '';
      return;
    }
    if (reader === undefined) {
      this.#outline = undefined;
      this.#changed.fire(undefined);
      return;
    }
    const found = (list: StepList) => this.#searches.get(list.key)?.found ?? [];
    const outline = new StepsOutline(
      reader.branches,
      this.#shownBranch,
      this.#filter.kind === 'all' ? undefined : found,
      this.#isFollowing,
    );
    this.#outline = outline;
    if (this.#filter.kind !== 'all') void this.#searchRoot(outline.root);
    const marked = run === undefined || run.ended ? undefined : run.position?.step;
    const unmarked = this.#marked;
    this.#marked = marked;
    const shape = shapeOf(outline, reader);
    const last = outline.lastGroup();
    const known = last && this.#nodes.get(last.id);
    if (shape !== this.#shape || known === undefined || this.#filter.kind !== 'all') {
      this.#shape = shape;
      this.#changed.fire(undefined);
    } else {
      const moved = [unmarked, marked]
        .filter((step) => step !== undefined)
        .map((step) => this.#nodes.get(`${outline.root.key}/${step}`))
        .filter((node) => node !== undefined);
      this.#changed.fire([known, ...(unmarked === marked ? [] : moved)]);
    }
    void this.#reveal();
  }

  /**
   * VS Code folds views of extensions in Run and Debug at first. The first time that a session stops in a workspace the
   * tree opens by itself, once.
   */
  #isFirstStop(run: TracedRun | undefined): boolean {
    const hasStopped = run?.position?.stopped === true && (run.reader?.branches[0]?.steps ?? 0) > 0;
    if (!hasStopped || this.#memory.get(wasShownKey, false)) return false;
    return vscode.workspace.getConfiguration('debug').get('openDebug') !== 'neverOpen';
  }

  /** Selects where the session stands; without one, the last step is brought into view. */
  async #reveal(): Promise<void> {
    const run = this.#traces.current;
    const outline = this.#outline;
    const isShown = this.#view.visible || this.#isFirstStop(run);
    if (!this.#isFollowing || !isShown || outline === undefined || run === undefined) return;
    const step = Math.min(run.position?.step ?? 0, outline.stepsOf(this.#shownBranch) - 1);
    const node = outline.nodeOf(step);
    if (node === undefined) return;
    try {
      await this.#view.reveal(node, { select: true, focus: false });
      if (!this.#memory.get(wasShownKey, false)) await this.#memory.update(wasShownKey, true);
    } catch (error) {
      // The tree has been made anew meanwhile, and shows the step by itself.
      this.#log.debug(`Step ${step} could not be revealed: ${String(error)}`);
    }
  }

  async #searchRoot(list: StepList): Promise<void> {
    if (this.#isSearching) return;
    this.#isSearching = true;
    const { signal } = this.#searching;
    try {
      const isNew = await vscode.window.withProgress({ location: { viewId: stepsViewId } }, () =>
        this.#search(list),
      );
      if (isNew) this.#changed.fire(undefined);
    } finally {
      if (!signal.aborted) {
        this.#isSearching = false;
        this.#describe(this.#traces.current);
      }
    }
  }

  /** Whether something new was found. */
  async #search(list: StepList): Promise<boolean> {
    const reader = this.#shownReader;
    if (reader === undefined) return false;
    const known = this.#searches.get(list.key);
    const search = known ?? new StepSearch(reader, list.branch, list.first, this.#filter);
    this.#searches.set(list.key, search);
    const { signal } = this.#searching;
    let shown = Date.now();
    const pause = async () => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (Date.now() - shown < refreshDelay * 2 || signal.aborted) return;
      // A long search shows what it has.
      shown = Date.now();
      this.#describe(this.#traces.current);
      if (list.key === this.#outline?.root.key) this.#changed.fire(undefined);
    };
    try {
      return await search.goOn(pause, signal);
    } catch (error) {
      if (!signal.aborted)
        void vscode.window.showErrorMessage(
          `The search through the steps ended early: ${error instanceof Error ? error.message : String(error)}`,
        );
      return false;
    }
  }

  #endSearches(): void {
    this.#searching.abort();
    this.#searching = new AbortController();
    this.#searches = new Map();
    this.#isSearching = false;
  }

  /** The texts above the tree. */
  #describe(run: TracedRun | undefined): void {
    const reader = run?.reader;
    this.#view.description =
      reader !== undefined && reader.branches.length > 1 ? `branch ${this.#shownBranch}` : '';
    this.#view.message = run === undefined ? '' : [...this.#messages(run)].join(' ');
  }

  *#messages({ reader, failure, tracePath, ended }: TracedRun): Generator<string> {
    if (failure !== undefined) yield failure;
    else if (tracePath === undefined)
      yield ended ? 'The session left no trace.' : 'No trace has been named yet.';
    if (reader === undefined) return;
    const [problem] = reader.problems;
    const others = reader.problems.length + reader.problemsLeftOut - 1;
    if (problem !== undefined) {
      yield `Line ${problem.line}: ${printableLine(problem.message)}`;
      if (others > 0) yield `There are ${count(others)} more problems in the trace.`;
    }
    if (this.#filter.kind === 'all') return;
    const search = this.#searches.get(this.#outline?.root.key ?? '');
    const found = search?.found.length ?? 0;
    yield `Filter: ${filterText(this.#filter)}. ${count(found)} of ${count(search?.next ?? 0)} steps.`;
  }

  /** Shows that a long trace is being read. */
  #watchProgress(reader: TraceReader | undefined): void {
    if (reader === undefined || reader.progress.complete) {
      this.#setProgress(false);
      return;
    }
    if (this.#progressTimer !== undefined || this.#endProgress !== undefined) return;
    this.#progressTimer = setTimeout(() => {
      this.#progressTimer = undefined;
      if (this.#shownReader !== undefined && !this.#shownReader.progress.complete) this.#setProgress(true);
    }, progressDelay);
  }

  #setProgress(isShown: boolean): void {
    if (!isShown) {
      clearTimeout(this.#progressTimer);
      this.#progressTimer = undefined;
      this.#endProgress?.();
      this.#endProgress = undefined;
      return;
    }
    // At once, since VS Code calls back later: the reading may be over by then.
    const ended = new Promise<void>((resolve) => {
      this.#endProgress = resolve;
    });
    void vscode.window.withProgress({ location: { viewId: stepsViewId } }, () => ended);
  }

  #setContext(name: keyof typeof contextKeys, value: boolean): void {
    void vscode.commands.executeCommand('setContext', contextKeys[name], value);
  }
}

/** What decides about the tree's first level: while it stays the same, only the last group has changed. */
function shapeOf(outline: StepsOutline, { branches }: TraceReader): string {
  const ends = branches.map(({ id, end, parent }) => `${id}:${end?.outcome ?? ''}:${parent?.step ?? ''}`);
  return [outline.root.key, outline.lastGroup()?.id ?? '', ...ends].join(' ');
}
