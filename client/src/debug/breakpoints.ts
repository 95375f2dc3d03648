/** Source breakpoints: what each line that a user chose binds to, and which of them a run is about to hit. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { JsonObject, JsonValue } from '../../../schemas/json/jsonValue';
import { isJsonObject } from '../../../schemas/json/jsonValue';
import type { ActionSignature } from '../../../schemas/skill/actionSignature';
import type { Skill, SkillFile } from '../../../schemas/skill/skill';
import type { StateSchema } from '../../../schemas/state/stateSchema';
import type { RunState } from '../runtime/runState';
import {
  BreakpointIds,
  type BreakpointOptions,
  type BreakpointTexts,
  breakpointOptions,
} from './breakpointOptions';
import { movedLines } from './movedLines';
import type { SkillPaths } from './skillPaths';

type Binding =
  | { readonly kind: 'action'; readonly signatures: readonly ActionSignature[] }
  | { readonly kind: 'property'; readonly pointer: string }
  | { readonly kind: 'none'; readonly message: string };

/** A breakpoint as the user set it; lines count from 0. */
export interface WantedBreakpoint extends BreakpointTexts {
  readonly line: number;
}

/** The same with its number, and what it is bound to. */
export interface SourceBreakpoint {
  readonly id: number;
  readonly path: string;
  readonly line: number;
  readonly options: BreakpointOptions;
  readonly binding: Binding;
}

/** What lines are bound against: a loaded skill. */
export interface BreakpointTarget {
  readonly skill: Skill;
  readonly paths: SkillPaths;
  /** The text that a file of the skill, relative to its folder, has now; undefined where it can't be read. */
  currentText(path: string): Promise<string | undefined>;
}

/** So many lines are looked at where a client asks for a whole file. */
const maxLocationLines = 100_000;

/** Patches are walked this far for property breakpoints; replies are limited anyway. */
const maxWalkedValues = 100_000;

/** All breakpoints of a session, by file. They outlive the runs that they are bound to. */
export class BreakpointStore {
  readonly #byFile = new Map<string, readonly SourceBreakpoint[]>();
  readonly #keyOf: (path: string) => string;
  readonly #ids: BreakpointIds;
  /** Changes wait for each other, since each reads files. */
  #lastChange: Promise<unknown> = Promise.resolve();

  /** @param keyOf gives the same text for every way to write a path */
  constructor(keyOf: (path: string) => string, ids: BreakpointIds = new BreakpointIds()) {
    this.#keyOf = keyOf;
    this.#ids = ids;
  }

  /**
   * Replaces the breakpoints of a file; a line that had one keeps its id, and its hits where nothing else changed.
   *
   * @param target asked when it is this change's turn: what lines are bound against then
   */
  set(
    path: string,
    wanted: readonly WantedBreakpoint[],
    target: () => BreakpointTarget | undefined,
  ): Promise<readonly SourceBreakpoint[]> {
    return this.#inTurn(() => this.#set(path, wanted, target()));
  }

