/** The check of requests' arguments at the adapter's border: whatever a client sends, routes see what DAP promises. */
import { failures } from './errors';

type Kind = 'string' | 'integer' | 'boolean' | 'object' | 'strings';

/** A field by its name; names that end in `?` may be left out. */
type Shape = Readonly<Record<string, Kind | { readonly listOf: Shape } | { readonly fields: Shape }>>;

const thread: Shape = { threadId: 'integer' };

const source: Shape = { 'path?': 'string', 'sourceReference?': 'integer' };

const breakpointTexts: Shape = {
  'condition?': 'string',
  'hitCondition?': 'string',
  'logMessage?': 'string',
};

const valueFormat: Shape = { 'hex?': 'boolean' };

/** The arguments of every request that is answered; what is not listed here is not looked at. */
const shapes = {
  initialize: {
    'adapterID?': 'string',
    'linesStartAt1?': 'boolean',
    'columnsStartAt1?': 'boolean',
    'pathFormat?': 'string',
    'supportsVariableType?': 'boolean',
    'supportsProgressReporting?': 'boolean',
    'supportsInvalidatedEvent?': 'boolean',
  },
  launch: { 'noDebug?': 'boolean' },
  attach: {},
  configurationDone: {},
  restart: { 'arguments?': 'object' },
  terminate: { 'restart?': 'boolean' },
  disconnect: { 'restart?': 'boolean', 'terminateDebuggee?': 'boolean' },
  cancel: { 'requestId?': 'integer', 'progressId?': 'string' },
  setBreakpoints: {
    source: { fields: source },
    'breakpoints?': { listOf: { line: 'integer', 'column?': 'integer', ...breakpointTexts } },
    'lines?': { listOf: {} },
    'sourceModified?': 'boolean',
  },
  setFunctionBreakpoints: { breakpoints: { listOf: { name: 'string', ...breakpointTexts } } },
  dataBreakpointInfo: { name: 'string', 'variablesReference?': 'integer', 'frameId?': 'integer' },
  setDataBreakpoints: {
    breakpoints: { listOf: { dataId: 'string', 'accessType?': 'string', ...breakpointTexts } },
  },
  setExceptionBreakpoints: {
    filters: 'strings',
    'filterOptions?': { listOf: { filterId: 'string', 'condition?': 'string' } },
  },
  threads: {},
  continue: thread,
  next: thread,
  stepIn: thread,
  stepOut: thread,
  pause: thread,
  stackTrace: {
    ...thread,
    'startFrame?': 'integer',
    'levels?': 'integer',
    'format?': { fields: { 'line?': 'boolean', 'parameters?': 'boolean' } },
  },
  exceptionInfo: thread,
  scopes: { frameId: 'integer' },
  variables: {
    variablesReference: 'integer',
    'filter?': 'string',
    'start?': 'integer',
    'count?': 'integer',
    'format?': { fields: valueFormat },
  },
  setVariable: {
    variablesReference: 'integer',
    name: 'string',
    value: 'string',
    'format?': { fields: valueFormat },
  },
  setExpression: {
    expression: 'string',
    value: 'string',
    'frameId?': 'integer',
    'format?': { fields: valueFormat },
  },
  evaluate: {
    expression: 'string',
    'frameId?': 'integer',
    'context?': 'string',
    'format?': { fields: valueFormat },
  },
  'skill-state/blame': { expression: 'string' },
  completions: { text: 'string', column: 'integer', 'line?': 'integer', 'frameId?': 'integer' },
  breakpointLocations: {
    source: { fields: source },
    line: 'integer',
    'column?': 'integer',
    'endLine?': 'integer',
    'endColumn?': 'integer',
  },
  stepBack: thread,
  reverseContinue: thread,
  restartFrame: { frameId: 'integer' },
  gotoTargets: { source: { fields: source }, line: 'integer', 'column?': 'integer' },
  goto: { ...thread, targetId: 'integer' },
  'skill-state/goTo': { branch: 'integer', step: 'integer', 'phase?': 'string' },
  'skill-state/forkWithEditedSkill': {},
  'skill-state/edited': {},
  'skill-state/exchange': {
    branch: 'integer',
    step: 'integer',
    'sampled?': { fields: { tried: 'integer', model: 'integer' } },
    'attempt?': 'integer',
    'request?': 'integer',
  },
  'skill-state/requests': { branch: 'integer', step: 'integer' },
  'skill-state/answer': { id: 'integer', text: 'string' },
  'skill-state/checkReply': { text: 'string' },
  'skill-state/sampleStep': {},
  source: { sourceReference: 'integer', 'source?': { fields: source } },
  locations: { locationReference: 'integer' },
} as const satisfies Readonly<Record<string, Shape>>;

