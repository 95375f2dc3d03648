/**
 * Which keys of its variables an expression reads, and which of these reads nothing guards: where the key is missing,
 * `size(state.open) <= 3` can't be evaluated, `!has(state.open) || size(state.open) <= 3` can.
 */
import type { ASTNode } from '@marcbachmann/cel-js';

/** A key, or an element of a list or map, which `element` tells from others of the same expression. */
export type ReadStep =
  | { readonly key: string; readonly element?: undefined }
  | { readonly key?: undefined; readonly element: string };

/** The body of a macro such as `all`, in which its variable stands. UTF-16 offsets into the expression. */
export interface MacroBody {
  readonly macro: string;
  readonly start: number;
  readonly end: number;
}

/** A key that is read without a guard. UTF-16 offsets into the expression. */
export interface UnguardedRead {
  /** From the variable, which is its first key, to the key that is read. */
  readonly path: readonly ReadStep[];
  readonly start: number;
  readonly end: number;
  /** Where what is read is written so that `has` takes it (`state.open`); else its key and what it is read of. */
  readonly form: 'field' | 'index';
  /** The innermost macro whose variable the path begins with. */
  readonly body: MacroBody | undefined;
}

interface Place {
  readonly path: readonly ReadStep[];
  readonly body: MacroBody | undefined;
}

type Present = ReadonlySet<string>;
type Scope = ReadonlyMap<string, Place | undefined>;

const nothing: Present = new Set();

/** Macros whose first argument names the element that the others speak of. */
const macros: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'existsOne', 'filter', 'map']);

/** The unguarded reads of a variable's keys, each path once, in the order of the expression. */
export function unguardedReads(root: ASTNode, variable: string): readonly UnguardedRead[] {
  const found = new Map<string, UnguardedRead>();
  const start: Scope = new Map([[variable, { path: [{ key: variable }], body: undefined }]]);
  visit(root, { scope: start, present: nothing, found });
  return [...found.values()].sort((a, b) => a.start - b.start || a.end - b.end);
}

interface Context {
  readonly scope: Scope;
  /** The paths that are there wherever the node is evaluated, or whose absence doesn't matter to the whole. */
  readonly present: Present;
  readonly found: Map<string, UnguardedRead>;
}

/** Notes the reads of a node and its parts; gives the place whose value it is, if it is one. */
function visit(node: ASTNode, context: Context): Place | undefined {
  const { scope, present } = context;
  const within = (more: Present): Context => ({ ...context, present: new Set([...present, ...more]) });
  switch (node.op) {
    case 'id':
      return scope.get(node.args);
    case '.':
    case '[]':
    case '.?':
    case '[?]': {
      const owner = visit(node.args[0], context);
      const [, index] = node.args;
      if (typeof index !== 'string') visit(index, context);
      const place = owner && stepInto(owner, index);
      if (place !== undefined && (node.op === '.' || node.op === '[]')) note(node, place, context);
      return place;
    }
    // What one side says guards the other, whichever comes first: an error gives way to a side that decides.
    case '&&':
    case '||': {
      const [left, right] = node.args;
      visit(left, within(facts(right, node.op === '&&', scope)));
      visit(right, within(facts(left, node.op === '&&', scope)));
      return undefined;
    }
    case '?:': {
      const [condition, then, otherwise] = node.args;
      visit(condition, context);
      visit(then, within(facts(condition, true, scope)));
      visit(otherwise, within(facts(condition, false, scope)));
      return undefined;
    }
    case 'call': {
      const [name, args] = node.args;
      const [asked] = args;
      if (name === 'has' && asked?.op === '.') visit(asked.args[0], context);
      else for (const arg of args) visit(arg, context);
      return undefined;
    }
    case 'rcall': {
      const [name, receiver, args] = node.args;
      const owner = visit(receiver, context);
      const [bound, ...bodies] = args;
      if (!macros.has(name) || bound?.op !== 'id' || bodies.length === 0) {
        for (const arg of args) visit(arg, context);
        return undefined;
      }
      for (const part of bodies) {
        const body = { macro: name, start: part.start, end: part.end };
        const element = `${node.start} ${node.end}`;
        const place = owner && { path: [...owner.path, { element }], body };
        visit(part, { ...context, scope: new Map([...scope, [bound.args, place]]) });
      }
      return undefined;
    }
    default:
      for (const part of partsOf(node.args)) visit(part, context);
      return undefined;
  }
}

function note(node: ASTNode & { op: '.' | '[]' }, { path, body }: Place, { present, found }: Context): void {
  const id = pathId(path);
  // Which elements there are is another matter than which keys.
  if (path.at(-1)?.key === undefined || present.has(id) || found.has(id)) return;
  const form = node.op === '.' ? 'field' : 'index';
  found.set(id, { path, start: node.start, end: node.end, form, body });
}

function stepInto({ path, body }: Place, index: string | ASTNode): Place {
  const key = typeof index === 'string' ? index : index.op === 'value' ? index.args : undefined;
  if (typeof key === 'string') return { path: [...path, { key }], body };
  const element = typeof index === 'string' ? index : index.input.slice(index.start, index.end);
  return { path: [...path, { element }], body };
}

/** The place that a node names, without a look at whether it is there. */
function placeOf(node: ASTNode, scope: Scope): Place | undefined {
  if (node.op === 'id') return scope.get(node.args);
  if (node.op !== '.' && node.op !== '[]') return undefined;
  const owner = placeOf(node.args[0], scope);
  return owner && stepInto(owner, node.args[1]);
}

/** The paths that are surely there where a node has a truth value. */
function facts(node: ASTNode, truth: boolean, scope: Scope): Present {
  switch (node.op) {
    case '!_':
      return facts(node.args, !truth, scope);
    case '&&':
    case '||': {
      const [left, right] = node.args.map((side) => facts(side, truth, scope));
      if (left === undefined || right === undefined) return nothing;
      return (node.op === '&&') === truth ? union(left, right) : common(left, right);
    }
    case '?:': {
      const [condition, then, otherwise] = node.args;
      const ways = [
        { way: then, holds: true },
        { way: otherwise, holds: false },
      ].filter(({ way }) => way.op !== 'value' || way.args === truth);
      const sides = ways.map(({ way, holds }) =>
        union(facts(condition, holds, scope), facts(way, truth, scope)),
      );
      return sides.length === 0 ? nothing : sides.reduce(common);
    }
    case 'call': {
      const [name, [asked]] = node.args;
      return truth && name === 'has' && asked !== undefined ? prefixes(placeOf(asked, scope)) : nothing;
    }
    case 'in': {
      const [key, container] = node.args;
      const owner = placeOf(container, scope);
      return truth && owner !== undefined && key.op === 'value' ? prefixes(stepInto(owner, key)) : nothing;
    }
    default:
      return nothing;
  }
}

function prefixes(place: Place | undefined): Present {
  return new Set((place?.path ?? []).map((_, index, path) => pathId(path.slice(0, index + 1))));
}

function union(a: Present, b: Present): Present {
  return new Set([...a, ...b]);
}

function common(a: Present, b: Present): Present {
  return new Set([...a].filter((id) => b.has(id)));
}

function pathId(path: readonly ReadStep[]): string {
  return JSON.stringify(path.map(({ key, element }) => [key, element]));
}

/** The nodes among the arguments of one. */
function partsOf(args: unknown): readonly ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(partsOf);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as ASTNode] : [];
}
