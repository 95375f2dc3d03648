/** Log messages of breakpoints: text with `{expression}` in it. */
import { type Compiled, compileMomentExpression, type Moment, type MomentExpression } from './conditions';
import { valueText } from './valueText';

/** What a breakpoint writes to the console instead of stopping. */
export interface LogMessage {
  /** The text at a moment; where an expression can't be evaluated, its reason stands in its place. */
  textAt(moment: Moment): string;
}

/** How much of a value is written. */
const loggedLength = 2_000;

/**
 * Reads a log message. `\{` and `\}` are braces themselves; braces and quotes inside an expression are the
 * expression's, so that `{state.filter(key, key != "}")}` is one.
 */
export function compileLogMessage(source: string, extra: readonly string[] = []): Compiled<LogMessage> {
  const parts: (string | MomentExpression)[] = [];
  let text = '';
  for (let at = 0; at < source.length; ) {
    const character = source.charAt(at);
    if (character === '\\' && /[{}]/.test(source.charAt(at + 1))) {
      text += source.charAt(at + 1);
      at += 2;
    } else if (character === '{') {
      const end = endOfExpression(source, at + 1);
      const shown = source.slice(at, end ?? at + 40);
      if (end === undefined) return problem(`${JSON.stringify(shown)} has no closing brace.`);
      const compiled = compileMomentExpression(source.slice(at + 1, end), extra);
      if (!compiled.ok) return problem(compiled.message);
      parts.push(text, compiled.value);
      text = '';
      at = end + 1;
    } else {
      text += character;
      at++;
    }
  }
  parts.push(text);
  const textAt = (moment: Moment) =>
    parts.map((part) => (typeof part === 'string' ? part : valueAt(part, moment))).join('');
  return { ok: true, value: { textAt } };
}

function problem(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message: `The log message can't be read: ${message} Write \\{ for a brace itself.` };
}

function valueAt(expression: MomentExpression, moment: Moment): string {
  const result = expression.evaluate(moment);
  if (!result.ok) return `<${expression.source.trim()}: ${result.message}>`;
  if (typeof result.value !== 'string') return valueText(result.value, loggedLength);
  return result.value.length > loggedLength ? `${result.value.slice(0, loggedLength)}…` : result.value;
}

/** The offset of the brace that ends an expression, past braces and quoted texts of its own. */
function endOfExpression(source: string, start: number): number | undefined {
  let depth = 0;
  let quote = '';
  for (let at = start; at < source.length; at++) {
    const character = source.charAt(at);
    if (quote !== '') {
      if (character === '\\') at++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '{') depth++;
    else if (character === '}' && depth-- === 0) return at;
  }
  return undefined;
}