/** The requests that the adapter answers. */
export type Command = keyof typeof shapes;

export function isCommand(command: string): command is Command {
  return Object.hasOwn(shapes, command);
}

/**
 * The arguments of a request. Some clients write `null` for what may be left out: it is left out here.
 *
 * @throws RequestFailure that says which argument is missing or of the wrong type.
 */
export function readArguments(command: Command, value: unknown): Readonly<Record<string, unknown>> {
  const shape: Shape = shapes[command];
  const given = value ?? {};
  if (!isRecord(given)) throw failures.badArguments(command, 'they are no object.');
  const problem = problemIn(given, shape, '');
  if (problem !== undefined) throw failures.badArguments(command, problem);
  return withoutNulls(given, shape);
}

/** What fits a shape, without the `null`s that stand for nothing. */
function withoutNulls(
  value: Readonly<Record<string, unknown>>,
  shape: Shape,
): Readonly<Record<string, unknown>> {
  const kept = { ...value };
  for (const [field, kind] of Object.entries(shape)) {
    const name = field.endsWith('?') ? field.slice(0, -1) : field;
    const found = Object.hasOwn(value, name) ? value[name] : undefined;
    if (found === null) delete kept[name];
    else if (typeof kind === 'string') continue;
    else if ('fields' in kind && isRecord(found)) kept[name] = withoutNulls(found, kind.fields);
    else if ('listOf' in kind && Array.isArray(found))
      kept[name] = found.map((item) => (isRecord(item) ? withoutNulls(item, kind.listOf) : item));
  }
  return kept;
}

function problemIn(
  value: Readonly<Record<string, unknown>>,
  shape: Shape,
  prefix: string,
): string | undefined {
  for (const [field, kind] of Object.entries(shape)) {
    const optional = field.endsWith('?');
    const name = optional ? field.slice(0, -1) : field;
    const found = Object.hasOwn(value, name) ? value[name] : undefined;
    if (found === undefined || (optional && found === null)) {
      if (optional) continue;
      return `"${prefix}${name}" is missing.`;
    }
    const problem = fieldProblem(found, kind, prefix + name);
    if (problem !== undefined) return problem.startsWith('"') ? problem : `"${prefix}${name}" ${problem}`;
  }
  return undefined;
}

function fieldProblem(value: unknown, kind: Shape[string], name: string): string | undefined {
  if (typeof kind === 'string') return kindProblem(value, kind);
  if ('listOf' in kind) return listProblem(value, kind.listOf, name);
  return isRecord(value) ? problemIn(value, kind.fields, `${name}.`) : 'is no object.';
}

function listProblem(value: unknown, shape: Shape, name: string): string | undefined {
  if (!Array.isArray(value)) return 'is no list.';
  if (Object.keys(shape).length === 0)
    return value.every(Number.isSafeInteger) ? undefined : 'is no list of integers.';
  for (const [index, item] of value.entries()) {
    if (!isRecord(item)) return `"${name}[${index}]" is no object.`;
    const problem = problemIn(item, shape, `${name}[${index}].`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function kindProblem(value: unknown, kind: Kind): string | undefined {
  switch (kind) {
    case 'integer':
      return Number.isSafeInteger(value) ? undefined : 'is no integer.';
    case 'object':
      return isRecord(value) ? undefined : 'is no object.';
    case 'strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
        ? undefined
        : 'is no list of strings.';
    default:
      return typeof value === kind ? undefined : `is no ${kind}.`;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
