/**
 * The steps of a run as a tree: those of one line of history, by hundreds where there are many, and under a step the
 * branches that part there, so that each branch is reached in one way. Free of VS Code.
 */

/** What the outline needs to know of a branch. */
export interface OutlinedBranch {
  readonly id: number;
  /** Where it began: in step `step` of branch `branch`. Undefined for the original run. */
  readonly parent?: { readonly branch: number; readonly step: number } | undefined;
  /** How many steps its line of history has, those before the fork included. */
  readonly steps: number;
}

/** A list of steps: those of a branch's line from `first` on. */
export interface StepList {
  readonly key: string;
  readonly branch: number;
  readonly first: number;
  /** The branches that are listed beside this one where it begins. */
  readonly beside: ReadonlySet<number>;
}

interface NodeBase {
  /** The same for the same node, whenever it is made. */
  readonly id: string;
  readonly parent: OutlineNode | undefined;
}

/**
 * Steps from..to of a list, `to` excluded; with a filter, the found ones by their index. The last group of a run that
 * goes on isn't full yet.
 */
export interface GroupNode extends NodeBase {
  readonly kind: 'group';
  readonly list: StepList;
  readonly from: number;
  readonly to: number;
  readonly size: number;
}

export interface StepNode extends NodeBase {
  readonly kind: 'step';
  readonly list: StepList;
  readonly step: number;
  /** Whether branches part in this step. */
  readonly parts: boolean;
}

/** A branch where it parts from the line above it: one that was forked there, or the rest of the one that was left. */
export interface BranchNode extends NodeBase {
  readonly kind: 'branch';
  readonly branch: number;
  readonly step: number;
  readonly list: StepList;
}

export type OutlineNode = GroupNode | StepNode | BranchNode;

/** The steps of a list that a filter has found so far, in ascending order. */
export type FoundSteps = (list: StepList) => readonly number[];

/** How many nodes a level shows at most. */
const groupSize = 100;

export class StepsOutline {
  readonly #branches = new Map<number, OutlinedBranch>();
  readonly #forks = new Map<number, OutlinedBranch[]>();
  readonly #found: FoundSteps | undefined;
  readonly #closesPassed: boolean;
  readonly #root: StepList;
  readonly #partings = new Map<string, ReadonlyMap<number, readonly number[]>>();

  /**
   * @param branch whose line of history is shown
   * @param found with a filter: the steps to show
   * @param closesPassed whether the group at the end becomes another node when the run goes on beyond it: a tree then
   * opens the new last one alone. Else whatever was at the end stays open, and is fetched again with the whole tree.
   */
  constructor(branches: readonly OutlinedBranch[], branch: number, found?: FoundSteps, closesPassed = false) {
    for (const one of branches) {
      this.#branches.set(one.id, one);
      if (one.parent === undefined) continue;
      const forks = this.#forks.get(one.parent.branch);
      if (forks === undefined) this.#forks.set(one.parent.branch, [one]);
      else forks.push(one);
    }
    this.#found = found;
    this.#closesPassed = closesPassed;
    this.#root = { key: `b${branch}`, branch, first: 0, beside: new Set() };
  }

  get root(): StepList {
    return this.#root;
  }

  roots(): readonly OutlineNode[] {
    return this.#level(this.#root, undefined);
  }

  children(node: OutlineNode): readonly OutlineNode[] {
    if (node.kind === 'branch') return this.#level(node.list, node);
    if (node.kind === 'step') return this.#branchesAt(node.list, node.step, node);
    const { list, from, to, size } = node;
    return size === groupSize
      ? this.#entries(list, from, to, node)
      : this.#groups(list, from, to, size / groupSize, node);
  }

  /** The node of a step of the line that is shown; undefined where it isn't listed. */
  nodeOf(step: number): OutlineNode | undefined {
    let level = this.roots();
    for (;;) {
      const next = level.find(
        (node) =>
          (node.kind === 'step' && node.step === step) ||
          (node.kind === 'group' && this.#contains(node, step)),
      );
      if (next === undefined || next.kind !== 'group') return next;
      level = this.children(next);
    }
  }

  /** The node that the list's last step is under, or itself: what changes when the run goes on. */
  lastGroup(): OutlineNode | undefined {
    let last = this.roots().at(-1);
    while (last?.kind === 'group' && last.size > groupSize) last = this.children(last).at(-1);
    return last?.kind === 'group' ? last : undefined;
  }

  /** The steps that a group runs over, the last one included; `count` with a filter, of those that were found. */
  extent({ list, from, to }: GroupNode): {
    readonly first: number;
    readonly last: number;
    readonly count: number;
  } {
    if (this.#found === undefined) {
      const last = Math.min(to, this.#end(list)) - 1;
      return { first: from, last, count: last - from + 1 };
    }
    const rows = this.#rows(list);
    const last = Math.min(to, rows.length) - 1;
    return { first: rows[from] ?? 0, last: rows[last] ?? 0, count: last - from + 1 };
  }

  /** How many steps a branch's line has. */
  stepsOf(branch: number): number {
    return this.#branches.get(branch)?.steps ?? 0;
  }

  #end(list: StepList): number {
    return this.stepsOf(list.branch);
  }

  #contains(node: GroupNode, step: number): boolean {
    if (this.#found === undefined) return node.from <= step && step < node.to;
    const { first, last } = this.extent(node);
    return first <= step && step <= last;
  }

  #level(list: StepList, parent: OutlineNode | undefined): readonly OutlineNode[] {
    const [from, to] =
      this.#found === undefined ? [list.first, this.#end(list)] : [0, this.#rows(list).length];
    let size = groupSize;
    if (to - from <= size) return this.#entries(list, from, to, parent);
    while ((to - from) / size > groupSize) size *= groupSize;
    return this.#groups(list, from, to, size, parent);
  }

