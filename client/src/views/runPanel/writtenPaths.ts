/** What a step did to Σ: each path that a commit or a hand wrote, with the value before and after. */
import { type JsonPath, parsePointer, valueAt } from '../../../../schemas/json/jsonPointer';
import type { JsonObject, JsonValue } from '../../../../schemas/json/jsonValue';
import { isJsonObject } from '../../../../schemas/json/jsonValue';
import type { StateChangeRow } from '../../../../schemas/messages/runPanelMessages';
import { withValueAt } from '../../runtime/jsonEdit';
import { applyPatch, type MergePolicies } from '../../runtime/merge';
import type { RecordedStep } from '../../runtime/traceReader';

/** One written path. */
export interface WrittenPath {
  readonly path: JsonPath;
  readonly kind: StateChangeRow['kind'];
  readonly by: StateChangeRow['by'];
  /** Undefined where there was nothing, or is nothing any more. */
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** Every write of a step from Σ_t on, in the order in which they happened. */
export function writtenPaths(
  state: JsonObject,
  { records, commits, edits }: Pick<RecordedStep, 'records' | 'commits' | 'edits'>,
  policies: MergePolicies,
): readonly WrittenPath[] {
  const written: WrittenPath[] = [];
  let current = state;
  const merge = (patch: JsonObject, by: StateChangeRow['by']) => {
    const merged = applyPatch(current, patch, policies);
    for (const { path, kind, changed } of merged.writes) {
      const before = valueAt(current, path);
      const after = kind === 'delete' ? undefined : valueAt(merged.state, path);
      written.push({ path, kind: kindOf({ before, after, changed, path }, patch), by, before, after });
    }
    current = merged.state;
  };
  const edit = (pointer: string, value: JsonValue | undefined) => {
    const path = parsePointer(pointer);
    if (path === undefined) return;
    const edited = withValueAt(current, path, value);
    if (!edited.ok || !isJsonObject(edited.value)) return;
    const before = valueAt(current, path);
    const kind = value === undefined ? 'deleted' : before === undefined ? 'added' : 'changed';
    written.push({ path, kind, by: 'user', before, after: value });
    current = edited.value;
  };
  // The records have commits and edits in their order; a step made of parts for a test may have none.
  const ordered = records.length > 0 ? records : [...edits, ...commits].sort((a, b) => a.id - b.id);
  for (const record of ordered) {
    if (record.kind === 'commit') merge(record.patch, record.by);
    else if (record.kind === 'edit' && record.target === 'state') edit(record.pointer ?? '', record.value);
  }
  return written;
}

function kindOf(
  {
    before,
    after,
    changed,
    path,
  }: {
    readonly before: JsonValue | undefined;
    readonly after: JsonValue | undefined;
    readonly changed: boolean;
    readonly path: JsonPath;
  },
  patch: JsonObject,
): WrittenPath['kind'] {
  if (!changed) return 'unchanged';
  if (after === undefined) return 'deleted';
  if (Array.isArray(after) && Array.isArray(before)) {
    const given = valueAt(patch, path);
    return Array.isArray(given) && given.length !== after.length ? 'appended' : 'replaced';
  }
  return before === undefined ? 'added' : 'changed';
}
