/** Who wrote a path before a step, as the page shows it. */
import type { BlameRow } from '../../../../schemas/messages/runPanelMessages';
import { blame } from '../../runtime/blame';
import type { TraceReader } from '../../runtime/traceReader';
import { lineExcerpt, proseExcerpt, valueExcerpt } from './excerpts';
import { writesOf } from './stepDetail';

/** How many writes are told, and the most that is waited for them. */
const toldWrites = 12;

/** What each change is called. */
const changeNames = {
  initial: 'initial state',
  set: 'set',
  changed: 'changed',
  deleted: 'deleted',
  members: 'wrote into it',
  'array-replaced': 'replaced the array',
  'array-appended': 'appended',
  'array-united': 'united',
  evicted: 'older items gave way',
  same: 'wrote the same value',
} as const;

/** The writes at a path that a step wrote, that step's own first. */
export async function blameRows(
  reader: TraceReader,
  place: { readonly branch: number; readonly step: number; readonly change: number },
): Promise<{ readonly entries: readonly BlameRow[]; readonly complete: boolean }> {
  const { branch, step, change } = place;
  const written = (await writesOf(reader, branch, await reader.step(branch, step)))[change];
  if (written === undefined) throw new RangeError(`Step ${step} has no write number ${change + 1}.`);
  const entries: BlameRow[] = [];
  for await (const entry of blame(reader, { branch, step: step + 1, path: written.path })) {
    if (entries.length === toldWrites) return { entries, complete: false };
    const { by, value, action, observation, confirmed, attempt } = entry;
    entries.push({
      branch,
      step: by === 'initial' ? undefined : entry.step,
      attempt,
      by: by === 'initial' ? '' : by === 'user' ? 'by hand' : by,
      change: changeNames[entry.change],
      value: value === undefined ? undefined : valueExcerpt(value),
      action: action === undefined ? undefined : lineExcerpt(action),
      observation: observation === undefined ? undefined : proseExcerpt(observation),
      confirmed,
    });
  }
  return { entries, complete: true };
}
