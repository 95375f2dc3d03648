/** The tree of steps: levels stay short, and every branch is reached in one way. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type OutlinedBranch,
  type OutlineNode,
  StepsOutline,
} from '../../../client/src/views/steps/stepsOutline';

function shown(outline: StepsOutline, nodes: readonly OutlineNode[], depth = 0): string[] {
  return nodes.flatMap((node) => {
    const children = outline.children(node);
    const name =
      node.kind === 'step'
        ? `${node.step}`
        : node.kind === 'branch'
          ? `branch ${node.branch}`
          : `${outline.extent(node).first}–${outline.extent(node).last}`;
    return [`${'  '.repeat(depth)}${name}`, ...shown(outline, children, depth + 1)];
  });
}

function tree(branches: readonly OutlinedBranch[], branch: number): string[] {
  const outline = new StepsOutline(branches, branch);
  return shown(outline, outline.roots());
}

describe('StepsOutline', () => {
  it('lists a short run as it is', () => {
    expect(tree([{ id: 0, steps: 3 }], 0)).toEqual(['0', '1', '2']);
    expect(tree([{ id: 0, steps: 0 }], 0)).toEqual([]);
  });

  it.each([
    [100, 100, 'step'],
    [101, 2, 'group'],
    [10_000, 100, 'group'],
    [10_001, 2, 'group'],
    [100_000, 10, 'group'],
  ])('shows %i steps as %i nodes', (steps, count, kind) => {
    const outline = new StepsOutline([{ id: 0, steps }], 0);
    const roots = outline.roots();
    expect(roots).toHaveLength(count);
    expect(roots[0]?.kind).toBe(kind);
    const last = outline.nodeOf(steps - 1);
    expect(last).toMatchObject({ kind: 'step', step: steps - 1 });
    for (let node = last?.parent; node !== undefined; node = node.parent)
      expect(outline.children(node).length).toBeLessThanOrEqual(100);
  });

  it('shows a branch under the step that it leaves, and the rest of the line it left', () => {
    const branches = [
      { id: 0, steps: 4 },
      { id: 1, steps: 3, parent: { branch: 0, step: 1 } },
    ];
    expect(tree(branches, 0)).toEqual(['0', '1', '  branch 1', '    1', '    2', '2', '3']);
    expect(tree(branches, 1)).toEqual(['0', '1', '  branch 0', '    1', '    2', '    3', '2']);
  });

  it('shows siblings beside each other, and forks of forks below them', () => {
    const branches = [
      { id: 0, steps: 3 },
      { id: 1, steps: 3, parent: { branch: 0, step: 1 } },
      { id: 2, steps: 2, parent: { branch: 0, step: 1 } },
      { id: 3, steps: 3, parent: { branch: 1, step: 1 } },
    ];
    expect(tree(branches, 3)).toEqual([
      '0',
      '1',
      '  branch 0',
      '    1',
      '    2',
      '  branch 1',
      '    1',
      '    2',
      '  branch 2',
      '    1',
      '2',
    ]);
  });

  it('shows what a filter found, and the branches', () => {
    const branches = [
      { id: 0, steps: 500 },
      { id: 1, steps: 300, parent: { branch: 0, step: 250 } },
    ];
    const outline = new StepsOutline(branches, 0, (list) => (list.branch === 0 ? [3, 400] : []));
    expect(shown(outline, outline.roots())).toEqual(['3', 'branch 1', '400']);
    expect(outline.nodeOf(400)).toMatchObject({ step: 400 });
    expect(outline.nodeOf(4)).toBeUndefined();
  });

  it('groups what a filter found by hundreds', () => {
    const found = Array.from({ length: 250 }, (_, index) => index * 3);
    const outline = new StepsOutline([{ id: 0, steps: 1_000 }], 0, () => found);
    expect(outline.roots().map((node) => node.kind === 'group' && outline.extent(node))).toEqual([
      { first: 0, last: 297, count: 100 },
      { first: 300, last: 597, count: 100 },
      { first: 600, last: 747, count: 50 },
    ]);
    expect(outline.nodeOf(600)).toMatchObject({ kind: 'step', step: 600 });
  });

  it('names the group that grows', () => {
    const last = new StepsOutline([{ id: 0, steps: 20_050 }], 0).lastGroup();
    expect(last).toMatchObject({ kind: 'group', from: 20_000, to: 20_100 });
    expect(new StepsOutline([{ id: 0, steps: 50 }], 0).lastGroup()).toBeUndefined();
  });

  it('closes the group that the run has gone beyond, if that is wanted', () => {
    const idsAt = (steps: number, closesPassed: boolean) =>
      new StepsOutline([{ id: 0, steps }], 0, undefined, closesPassed).roots().map(({ id }) => id);
    const [first, last] = idsAt(200, true);
    expect(idsAt(199, true)).toEqual([first, last]);
    const [again, passed, next] = idsAt(201, true);
    expect(again).toBe(first);
    expect(passed).not.toBe(last);
    expect(idsAt(300, true)).toEqual([first, passed, next]);
    expect(idsAt(201, false).slice(0, 2)).toEqual(idsAt(200, false));
  });

  it('reaches every branch in one way, from wherever it is looked at', () => {
    const forks = fc.array(
      fc.record({ from: fc.nat(), step: fc.nat(), more: fc.integer({ min: 1, max: 4 }) }),
      {
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), forks, fc.nat(), (steps, written, pick) => {
        const branches: OutlinedBranch[] = [{ id: 0, steps }];
        const firsts = [0];
        for (const { from, step, more } of written) {
          const parent = branches[from % branches.length] ?? { id: 0, steps };
          // A branch parts from a step of its parent's own.
          const first = firsts[parent.id] ?? 0;
          const at = first + (step % (parent.steps - first));
          firsts.push(at);
          branches.push({ id: branches.length, steps: at + more, parent: { branch: parent.id, step: at } });
        }
        const current = pick % branches.length;
        const outline = new StepsOutline(branches, current);
        const seen: number[] = [];
        const ids = new Set<string>();
        const open = [...outline.roots()];
        for (let node = open.pop(); node !== undefined; node = open.pop()) {
          expect(ids.has(node.id)).toBe(false);
          ids.add(node.id);
          if (node.kind === 'branch') seen.push(node.branch);
          for (const child of outline.children(node)) {
            expect(child.parent).toBe(node);
            open.push(child);
          }
        }
        const others = branches.map(({ id }) => id).filter((id) => id !== current);
        expect(seen.sort((a, b) => a - b)).toEqual(others);
      }),
    );
  });
});
