/** What a code span of the instructions names: a field of the state, an action, an argument of one. */
import type { ActionSignature } from '../../../../schemas/skill/actionSignature';
import type { Skill } from '../../../../schemas/skill/skill';
import { type PathSegment, type ProsePath, parseComparedPath, parseProsePath } from './prosePath';
import { graphOf, type SchemaGraph, type SchemaNode } from './schemaGraph';

/** A segment of a path with what it leads to. */
export interface ResolvedSegment {
  readonly segment: PathSegment;
  /** The declared properties that it names, as {@link SchemaGraph} tells them apart; none for a map's key or an index. */
  readonly properties: readonly string[];
  /** The value that it leads to; undefined after a placeholder that stands for declared names. */
  readonly node: SchemaNode | undefined;
}

/** A path held against the schema. */
export interface ResolvedPath {
  readonly path: ProsePath;
  readonly segments: readonly ResolvedSegment[];
  /** The first segment that the schema doesn't know, and the value that lacks it. */
  readonly failure:
    | { readonly segment: PathSegment; readonly index: number; readonly owner: SchemaNode }
    | undefined;
}

export type SpanMeaning =
  /** `nested`: the bare name of one property that isn't at the root, and the only one of that name. */
  | { readonly kind: 'field'; readonly segments: readonly ResolvedSegment[]; readonly nested: boolean }
  | {
      readonly kind: 'action';
      readonly name: string;
      /** All declared ones of that name. */
      readonly signatures: readonly ActionSignature[];
      /** What follows the name, as written. */
      readonly rest: string;
    }
  | { readonly kind: 'parameter'; readonly name: string };

const maxKnown = 20_000;

/** Names and schema of one skill, to tell what its spans mean. */
export class SkillNames {
  readonly actions: ReadonlyMap<string, readonly ActionSignature[]>;
  readonly parameters: ReadonlySet<string>;
  /** Undefined for a skill without a schema file: then no path is right or wrong. */
  readonly graph: SchemaGraph | undefined;
  /** Instructions say the same names again and again. */
  readonly #known = new Map<string, SpanMeaning | undefined>();

  constructor(skill: Skill) {
    const actions = new Map<string, ActionSignature[]>();
    for (const action of skill.actions) {
      const others = actions.get(action.name);
      if (others === undefined) actions.set(action.name, [action]);
      else others.push(action);
    }
    this.actions = actions;
    this.parameters = new Set(skill.actions.flatMap(({ parameters }) => parameters.map(({ name }) => name)));
    this.graph = skill.stateSchema.origin === 'file' ? graphOf(skill.stateSchema) : undefined;
  }

  /** What a span's text names; undefined for everything else that stands in code spans. */
  meaningOf(text: string): SpanMeaning | undefined {
    if (this.#known.has(text)) return this.#known.get(text);
    const meaning = this.#read(text);
    if (this.#known.size < maxKnown) this.#known.set(text, meaning);
    return meaning;
  }

  #read(text: string): SpanMeaning | undefined {
    if (/[\r\n]/.test(text)) return undefined;
    const action = this.#actionIn(text);
    if (action !== undefined && action.rest !== '') return action;
    const field = this.#fieldIn(text);
    if (field !== undefined) return field;
    if (action !== undefined) return action;
    const parameter = parameterIn(text);
    return parameter !== undefined && this.parameters.has(parameter)
      ? { kind: 'parameter', name: parameter }
      : undefined;
  }

  #actionIn(text: string): Extract<SpanMeaning, { kind: 'action' }> | undefined {
    const name = /^[^\s(]+/.exec(text)?.[0];
    const signatures = name === undefined ? undefined : this.actions.get(name);
    if (name === undefined || signatures === undefined) return undefined;
    return { kind: 'action', name, signatures, rest: text.slice(name.length) };
  }

  #fieldIn(text: string): SpanMeaning | undefined {
    if (this.graph === undefined) return undefined;
    const path = parseProsePath(text) ?? parseComparedPath(text);
    if (path === undefined) return undefined;
    const { segments, failure } = resolvePath(this.graph, path);
    if (failure === undefined && segments.some(({ properties }) => properties.length > 0)) {
      return { kind: 'field', segments, nested: false };
    }
    const [only, second] = path.segments;
    if (only === undefined || second !== undefined || path.form !== 'dotted' || path.prefixLength > 0)
      return undefined;
    const properties = this.graph.propertiesNamed(only.name);
    if (properties.length !== 1) return undefined;
    const node = this.graph.nodesWith(properties[0] ?? '')[0]?.property(only.name);
    return { kind: 'field', segments: [{ segment: only, properties, node }], nested: true };
  }
}

/** The name in `<item_id>`; undefined for anything else. */
function parameterIn(text: string): string | undefined {
  return /^<([^<>\r\n]+?)(?:\.\.\.|…)?>$/.exec(text)?.[1];
}

/** An item by its index, or by a letter that stands for one, as in `tasks.n.title`. */
function itemNamed(owner: SchemaNode, name: string): SchemaNode | undefined {
  if (/^\d+$/.test(name)) return owner.item(Number(name));
  return /^(?:[a-z]|idx|index)$/i.test(name) && owner.item()?.declared.has(name) !== true
    ? owner.item()
    : undefined;
}

/** Follows a path into the schema, as far as it leads. */
export function resolvePath(graph: SchemaGraph, path: ProsePath): ResolvedPath {
  const whole = follow(graph, path, path.segments, graph.root);
  const { prefixLength, prefixName: name } = path;
  // `state` may be a field of its own.
  if (prefixLength === 0 || !graph.root.declared.has(name)) return whole;
  const prefix: PathSegment = { kind: 'name', name, start: 0, end: prefixLength, form: 'dotted' };
  return follow(graph, path, [prefix, ...path.segments], graph.root);
}

function follow(
  graph: SchemaGraph,
  path: ProsePath,
  written: readonly PathSegment[],
  root: SchemaNode,
): ResolvedPath {
  const segments: ResolvedSegment[] = [];
  let owner: SchemaNode | undefined = root;
  for (const [index, segment] of written.entries()) {
    // Behind a placeholder for declared names nothing is known.
    if (owner === undefined) {
      segments.push({ segment, properties: [], node: undefined });
      continue;
    }
    const step = stepInto(graph, owner, segment);
    if (step === undefined) return { path, segments, failure: { segment, index, owner } };
    segments.push({ segment, ...step });
    owner = step.node;
  }
  return { path, segments, failure: undefined };
}

function stepInto(
  graph: SchemaGraph,
  owner: SchemaNode,
  { kind, name }: PathSegment,
): Pick<ResolvedSegment, 'properties' | 'node'> | undefined {
  if (kind === 'any') {
    const node = owner.item() ?? owner.anyKey();
    if (node !== undefined) return { properties: [], node };
    return owner.declared.size > 0 ? { properties: [], node: undefined } : undefined;
  }
  if (owner.declared.has(name)) {
    return { properties: graph.propertiesOf(owner, name), node: owner.property(name) };
  }
  const dynamic = owner.property(name) ?? itemNamed(owner, name);
  if (dynamic !== undefined) return { properties: [], node: dynamic };
  // `tasks.title` for the title of each task.
  const item = owner.item();
  return item?.declared.has(name)
    ? { properties: graph.propertiesOf(item, name), node: item.property(name) }
    : undefined;
}
