/**
 * Which texts of a step are shown as documents besides those of views/documents: values as they were written, actions,
 * files as they were recorded. Free of VS Code.
 */

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
