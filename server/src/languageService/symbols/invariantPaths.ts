/** The properties of Σ that an invariant's CEL expression names, by its tokens alone: `state.tasks.all(t, t.done)`. */
import { isJsonObject } from '../../../../schemas/json/jsonValue';
import type { SchemaNode } from './schemaGraph';

/** A property's name in an expression. Offsets are those of the name in the expression's text, without quotes. */
export interface NamedProperty {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** The value that has the property. */
  readonly owner: SchemaNode;
  /** `field` after a dot, `key` as a string in brackets. */
  readonly form: 'field' | 'key';
}

/** A string that isn't closed is one too: it would be looked through again from each of its quotes. */
const token =
  /[A-Za-z_]\w*|\d[\w.]*|"(?:[^"\\\r\n]|\\.)*"?|'(?:[^'\\\r\n]|\\.)*'?|\/\/[^\r\n]*|[.()[\],?]|[^\s\w]/g;

/** Macros whose first argument names the element that the second one speaks of. */
const macros: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'existsOne', 'filter', 'map']);

interface Token {
  readonly text: string;
  readonly start: number;
}

interface Frame {
  readonly kind: '(' | '[';
  /** The value before a bracket, which an index leads into. */
  readonly base: SchemaNode | undefined;
  readonly first: number;
  /** The variable of a macro, and what it hides outside of it. */
  readonly bound: { readonly name: string; readonly hidden: SchemaNode | undefined } | undefined;
}

/** Reads an expression over `state`, whose value the root node describes. Never throws. */
export function propertiesNamedIn(expression: string, root: SchemaNode): NamedProperty[] {
  const tokens = [...expression.matchAll(token)]
    .map((match): Token => ({ text: match[0], start: match.index }))
    .filter(({ text }) => !text.startsWith('//'));
  const found: NamedProperty[] = [];
  const variables = new Map<string, SchemaNode | undefined>([['state', root]]);
  const frames: Frame[] = [];
  let current: SchemaNode | undefined;
  for (let index = 0; index < tokens.length; index++) {
    const { text, start } = tokens[index] ?? { text: '', start: 0 };
    const before = tokens[index - 1]?.text;
    const next = tokens[index + 1]?.text;
    if (/^[A-Za-z_]/.test(text)) {
      if (before === '.' || (before === '?' && tokens[index - 2]?.text === '.')) {
        if (next === '(') continue; // a method: its frame is opened with what it is called on
        if (current !== undefined) {
          found.push({ name: text, start, end: start + text.length, owner: current, form: 'field' });
        }
        current = current?.property(text);
      } else {
        current = variables.get(text);
      }
    } else if (text === '(') {
      frames.push(openCall(tokens, index, current, variables));
      current = undefined;
    } else if (text === '[') {
      frames.push({ kind: '[', base: current, first: index + 1, bound: undefined });
      current = undefined;
    } else if (text === ')' || text === ']') {
      const frame = frames.pop();
      if (frame?.bound !== undefined) variables.set(frame.bound.name, frame.bound.hidden);
      current = undefined;
      if (text === ']' && frame?.kind === '[' && frame.base !== undefined) {
        const only = index - frame.first === 1 ? tokens[frame.first] : undefined;
        const key = only && stringIn(only.text);
        if (only !== undefined && key !== undefined) {
          const end = only.start + only.text.length - 1;
          found.push({ name: key, start: only.start + 1, end, owner: frame.base, form: 'key' });
        }
        current = key === undefined ? elementOf(frame.base) : frame.base.property(key);
      }
    } else if (text !== '.' && text !== '?') {
      current = undefined;
    }
  }
  return found;
}

function openCall(
  tokens: readonly Token[],
  index: number,
  current: SchemaNode | undefined,
  variables: Map<string, SchemaNode | undefined>,
): Frame {
  const method = tokens[index - 1]?.text ?? '';
  const name = tokens[index + 1]?.text ?? '';
  const isMacro = macros.has(method) && tokens[index - 2]?.text === '.' && tokens[index + 2]?.text === ',';
  if (!isMacro) return { kind: '(', base: undefined, first: index + 1, bound: undefined };
  const bound = { name, hidden: variables.get(name) };
  variables.set(name, current !== undefined && isList(current) ? elementOf(current) : undefined);
  return { kind: '(', base: undefined, first: index + 1, bound };
}

/** Over a map, a macro's variable is the key. */
function isList(node: SchemaNode): boolean {
  return node.hasType('array') || node.places.some(({ schema }) => isJsonObject(schema) && 'items' in schema);
}

function elementOf(node: SchemaNode): SchemaNode | undefined {
  return isList(node) ? node.item() : node.anyKey();
}

/** A string literal without escapes; undefined for any other token. */
function stringIn(text: string): string | undefined {
  return /^(?:"[^"\\]*"|'[^'\\]*')$/.test(text) ? text.slice(1, -1) : undefined;
}
