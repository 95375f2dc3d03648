/** Data breakpoints: stops where a patch, or facts of the environment, change the value at a path of Σ. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { type JsonPath, valueAt } from '../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json/jsonValue';
import type { StateSchema } from '../../../schemas/state/stateSchema';
import { printableLine } from '../../../schemas/text/printable';
import type { PhaseReport } from '../runtime/execution';
import { jsonEqual } from '../runtime/jsonEquality';
import { type BreakpointIds, type BreakpointOptions, breakpointOptions } from './breakpointOptions';
import { arrivalMoment, closingMoment, type Moment } from './conditions';
import { parseExpression } from './evaluation';
import type { StateChangeText } from './stopPolicy';
import { pathExpression, valueText } from './valueText';

export interface DataBreakpoint {
  readonly id: number;
  readonly dataId: string;
  readonly target: { readonly path: JsonPath } | { readonly problem: string };
  readonly options: BreakpointOptions;
}

/** What conditions of data breakpoints can name beside the roots of the console. */
export const changeNames = ['change', 'value', 'previous'] as const;

/** What a change to Σ was at one path. */
export interface DataChange {
  readonly breakpoint: DataBreakpoint;
  readonly path: JsonPath;
  /** What stood there; undefined where nothing did. */
  readonly previous: JsonValue | undefined;
  /** What will stand there. */
  readonly value: JsonValue | undefined;
  readonly moment: Moment;
}

/** Roots whose parts are parts of Σ, so that a breakpoint can be set on them. */
const stateRoots: readonly string[] = ['state', 'before', 'proposed', 'patch'];

/** All data breakpoints of a session. They outlive the runs. */
export class DataBreakpointStore {
  readonly #ids: BreakpointIds;
  #breakpoints: readonly DataBreakpoint[] = [];

  constructor(ids: BreakpointIds) {
    this.#ids = ids;
  }

  get all(): readonly DataBreakpoint[] {
    return this.#breakpoints;
  }

  /** Replaces them all; one whose path stays keeps its id. */
  set(given: readonly DebugProtocol.DataBreakpoint[]): readonly DataBreakpoint[] {
    const earlier = new Map(this.#breakpoints.map((breakpoint) => [breakpoint.dataId, breakpoint]));
    this.#breakpoints = given.map((one) => {
      const { dataId, accessType = 'write' } = one;
      const before = earlier.get(dataId);
      earlier.delete(dataId);
      const parsed = dataPath(dataId);
      const options = breakpointOptions(`the data breakpoint on ${dataId}`, one, {
        earlier: before?.options,
        extra: changeNames,
      });
      const isWrite = accessType === 'write';
      const target = isWrite
        ? parsed
        : { problem: 'Only writes can be seen: reading Σ is nothing that happens.' };
      return { id: before?.id ?? this.#ids.next(), dataId, target, options };
    });
    return this.#breakpoints;
  }

