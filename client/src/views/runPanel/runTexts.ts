/** Texts of a step that have no file: values as they were written, actions, files as they were recorded. Free of VS Code. */
import { formatPointer } from '../../../../schemas/json/jsonPointer';
import type { TraceReader } from '../../runtime/traceReader';
import { recordedFiles } from '../documents/traceTexts';
import { writesOf } from './stepDetail';

/** The scheme of these documents. */
export const runTextScheme = 'skill-state-run-text';

/** Which text a document shows. */
export interface RunText {
  readonly trace: string;
  readonly branch: number;
  readonly step: number;
  readonly part:
    | { readonly kind: 'action' }
    | { readonly kind: 'value'; readonly change: number; readonly side: 'before' | 'after' }
    | { readonly kind: 'file'; readonly path: string };
}

/** The path, which a tab shows and whose end says the language, and the query of a document's URI. */
export function runTextAddress(text: RunText): { readonly path: string; readonly query: string } {
  const { trace, branch, step, part } = text;
  const query = new URLSearchParams({ trace, branch: String(branch), step: String(step), kind: part.kind });
  if (part.kind === 'value') {
    query.set('change', String(part.change));
    query.set('side', part.side);
  }
  if (part.kind === 'file') query.set('path', part.path);
  return { path: `/${nameOf(text)}`, query: query.toString() };
}

function nameOf({ branch, step, part }: RunText): string {
  const place = branch === 0 ? `step ${step}` : `branch ${branch}, step ${step}`;
  if (part.kind === 'action') return `action (${place}).txt`;
  if (part.kind === 'value') return `value ${part.change + 1} ${part.side} (${place}).json`;
  const name = part.path.slice(part.path.lastIndexOf('/') + 1);
  return `recorded (${place})/${name}`;
}

/** What a query names; undefined for one that names nothing. */
export function parseRunText(query: string): RunText | undefined {
  const values = new URLSearchParams(query);
  const trace = values.get('trace');
  const branch = countOf(values.get('branch'));
  const step = countOf(values.get('step'));
  if (!trace || branch === undefined || step === undefined) return undefined;
  const place = { trace, branch, step };
  switch (values.get('kind')) {
    case 'action':
      return { ...place, part: { kind: 'action' } };
    case 'value': {
      const change = countOf(values.get('change'));
      const side = values.get('side');
      if (change === undefined || (side !== 'before' && side !== 'after')) return undefined;
      return { ...place, part: { kind: 'value', change, side } };
    }
    case 'file': {
      const path = values.get('path');
      return path === null ? undefined : { ...place, part: { kind: 'file', path } };
    }
    default:
      return undefined;
  }
}

function countOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * The text that a document shows.
 *
 * @throws RangeError, whose message is for the user, where the step has no such text
 */
export async function runText(reader: TraceReader, { branch, step, part }: RunText): Promise<string> {
  if (part.kind === 'file') {
    const file = recordedFiles(reader, branch, step)?.find(({ path }) => path === part.path);
    if (file === undefined) throw new RangeError(`The trace has recorded no file ${part.path}.`);
    return file.text;
  }
  const recorded = await reader.step(branch, step);
  if (part.kind === 'action') {
    if (recorded.intent === undefined) throw new RangeError(`Step ${step} has no action.`);
    return recorded.intent.action;
  }
  const written = (await writesOf(reader, branch, recorded))[part.change];
  const value = written?.[part.side];
  if (written === undefined || value === undefined) {
    const where = written === undefined ? 'that place' : formatPointer(written.path);
    throw new RangeError(
      `Step ${step} has no value ${part.side === 'before' ? 'before' : 'after'} at ${where}.`,
    );
  }
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
