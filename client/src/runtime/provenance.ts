/** Which paths of Σ are only proposed: written by the model, and not yet confirmed by an accepted action. */
import { formatPointer, type JsonPath } from '../../../schemas/json/jsonPointer';
import type { Write } from './merge';

/** Where a proposed value comes from. */
export interface Proposal {
  /** The step whose patch wrote it and whose action the environment has not accepted. */
  readonly step: number;
}

/** Proposed paths as JSON Pointers into Σ. A deleted path stays in it until its deletion is confirmed. */
export type Proposals = ReadonlyMap<string, Proposal>;

/**
 * Adds a step's writes. What they replace is dropped: entries below a written path, and above one that was set. A
 * write that changed nothing only takes over a path that was proposed already: confirmed values stay confirmed.
 */
export function propose(proposals: Proposals, writes: readonly Write[], step: number): Proposals {
  const relevant = writes
    .map((write) => ({ ...write, pointer: formatPointer(write.path) }))
    .filter((write) => write.changed || proposals.has(write.pointer));
  if (relevant.length === 0) return proposals;
  const written = new Set(relevant.map((write) => write.pointer));
  const above = new Set(relevant.flatMap((write) => (write.kind === 'set' ? ancestors(write.pointer) : [])));
  const next = new Map<string, Proposal>();
  for (const [pointer, proposal] of proposals) {
    const replaced = above.has(pointer) || ancestors(pointer).some((ancestor) => written.has(ancestor));
    if (!replaced) next.set(pointer, proposal);
  }
  for (const pointer of written) next.set(pointer, { step });
  return next;
}

/** The environment accepted the action of `step`: what that step wrote is proposed no longer. */
export function confirm(proposals: Proposals, step: number): Proposals {
  const next = new Map([...proposals].filter(([, proposal]) => proposal.step !== step));
  return next.size === proposals.size ? proposals : next;
}

/** A person wrote at `path`: what stands there and below it is proposed no longer. */
export function settle(proposals: Proposals, path: JsonPath): Proposals {
  if (proposals.size === 0) return proposals;
  const pointer = formatPointer(path);
  const next = new Map([...proposals].filter(([one]) => one !== pointer && !one.startsWith(`${pointer}/`)));
  return next.size === proposals.size ? proposals : next;
}

/** The proposal that a path of Σ stands under, its own or that of an object around it. */
export function isProposed(proposals: Proposals, path: JsonPath): Proposal | undefined {
  if (proposals.size === 0) return undefined;
  const pointer = formatPointer(path);
  const own = proposals.get(pointer);
  if (own !== undefined) return own;
  const ancestor = ancestors(pointer).find((candidate) => proposals.has(candidate));
  return ancestor === undefined ? undefined : proposals.get(ancestor);
}

/** What is proposed below each path, by the steps that wrote it first. Counted once for each set of proposals. */
const firstBelow = new WeakMap<Proposals, ReadonlyMap<string, Proposal>>();

/** The oldest proposal below a path of Σ; undefined where nothing in it is proposed by itself. */
export function isProposedInPart(proposals: Proposals, path: JsonPath): Proposal | undefined {
  if (proposals.size === 0) return undefined;
  const known = firstBelow.get(proposals) ?? oldestBelow(proposals);
  firstBelow.set(proposals, known);
  return known.get(formatPointer(path));
}

function oldestBelow(proposals: Proposals): ReadonlyMap<string, Proposal> {
  const oldest = new Map<string, Proposal>();
  for (const [pointer, proposal] of proposals) {
    for (const ancestor of ancestors(pointer)) {
      const other = oldest.get(ancestor);
      if (other === undefined || proposal.step < other.step) oldest.set(ancestor, proposal);
    }
  }
  return oldest;
}

/** `/a/b/c` has `/a/b`, `/a` and the root, nearest first. */
function ancestors(pointer: string): string[] {
  const pointers: string[] = [];
  for (let end = pointer.lastIndexOf('/'); end >= 0; end = pointer.lastIndexOf('/', end - 1)) {
    pointers.push(pointer.slice(0, end));
    if (end === 0) break;
  }
  return pointers;
}
