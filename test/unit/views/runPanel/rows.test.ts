import { describe, expect, it } from 'vitest';
import { type FetchRows, type RowPiece, Rows } from '../../../../client/webview/runPanel/rows';
import type { StepRow } from '../../../../schemas/messages/runPanelMessages';

type Query = Parameters<FetchRows>[0];

/** Rows whose answers come when the test wants them to. */
function heldRows() {
  const asked: { readonly query: Query; answer(piece: RowPiece): void; refuse(): void }[] = [];
  let changes = 0;
  const rows = new Rows(
    (query) =>
      new Promise((resolve, reject) => {
        asked.push({ query, answer: resolve, refuse: () => reject(new Error('The trace is gone.')) });
      }),
    () => {
      changes += 1;
    },
  );
  const last = () => {
    const latest = asked.at(-1);
    if (latest === undefined) throw new Error('Nothing was asked');
    return latest;
  };
  return { rows, asked, last, changes: () => changes };
}

function row(step: number, status: StepRow['status'] = 'accepted'): StepRow {
  return {
    step,
    status,
    action: undefined,
    chosen: undefined,
    changed: [],
    changedCount: 0,
    attempts: 1,
    rejections: [],
    warnings: [],
    tokens: {
      ...{ instructions: 1, scaffold: 1, state: 1, observation: 1, output: 1, retried: 0 },
      ...{ spent: 5, estimated: 0, byExtension: 0 },
    },
    ...{ prompt: 4, cached: 0, thinking: 0 },
    before: 5 * step,
    beforeEstimated: 0,
    cost: undefined,
    edited: false,
    forks: [],
  };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the rows that the page has', () => {
  it('are asked for once, and counted with the first answer', async () => {
    const { rows, asked, last, changes } = heldRows();
    expect(rows.at(0, 'rejections', 0)).toBeUndefined();
    expect(rows.at(0, 'rejections', 1)).toBeUndefined();
    expect(rows.total(0, 'rejections')).toBeUndefined();
    last().answer({ rows: [row(3), row(7)], total: 2 });
    await settled();
    expect(asked).toHaveLength(1);
    expect(changes()).toBe(1);
    expect(rows.at(0, 'rejections', 1)?.step).toBe(7);
    expect(rows.total(0, 'rejections')).toBe(2);
  });

  it('stay, with their number, until the run that goes on has others in their place', async () => {
    const { rows, asked, last } = heldRows();
    rows.at(0, 'warnings', 0);
    last().answer({ rows: [row(3)], total: 1 });
    await settled();
    rows.invalidate();
    expect(rows.total(0, 'warnings')).toBe(1);
    expect(rows.at(0, 'warnings', 0)?.step).toBe(3);
    expect(asked).toHaveLength(2);
    last().answer({ rows: [row(3), row(9)], total: 2 });
    await settled();
    expect(rows.at(0, 'warnings', 1)?.step).toBe(9);
    expect(rows.total(0, 'warnings')).toBe(2);
    expect(asked).toHaveLength(2);
  });

  it('are taken from an answer that the run has overtaken, and asked for once more', async () => {
    const { rows, asked, last } = heldRows();
    rows.at(0, 'all', 0);
    rows.invalidate();
    last().answer({ rows: [row(0, 'running')], total: 1 });
    await settled();
    expect(rows.at(0, 'all', 0)?.step).toBe(0);
    expect(asked).toHaveLength(2);
  });

  it('are asked for again after a refusal, when they are wanted again', async () => {
    const { rows, asked, last, changes } = heldRows();
    rows.at(0, 'all', 0);
    last().refuse();
    await settled();
    expect(asked).toHaveLength(1);
    expect(changes()).toBe(0);
    rows.at(0, 'all', 0);
    expect(asked).toHaveLength(2);
  });

  it('of another run are none of the one before', async () => {
    const { rows, last, changes } = heldRows();
    rows.at(0, 'all', 0);
    rows.clear();
    last().answer({ rows: [row(0)], total: 1 });
    await settled();
    expect(changes()).toBe(0);
    expect(rows.total(0, 'all')).toBeUndefined();
  });
});
