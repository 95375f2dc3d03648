/** The values that a state begins with, as LSP snippets: every scalar is a placeholder, and what is empty has a tab stop. */
import { isJsonObject, type JsonArray, type JsonValue } from '../../../../schemas/json/jsonValue';
import { type Cursor, valueText } from '../cursor';
import { escapeSnippet } from '../schema/snippet';
import { yamlScalarText } from '../yamlScalar';

/** A value at a cursor, from behind the key and its colon. */
export function sampleSnippet(cursor: Cursor, value: JsonValue): string {
  return new SnippetWriter(cursor).entryValue(value);
}

class SnippetWriter {
  readonly #cursor: Cursor;
  #stops = 0;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  /** In block style, what has parts begins on a line of its own. */
  entryValue(value: JsonValue): string {
    const { style, childIndent } = this.#cursor;
    if (style === 'block') {
      const line = `\n${escapeSnippet(childIndent)}`;
      if (isJsonObject(value) && Object.keys(value).length > 0) {
        const entries = Object.entries(value).map(
          ([key, child]) =>
            `${line}${escapeSnippet(yamlScalarText(key, false))}: ${this.#inline(child, false)}`,
        );
        return entries.join('');
      }
      if (Array.isArray(value) && value.length > 0) {
        return (value as JsonArray).map((item) => `${line}- ${this.#inline(item, false)}`).join('');
      }
      return this.#inline(value, false);
    }
    return this.#inline(value, true);
  }

  #inline(value: JsonValue, inFlow: boolean): string {
    if (Array.isArray(value)) {
      return value.length === 0
        ? `[${this.#stop('')}]`
        : `[${(value as JsonArray).map((item) => this.#inline(item, true)).join(', ')}]`;
    }
    if (isJsonObject(value)) {
      const entries = Object.entries(value).map(
        ([key, child]) => `${escapeSnippet(this.#key(key))}: ${this.#inline(child, true)}`,
      );
      return entries.length === 0 ? `{${this.#stop('')}\\}` : `{${entries.join(', ')}\\}`;
    }
    return this.#scalar(value, inFlow);
  }

  #key(key: string): string {
    return this.#cursor.style === 'json' ? JSON.stringify(key) : yamlScalarText(key, true);
  }

  #scalar(value: JsonValue, inFlow: boolean): string {
    if (typeof value !== 'string') return this.#stop(JSON.stringify(value));
    const text = this.#cursor.style === 'json' ? JSON.stringify(value) : yamlScalarText(value, inFlow);
    return /^".*"$/.test(text) ? `"${this.#stop(text.slice(1, -1))}"` : this.#stop(text);
  }

  #stop(text: string): string {
    this.#stops++;
    return text === '' ? `$${this.#stops}` : `\${${this.#stops}:${escapeSnippet(text)}}`;
  }
}

/** A text at a cursor in which some parts are placeholders: `parts` are those parts in their order. */
export function textSnippet(cursor: Cursor, text: string, parts: readonly string[]): string {
  const written = valueText(cursor, text);
  let snippet = '';
  let at = 0;
  parts.forEach((part, index) => {
    const found = written.indexOf(part, at);
    if (part === '' || found === -1) return;
    snippet += `${escapeSnippet(written.slice(at, found))}\${${index + 1}:${escapeSnippet(part)}}`;
    at = found + part.length;
  });
  return snippet + escapeSnippet(written.slice(at));
}