  async #set(
    path: string,
    wanted: readonly WantedBreakpoint[],
    target: BreakpointTarget | undefined,
  ): Promise<readonly SourceBreakpoint[]> {
    const key = this.#keyOf(path);
    const earlier = new Map((this.#byFile.get(key) ?? []).map((breakpoint) => [breakpoint.line, breakpoint]));
    const bind = await bindingsFor(path, target);
    const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
    const breakpoints = wanted.map(({ line, ...texts }) => {
      const before = earlier.get(line);
      earlier.delete(line);
      const label = `the breakpoint at ${name}:${line + 1}`;
      const options = breakpointOptions(label, texts, { earlier: before?.options });
      return { id: before?.id ?? this.#ids.next(), path, line, options, binding: bind(line) };
    });
    this.#byFile.set(key, breakpoints);
    return breakpoints;
  }

  /** The lines, from `first` to `last`, on which a breakpoint of a file would be bound. */
  async locations(
    path: string,
    { first, last }: { readonly first: number; readonly last: number },
    target: BreakpointTarget | undefined,
  ): Promise<readonly number[]> {
    const bind = await bindingsFor(path, target);
    const lines: number[] = [];
    const until = Math.min(last, first + maxLocationLines);
    for (let line = Math.max(0, first); line <= until; line++)
      if (bind(line).kind !== 'none') lines.push(line);
    return lines;
  }

  /** Binds every breakpoint anew, to a skill that was loaded since. */
  rebind(target: BreakpointTarget): Promise<readonly SourceBreakpoint[]> {
    return this.#inTurn(() => this.#rebind(target));
  }

  async #rebind(target: BreakpointTarget): Promise<readonly SourceBreakpoint[]> {
    const all: SourceBreakpoint[] = [];
    for (const [key, breakpoints] of [...this.#byFile]) {
      const path = breakpoints[0]?.path;
      if (path === undefined) continue;
      const bind = await bindingsFor(path, target);
      const rebound = breakpoints.map((breakpoint) => ({ ...breakpoint, binding: bind(breakpoint.line) }));
      this.#byFile.set(key, rebound);
      all.push(...rebound);
    }
    return all;
  }

  /** All of them, file by file. */
  all(): readonly SourceBreakpoint[] {
    return [...this.#byFile.values()].flat();
  }

  /** The breakpoints on the action that is about to be executed. */
  actionHits(run: RunState): readonly SourceBreakpoint[] {
    const signature = run.matched?.signature;
    if (signature === undefined) return [];
    return this.all().filter(
      ({ binding }) => binding.kind === 'action' && binding.signatures.some((one) => isSame(one, signature)),
    );
  }

  /** The breakpoints on the properties that the patch which is about to be merged writes, and those properties. */
  propertyHits(
    run: RunState,
    schema: StateSchema,
  ): readonly (SourceBreakpoint & { readonly pointer: string })[] {
    const patch = run.parsed?.patch;
    const onProperties = this.all().flatMap((breakpoint) =>
      breakpoint.binding.kind === 'property' ? [{ ...breakpoint, pointer: breakpoint.binding.pointer }] : [],
    );
    if (patch === undefined || onProperties.length === 0) return [];
    const written = pointersWritten(patch, schema);
    return onProperties.filter(({ pointer }) => written.has(pointer));
  }

  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = this.#lastChange.then(change);
    this.#lastChange = result.catch(() => undefined);
    return result;
  }
}

/** A breakpoint as DAP has it, except for its line, which the session translates. */
export function describeBreakpoint({ id, binding, options }: SourceBreakpoint): DebugProtocol.Breakpoint {
  const message = binding.kind === 'none' ? binding.message : options.problem;
  return message === undefined ? { id, verified: true } : { id, verified: false, message };
}

function isSame(one: ActionSignature, other: ActionSignature): boolean {
  return (
    one.file === other.file && one.text === other.text && one.range.start.line === other.range.start.line
  );
}

/** The schema pointers of everything that a patch mentions, arrays' items included. */
function pointersWritten(patch: JsonObject, schema: StateSchema): ReadonlySet<string> {
  const written = new Set<string>();
  const open: { readonly path: readonly string[]; readonly value: JsonValue }[] = [
    { path: [], value: patch },
  ];
  for (let walked = 0; walked < maxWalkedValues; walked++) {
    const next = open.pop();
    if (next === undefined) break;
    const { path, value } = next;
    if (path.length > 0) for (const pointer of schema.pointersAt(path)) written.add(pointer);
    if (!isJsonObject(value) && !Array.isArray(value)) continue;
    for (const [key, child] of Object.entries(value)) open.push({ path: [...path, key], value: child });
  }
  return written;
}

type LineBinder = (line: number) => Binding;

async function bindingsFor(path: string, target: BreakpointTarget | undefined): Promise<LineBinder> {
  if (target === undefined) return unbound('The skill is not loaded yet.');
  const { skill, paths } = target;
  const relative = paths.relative(path);
  const file = skill.files.find((one) => one.path === relative);
  if (relative === undefined || file === undefined) {
    return unbound(`This file takes no part in the skill ${skill.name}. Breakpoints go on ${places(skill)}.`);
  }
  const bind = binderOf(file, skill);
  const recordedLine = movedLines(file.text, (await target.currentText(file.path)) ?? '');
  return (line) => {
    const recorded = recordedLine(line);
    if (recorded !== undefined) return bind(recorded);
    const message = `This line of ${file.path} was changed since the run began: restart to set a breakpoint on it.`;
    return { kind: 'none', message };
  };
}

function binderOf(file: SkillFile, skill: Skill): LineBinder {
  switch (file.role) {
    case 'skill':
    case 'include':
      return (line) => {
        const signatures = skill.actions.filter(
          ({ file: of, range }) => of === file.path && range.start.line === line,
        );
        if (signatures.length > 0) return { kind: 'action', signatures };
        return { kind: 'none', message: noActionMessage(file, skill) };
      };
    case 'state-schema':
    case 'state-schema-part':
      return (line) => {
        const property = skill.stateSchema.propertyAtLine(line, file.path);
        if (property !== undefined) return { kind: 'property', pointer: property.pointer };
        return {
          kind: 'none',
          message: `No property of the state is declared on this line.${linesOfProperties(file, skill)}`,
        };
      };
    case 'initial-state':
      return unbound(
        `The initial state is read once, before the first step. Breakpoints go on ${places(skill)}.`,
      );
  }
}

function unbound(message: string): LineBinder {
  return () => ({ kind: 'none', message });
}

function places(skill: Skill): string {
  const { path, parts } = skill.stateSchema;
  const actions = 'the lines of SKILL.md that declare actions';
  if (path === undefined) return actions;
  const schemas = [path, ...parts.map((part) => part.path)].join(' or ');
  return `${actions} and the lines of ${schemas} that declare properties`;
}

function noActionMessage(file: SkillFile, skill: Skill): string {
  if (skill.actions.length === 0) {
    return 'This skill declares no actions: list them under a heading "Actions", each item starting with a code span.';
  }
  const here = skill.actions
    .filter((action) => action.file === file.path)
    .map(({ range }) => range.start.line);
  const where = here.length > 0 ? ` Actions of this file are on ${lineList(here)}.` : '';
  return `No action is declared on this line.${where}`;
}

function linesOfProperties({ path }: SkillFile, { stateSchema }: Skill): string {
  const file = [stateSchema, ...stateSchema.parts].find((one) => one.path === path);
  const lines = (file?.declaredProperties ?? []).map(({ range }) => range.start.line);
  return lines.length > 0 ? ` Properties are on ${lineList(lines)}.` : '';
}

/** `line 4`, or `lines 4, 6 and 9`; lines as people count them, the first ten of many. */
function lineList(lines: readonly number[]): string {
  const numbers = [...new Set(lines)].sort((a, b) => a - b).map((line) => line + 1);
  const shown = numbers.slice(0, 10);
  const last = shown.at(-1);
  if (shown.length === 1) return `line ${last}`;
  if (numbers.length > shown.length) return `lines ${shown.join(', ')}, …`;
  return `lines ${shown.slice(0, -1).join(', ')} and ${last}`;
}
