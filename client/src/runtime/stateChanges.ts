/** ΔΣ for a reader: what a merge set, changed and deleted, a line each. */
import { formatPointer } from '../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonValue, ownProperty } from '../../../schemas/json/jsonValue';
import { printableLine } from '../../../schemas/text/printable';
import { jsonEqual } from './jsonEquality';

export interface StateChange {
  readonly pointer: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** The smallest set of differing values between two states; objects are compared by key, all else as a whole. */
export function stateChanges(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly StateChange[] {
  const changes: StateChange[] = [];
  const open: { path: readonly string[]; before: JsonValue | undefined; after: JsonValue | undefined }[] = [
    { path: [], before, after },
  ];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    if (pair.before === pair.after) continue;
    if (isJsonObject(pair.before) && isJsonObject(pair.after)) {
      const keys = new Set([...Object.keys(pair.before), ...Object.keys(pair.after)]);
      for (const key of [...keys].reverse()) {
        open.push({
          path: [...pair.path, key],
          before: ownProperty(pair.before, key),
          after: ownProperty(pair.after, key),
        });
      }
    } else if (!areEqual(pair.before, pair.after)) {
      changes.push({ pointer: formatPointer(pair.path), before: pair.before, after: pair.after });
    }
  }
  return changes;
}

function areEqual(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  return before !== undefined && after !== undefined && jsonEqual(before, after);
}

/** `+ /a = 1`, `~ /a = 2 (was 1)`, `- /a (was 2)`; one line, long values are cut. */
export function formatChange(change: StateChange): string {
  const where = printableLine(change.pointer) || '(root)';
  if (change.after === undefined) return `- ${where} (was ${short(change.before)})`;
  if (change.before === undefined) return `+ ${where} = ${short(change.after)}`;
  return `~ ${where} = ${short(change.after)} (was ${short(change.before)})`;
}

function short(value: JsonValue | undefined): string {
  const text = JSON.stringify(value) ?? '';
  return printableLine(text.length > 80 ? `${text.slice(0, 77)}…` : text);
}
