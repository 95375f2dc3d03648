/** Which text of a trace a read-only document shows, and how its URI says so. Free of VS Code. */

/** The scheme of these documents; no selector of ours names it, so that nothing in them is checked. */
export const traceScheme = 'skill-state-trace';

const documentParts = ['state', 'patch', 'prompt', 'reply', 'observation', 'outcome'] as const;

/**
 * `state` is Σ_t before the step, so that the one after step t is that of t + 1; `observation` is O_t, `outcome` what the
 * environment answered to the action.
 */
export type DocumentPart = (typeof documentParts)[number];

export interface TraceDocument {
  /** The trace's file, absolute. */
  readonly trace: string;
  readonly branch: number;
  readonly step: number;
  readonly part: DocumentPart;
  /** Of prompts and replies, from 1; the last one where none is named. */
  readonly attempt?: number | undefined;
}

const extensions: Readonly<Record<DocumentPart, string>> = {
  state: 'json',
  patch: 'json',
  prompt: 'md',
  reply: 'md',
  observation: 'txt',
  outcome: 'txt',
};

/** The path and query of a document's URI. The path is what a tab shows, and its end says the language. */
export function documentAddress(document: TraceDocument): { readonly path: string; readonly query: string } {
  const { trace, branch, step, part, attempt } = document;
  const place = [
    ...(branch === 0 ? [] : [`branch ${branch}`]),
    `step ${step}`,
    ...(attempt === undefined ? [] : [`attempt ${attempt}`]),
  ];
  const query = new URLSearchParams({ trace, branch: String(branch), step: String(step), part });
  if (attempt !== undefined) query.set('attempt', String(attempt));
  return { path: `/${part} (${place.join(', ')}).${extensions[part]}`, query: query.toString() };
}

/** What a query names; undefined for one that names nothing. */
export function parseDocumentQuery(query: string): TraceDocument | undefined {
  const values = new URLSearchParams(query);
  const trace = values.get('trace');
  const branch = countOf(values.get('branch'));
  const step = countOf(values.get('step'));
  const part = documentParts.find((one) => one === values.get('part'));
  if (!trace || branch === undefined || step === undefined || part === undefined) return undefined;
  const attempt = countOf(values.get('attempt'));
  return { trace, branch, step, part, ...(attempt !== undefined && { attempt }) };
}

function countOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** `Σ_5 ↔ Σ_6`, as the title of a diff of two states. */
export function diffTitle(from: TraceDocument, to: TraceDocument): string {
  const name = ({ step, branch }: TraceDocument) =>
    from.branch === to.branch && from.trace === to.trace ? `Σ_${step}` : `Σ_${step} (branch ${branch})`;
  const traces =
    from.trace === to.trace ? [fileName(from.trace)] : [fileName(from.trace), fileName(to.trace)];
  return `${name(from)} ↔ ${name(to)} · ${traces.join(' ↔ ')}`;
}

/** The last segment of a path, whichever way its segments are separated. */
export function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}
