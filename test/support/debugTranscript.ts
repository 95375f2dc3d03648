/** A conversation with a debug adapter as text for people: goldens are compared with it. */
import type { DebugProtocol } from '@vscode/debugprotocol';

/** A step of the conversation, for the transcript. */
export type Exchange =
  | { readonly direction: 'sent'; readonly message: DebugProtocol.Request | { readonly raw: string } }
  | { readonly direction: 'received'; readonly message: DebugProtocol.Response | DebugProtocol.Event };

/**
 * One paragraph a message. Reference numbers are masked, and so are the given texts. Output between two other messages
 * is joined, and of several `skill-state/step` events only the last is kept: how they are cut depends on time.
 */
export function transcriptOf(
  exchanges: readonly Exchange[],
  masks: readonly (readonly [string, string])[],
): string {
  const lines: string[] = [];
  let output: string[] = [];
  let step: string | undefined;
  const flush = () => {
    lines.push(...output, ...(step === undefined ? [] : [step]));
    output = [];
    step = undefined;
  };
  for (const exchange of exchanges) {
    const { message } = exchange;
    if (exchange.direction === 'received' && 'event' in message && message.event === 'output') {
      output.push(...outputLines(message.body));
    } else if (
      exchange.direction === 'received' &&
      'event' in message &&
      message.event === 'skill-state/step'
    ) {
      step = `* skill-state/step ${json(message.body)}`;
    } else {
      flush();
      lines.push(...messageLines(exchange));
    }
  }
  flush();
  return masks.reduce((text, [from, to]) => text.replaceAll(from, to), `${lines.join('\n')}\n`);
}

function messageLines(exchange: Exchange): readonly string[] {
  if (exchange.direction === 'sent') {
    const { message } = exchange;
    if ('raw' in message) return ['', `> bytes ${JSON.stringify(message.raw)}`];
    return ['', `> ${message.command}${'arguments' in message ? ` ${json(message.arguments)}` : ''}`];
  }
  const { message } = exchange;
  if ('event' in message)
    return [`* ${message.event}${message.body === undefined ? '' : ` ${json(message.body)}`}`];
  if (!message.success) {
    const { id, showUser } = (message.body?.error ?? {}) as Partial<DebugProtocol.Message>;
    return [`< failed ${id} ${showUser ? 'shown' : 'silent'}: ${message.message}`];
  }
  return bodyLines(message);
}

function bodyLines({ command, body }: DebugProtocol.Response): readonly string[] {
  switch (command) {
    case 'initialize':
      return ['< capabilities'];
    case 'stackTrace':
      return ['<', ...(body.stackFrames as DebugProtocol.StackFrame[]).map(frameLine)];
    case 'scopes':
      return [
        '<',
        ...(body.scopes as DebugProtocol.Scope[]).map(
          (scope) => `    ${scope.name}${counts(scope)}${scope.expensive ? ' expensive' : ''}`,
        ),
      ];
    case 'variables':
      return ['<', ...(body.variables as DebugProtocol.Variable[]).map(variableLine)];
    case 'source':
      return [
        `< ${body.mimeType}`,
        ...String(body.content)
          .split('\n')
          .map((line) => `    | ${line}`.trimEnd()),
      ];
    default:
      return [`<${body === undefined ? '' : ` ${json(body)}`}`];
  }
}

function outputLines({
  category,
  output,
  source,
  line,
  column,
  group,
}: DebugProtocol.OutputEvent['body']): string[] {
  const place =
    source === undefined ? '' : `  (${placeText(source)}:${line}${column === undefined ? '' : `:${column}`})`;
  const folded = group === undefined ? '' : ` [${group}]`;
  const sign = category === 'stdout' ? '|' : `${category}|`;
  if (output === '') return [`    ${sign}${folded}`];
  return output
    .replace(/\n$/, '')
    .split('\n')
    .map((text, index) =>
      `    ${sign}${index === 0 ? folded : ''} ${text}${index === 0 ? place : ''}`.trimEnd(),
    );
}

function frameLine({
  name,
  source,
  line,
  column,
  endLine,
  endColumn,
  presentationHint,
}: DebugProtocol.StackFrame): string {
  const end = endLine === undefined ? '' : `-${endLine}:${endColumn}`;
  return `    ${name} at ${source ? placeText(source) : 'nowhere'}:${line}:${column}${end}${presentationHint ? ` ${presentationHint}` : ''}`;
}

function variableLine(variable: DebugProtocol.Variable): string {
  const { name, value, type, evaluateName, valueLocationReference } = variable;
  const expression = evaluateName === undefined ? '' : `  <- ${evaluateName}`;
  const declared = valueLocationReference === undefined ? '' : ' declared';
  return `    ${name}${type === undefined ? '' : `: ${type}`} = ${value}${counts(variable)}${expression}${declared}`;
}

function counts({
  namedVariables,
  indexedVariables,
  variablesReference,
}: DebugProtocol.Variable | DebugProtocol.Scope): string {
  if (namedVariables !== undefined) return ` (${namedVariables} named)`;
  if (indexedVariables !== undefined) return ` (${indexedVariables} indexed)`;
  return variablesReference > 0 ? ' (…)' : '';
}

function placeText({ path, name, sourceReference }: DebugProtocol.Source): string {
  return sourceReference ? `<${name}>` : (path ?? name ?? '?');
}

const references = new Set([
  'variablesReference',
  'sourceReference',
  'frameId',
  'locationReference',
  'valueLocationReference',
]);

function json(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) =>
    references.has(key) && typeof part === 'number' && part > 0 ? '<n>' : part,
  );
}
