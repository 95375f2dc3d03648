/** What tells a recorded run from others in a list. Free of VS Code. */
import type { RunRecord } from '../../../../schemas/trace/trace';
import { shortened } from '../../runtime/quotation';
import type { TraceBranch } from '../../runtime/traceReader';

/** What is known of a trace. */
export interface KnownTrace {
  readonly header: Pick<RunRecord, 'model' | 'skill' | 'time'> | undefined;
  /** Undefined where the trace is too long to be read for a list. */
  readonly branches: readonly Pick<TraceBranch, 'steps'>[] | undefined;
  readonly bytes: number;
}

/** `openai:qwen · 25 steps, 2 branches`; of a file that is no trace that. */
export function recordedRunText({ header, branches, bytes }: KnownTrace): string {
  if (header === undefined) return 'not readable as a trace';
  const model = shortened(header.model.name, 60);
  if (branches === undefined) return `${model} · ${Math.round(bytes / 1_000_000)} MB`;
  const steps = branches[0]?.steps ?? 0;
  const others = branches.length > 1 ? `, ${branches.length} branches` : '';
  return `${model} · ${steps} ${steps === 1 ? 'step' : 'steps'}${others}`;
}

/** Of which skill it is, and when it began, as people write it here: `warehouse · 30/11/2026, 22:41:03`. */
export function recordedRunDetail({ header }: KnownTrace, path: string): string {
  if (header === undefined) return path;
  return `${shortened(header.skill.name, 60)} · ${new Date(header.time).toLocaleString()} · ${path}`;
}