  /** Groups begin at multiples of their size, so that a step stays in its group while the run goes on. */
  #groups(
    list: StepList,
    from: number,
    to: number,
    size: number,
    parent: OutlineNode | undefined,
  ): readonly GroupNode[] {
    const length = this.#found === undefined ? this.#end(list) : this.#rows(list).length;
    const end = Math.min(to, length);
    const groups: GroupNode[] = [];
    for (let start = from; start < end; ) {
      const next = Math.floor(start / size) * size + size;
      groups.push({
        kind: 'group',
        id: `${list.key}/${size}x${Math.floor(start / size)}${this.#closesPassed && next >= length ? '/last' : ''}`,
        parent,
        list,
        from: start,
        to: next,
        size,
      });
      start = next;
    }
    return groups;
  }

  #entries(
    list: StepList,
    from: number,
    to: number,
    parent: OutlineNode | undefined,
  ): readonly OutlineNode[] {
    const partings = this.#partingsOf(list);
    const stepNode = (step: number): StepNode => ({
      kind: 'step',
      id: `${list.key}/${step}`,
      parent,
      list,
      step,
      parts: partings.has(step),
    });
    const nodes: OutlineNode[] = [];
    if (this.#found === undefined) {
      const end = Math.min(to, this.#end(list));
      for (let step = from; step < end; step++) nodes.push(stepNode(step));
      return nodes;
    }
    const found = partings.size === 0 ? undefined : new Set(this.#found(list));
    for (const step of this.#rows(list).slice(from, to)) {
      if (found?.has(step) ?? true) nodes.push(stepNode(step));
      else nodes.push(...this.#branchesAt(list, step, parent));
    }
    return nodes;
  }

  /** With a filter: the steps that were found, and those in which branches part, which are shown for the branches alone. */
  #rows(list: StepList): readonly number[] {
    const found = this.#found?.(list) ?? [];
    const partings = this.#partingsOf(list);
    if (partings.size === 0) return found;
    return [...new Set([...found, ...partings.keys()])].sort((a, b) => a - b);
  }

  #branchesAt(list: StepList, step: number, parent: OutlineNode | undefined): readonly BranchNode[] {
    const parting = this.#partingsOf(list).get(step) ?? [];
    if (parting.length === 0) return [];
    const beside = new Set([...parting, ...this.#chainOf(list.branch)]);
    if (step === list.first) for (const branch of list.beside) beside.add(branch);
    return parting.map((branch) => {
      const key = `${list.key}/${step}/b${branch}`;
      return { kind: 'branch', id: key, parent, branch, step, list: { key, branch, first: step, beside } };
    });
  }

  /** A branch and those that its line of history comes from. */
  #chainOf(branch: number): ReadonlySet<number> {
    const chain = new Set<number>();
    for (let at = this.#branches.get(branch); at !== undefined && !chain.has(at.id); ) {
      chain.add(at.id);
      at = at.parent && this.#branches.get(at.parent.branch);
    }
    return chain;
  }

  /** The branches that part from a list, by step. */
  #partingsOf(list: StepList): ReadonlyMap<number, readonly number[]> {
    const known = this.#partings.get(list.key);
    if (known !== undefined) return known;
    const partings = new Map<number, number[]>();
    const add = (step: number, branch: number) => {
      if (step < list.first || (step === list.first && list.beside.has(branch))) return;
      const there = partings.get(step);
      if (there === undefined) partings.set(step, [branch]);
      else there.push(branch);
    };
    // From the branch up to the original run. `until` is the step in which the line leaves the branch that is looked at.
    let until = Number.POSITIVE_INFINITY;
    let child: number | undefined;
    const passed = new Set<number>();
    let branch = this.#branches.get(list.branch);
    while (branch !== undefined && !passed.has(branch.id) && until >= list.first) {
      passed.add(branch.id);
      for (const { id, parent } of this.#forks.get(branch.id) ?? []) {
        if (parent !== undefined && parent.step <= until && id !== child) add(parent.step, id);
      }
      if (child !== undefined && branch.steps > until) add(until, branch.id);
      child = branch.id;
      until = branch.parent?.step ?? -1;
      branch = branch.parent && this.#branches.get(branch.parent.branch);
    }
    for (const branches of partings.values()) branches.sort((a, b) => a - b);
    this.#partings.set(list.key, partings);
    return partings;
  }
}