  /** Those whose value is changed by the patch that is about to be merged, or was by the facts just merged. */
  changes(report: PhaseReport): readonly DataChange[] {
    if (this.#breakpoints.length === 0) return [];
    const change = changeOf(report);
    if (change === undefined) return [];
    const changes: DataChange[] = [];
    for (const breakpoint of this.#breakpoints) {
      if ('problem' in breakpoint.target) continue;
      const { path } = breakpoint.target;
      const difference = differenceAt(path, change.before, change.after);
      if (difference === undefined) continue;
      const { value, previous } = difference;
      const kind = value === undefined ? 'delete' : 'set';
      const extra = { change: kind, value: value ?? null, previous: previous ?? null };
      changes.push({ breakpoint, path, previous, value, moment: change.momentWith(extra) });
    }
    return changes;
  }

  /** A breakpoint as DAP has it. Before a skill is loaded, none is verified. */
  describe(
    { id, target, options }: DataBreakpoint,
    schema: StateSchema | undefined,
  ): DebugProtocol.Breakpoint {
    const message =
      'problem' in target
        ? target.problem
        : schema === undefined
          ? 'The skill is not loaded yet.'
          : (options.problem ?? pathProblem(target.path, schema));
    return message === undefined ? { id, verified: true } : { id, verified: false, message };
  }
}

/** How much of a path and of each value is told where there is little room, in UTF-16 units. */
const shortLengths = { path: 80, value: 40 };

/** What a change does, the values cut where they are long. */
export function changeText({ breakpoint, previous, value }: DataChange): StateChangeText {
  // Σ by whatever name: what it was and what is proposed are told.
  const expression = breakpoint.dataId.trim().replace(/^\w+/, 'state');
  const described = (name: string, limit?: number) => {
    const words = (one: JsonValue) => valueText(one, limit);
    if (value === undefined)
      return `${name}: ${previous === undefined ? '' : `${words(previous)} `}is deleted`;
    if (previous === undefined) return `${name}: ${words(value)} is new`;
    return `${name}: ${words(previous)} becomes ${words(value)}`;
  };
  return {
    short: printableLine(described(lastName(expression), shortLengths.value)),
    text: printableLine(`${described(expression)}.`),
  };
}

/** `state.bag.food[1]` gives `food[1]`. */
function lastName(expression: string): string {
  const end = expression.slice(-shortLengths.path);
  const name = /[^.[\]]+(?:\[[^[\]]*\])*$/.exec(end)?.[0] ?? end;
  return name.length < expression.length && name.length === end.length ? `…${name}` : name;
}

/** What `dataBreakpointInfo` says of a path of Σ: its id reads as an expression, and means the same in any session. */
export function dataBreakpointInfo(
  path: JsonPath,
  value: JsonValue,
  schema: StateSchema,
): DebugProtocol.DataBreakpointInfoResponse['body'] {
  const dataId = pathExpression('state', path, value);
  const problem = pathProblem(path, schema);
  if (problem !== undefined) return { dataId: null, description: problem };
  return { dataId, description: dataId, accessTypes: ['write'], canPersist: true };
}

/** The path of Σ that an expression of a root names, or why it is none. */
export function dataPath(text: string): { readonly path: JsonPath } | { readonly problem: string } {
  const parsed = parseExpression(text);
  if (!parsed.ok) return { problem: parsed.message };
  const { root, path } = parsed.expression;
  if (stateRoots.includes(root)) return { path: path.map(String) };
  return {
    problem: `${root} is no part of Σ: write a path such as state.inventory.`,
  };
}

/** Longer paths are none of a Σ, whose nesting is limited. */
const maxPathLength = 200;

/** Why nothing can ever stand at a path of Σ. */
function pathProblem(path: JsonPath, schema: StateSchema): string | undefined {
  if (path.length > maxPathLength) return `No state nests as deep as this path of ${path.length} keys.`;
  for (let length = 0; length <= path.length; length++) {
    const around = path.slice(0, length);
    const key = path[length];
    const isNamed = key === undefined || schema.pointersAt([...around, key]).length > 0;
    if (schema.certainSubschemasAt(around).some((subschema) => excludes(subschema, key, isNamed))) {
      return `The state schema allows nothing at ${pathExpression('state', path)}.`;
    }
  }
  return undefined;
}

/** Whether a subschema leaves no room for a key, or, without one, for anything. */
function excludes(subschema: JsonValue, key: string | undefined, isNamed: boolean): boolean {
  if (subschema === false) return true;
  if (key === undefined || !isJsonObject(subschema)) return false;
  const { type, additionalProperties } = subschema;
  const types = typeof type === 'string' ? [type] : Array.isArray(type) ? type : ['object'];
  if (!types.includes('object') && !types.includes('array')) return true;
  return additionalProperties === false && !isNamed;
}

interface StateChange {
  readonly before: JsonObject;
  readonly after: JsonObject;
  momentWith(extra: Moment['extra']): Moment;
}

function changeOf(report: PhaseReport): StateChange | undefined {
  const { after, before, records, phase } = report;
  if (phase === 'validate' && after.phase === 'merge' && after.merged !== undefined) {
    return {
      before: after.state,
      after: after.merged.state,
      momentWith: (extra) => arrivalMoment(report, extra),
    };
  }
  if (phase !== 'act') return undefined;
  const facts = records.find((record) => record.kind === 'commit' && record.by === 'environment');
  if (facts?.kind !== 'commit') return undefined;
  // Where the patch is committed with the act, it was seen before its merge: only the facts are new.
  const committed = records.some((record) => record.kind === 'commit' && record.by === 'model');
  const base = committed ? before.merged?.state : before.state;
  if (base === undefined) return undefined;
  const { patch } = facts;
  return {
    before: base,
    after: after.state,
    momentWith: (extra) => closingMoment(report, { ...extra, before: base, patch, proposed: after.state }),
  };
}

/** What differs at a path; undefined where nothing does. Σ's unchanged parts are the same objects, so that this is quick. */
export function differenceAt(
  path: JsonPath,
  before: JsonObject,
  after: JsonObject,
): { readonly previous: JsonValue | undefined; readonly value: JsonValue | undefined } | undefined {
  let previous: JsonValue | undefined = before;
  let value: JsonValue | undefined = after;
  for (const key of path) {
    if (previous === value) return undefined;
    previous = previous === undefined ? undefined : valueAt(previous, [key]);
    value = value === undefined ? undefined : valueAt(value, [key]);
  }
  if (previous === value) return undefined;
  if (previous !== undefined && value !== undefined && jsonEqual(previous, value)) return undefined;
  return { previous, value };
}
