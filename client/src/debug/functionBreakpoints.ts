/** Function breakpoints: stops before actions, by name. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Skill } from '../../../schemas/skill/skill';
import type { RunState } from '../runtime/runState';
import { type BreakpointIds, type BreakpointOptions, breakpointOptions } from './breakpointOptions';

export interface FunctionBreakpoint {
  readonly id: number;
  readonly name: string;
  readonly options: BreakpointOptions;
}

/** How many action names a message lists. */
const listedNames = 20;

/** All function breakpoints of a session. They outlive the runs. */
export class FunctionBreakpointStore {
  readonly #ids: BreakpointIds;
  #breakpoints: readonly (FunctionBreakpoint & { readonly hits: (text: string) => boolean })[] = [];

  constructor(ids: BreakpointIds) {
    this.#ids = ids;
  }

  get all(): readonly FunctionBreakpoint[] {
    return this.#breakpoints;
  }

  /** Replaces them all; one whose name stays keeps its id. */
  set(given: readonly DebugProtocol.FunctionBreakpoint[]): readonly FunctionBreakpoint[] {
    const earlier = new Map(this.#breakpoints.map((breakpoint) => [breakpoint.name, breakpoint]));
    this.#breakpoints = given.map((one) => {
      const name = one.name.trim();
      const before = earlier.get(name);
      earlier.delete(name);
      const options = breakpointOptions(`the breakpoint on the action ${name}`, one, {
        earlier: before?.options,
      });
      return { id: before?.id ?? this.#ids.next(), name, options, hits: nameTest(name) };
    });
    return this.#breakpoints;
  }

  /** Those on the action that is about to be executed. */
  hits(run: RunState): readonly FunctionBreakpoint[] {
    const names = namesOf(run);
    return this.#breakpoints.filter(({ hits }) => names.some(hits));
  }

  /** A breakpoint as DAP has it. Before a skill is loaded, none is verified. */
  describe({ id, name, options }: FunctionBreakpoint, skill: Skill | undefined): DebugProtocol.Breakpoint {
    const message = options.problem ?? nameProblem(name, skill);
    return message === undefined ? { id, verified: true } : { id, verified: false, message };
  }
}

/** An action goes by its name, and as a whole; in a skill that declares none, the first word is its name. */
function namesOf({ parsed, matched, skipReason }: RunState): readonly string[] {
  if (parsed === undefined || skipReason !== undefined) return [];
  const action = parsed.action.trim();
  return [matched?.signature.name ?? /^[^\s(]*/.exec(action)?.[0] ?? '', action];
}

/** `Sto*` is any name that begins so; other characters stand for themselves. */
function nameTest(pattern: string): (text: string) => boolean {
  const parts = pattern.split('*');
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
      return false;
    let at = first.length;
    const end = text.length - last.length;
    for (const part of others) {
      const found = text.indexOf(part, at);
      if (found < 0 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}

function nameProblem(name: string, skill: Skill | undefined): string | undefined {
  if (skill === undefined) return 'The skill is not loaded yet.';
  if (name === '') return 'Write the name of an action, such as Store, or Sto* for all that begin so.';
  const { actions } = skill;
  const test = nameTest(name);
  // What stands after the name is the model's: it can't be known whether an action will be like that.
  const isDeclared = actions.some((action) => test(action.name) || beginsWithName(name, action.name));
  if (actions.length === 0 || isDeclared) return undefined;
  const names = [...new Set(actions.map((action) => action.name))];
  const more = names.length > listedNames ? `, and ${names.length - listedNames} more` : '';
  return `The skill ${skill.name} has no action ${JSON.stringify(name)}: it has ${names.slice(0, listedNames).join(', ')}${more}.`;
}

function beginsWithName(pattern: string, name: string): boolean {
  return pattern.startsWith(`${name} `) || pattern.startsWith(`${name}(`) || pattern.startsWith(`${name}*`);
}
