/** What completion writes behind a key, as a tree with tab stops, and how it reads in block style, flow style and JSON. */
import type { JsonPrimitive } from '../../../../schemas/json/jsonValue';
import type { Cursor } from '../cursor';
import { quoted, yamlScalarText } from '../yamlScalar';

/** A place that the user fills in, with what stands there until then. */
export interface Stop {
  readonly kind: 'stop';
  readonly value: JsonPrimitive;
  /** What can stand there, the value first. */
  readonly choices?: readonly JsonPrimitive[];
}

export type Template =
  | Stop
  | { readonly kind: 'value'; readonly value: JsonPrimitive }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'map'; readonly entries: readonly TemplateEntry[] };

export type TemplateEntry = readonly [key: string | Stop, value: Template];

/** A tab stop with a value. */
export function stop(value: JsonPrimitive, ...others: readonly JsonPrimitive[]): Stop {
  return { kind: 'stop', value, ...(others.length > 0 && { choices: [value, ...others] }) };
}

/** A value that is written as it is. */
export function fixed(value: JsonPrimitive): Template {
  return { kind: 'value', value };
}

export function list(...items: readonly Template[]): Template {
  return { kind: 'list', items };
}

export function map(...entries: readonly TemplateEntry[]): Template {
  return { kind: 'map', entries };
}

/** Where a template is written. */
export interface SnippetPlace {
  readonly style: Cursor['style'];
  /** The whole indentation of lines below the key. */
  readonly childIndent: string;
  /** The indentation of one level. */
  readonly step: string;
}

/** The template as it stands behind a key's colon, the blank or line end after the colon included. */
export function valueSnippet(template: Template, place: SnippetPlace): string {
  const writer = new SnippetWriter(place);
  if (place.style === 'block') return writer.blockValue(template, place.childIndent);
  return ` ${writer.inlineValue(template, ownIndent(place))}`;
}

/** A value's template as it stands where a value is. */
export function inlineSnippet(template: Template, place: SnippetPlace): string {
  return new SnippetWriter(place).inlineValue(template, ownIndent(place));
}

/** Entries as they stand in an object that is there already, the first at the cursor. */
export function entriesSnippet(entries: readonly TemplateEntry[], place: SnippetPlace): string {
  const writer = new SnippetWriter(place);
  const indent = ownIndent(place);
  const written = entries.map((entry) => writer.entry(entry, indent));
  if (place.style === 'flow') return written.join(', ');
  return written.join(place.style === 'json' ? `,\n${indent}` : `\n${indent}`);
}

/** A text as it has to be written in a snippet (LSP 3.18, “Snippet syntax”). */
export function escapeSnippet(text: string): string {
  return text.replace(/[\\$}]/g, '\\$&');
}

/** A text as it has to be written as one of a snippet's choices. */
export function escapeChoice(text: string): string {
  return text.replace(/[\\,|$}]/g, '\\$&');
}

function ownIndent({ childIndent, step }: SnippetPlace): string {
  return childIndent.slice(0, Math.max(0, childIndent.length - step.length));
}

/** How many choices an editor's menu gets. */
const maxChoices = 50;

class SnippetWriter {
  readonly #place: SnippetPlace;
  #stops = 0;

  constructor(place: SnippetPlace) {
    this.#place = place;
  }

  entry([key, value]: TemplateEntry, indent: string): string {
    const name = typeof key === 'string' ? this.#scalar(key) : this.#stop(key);
    const inner = indent + this.#place.step;
    if (this.#place.style === 'block') return `${name}:${this.blockValue(value, inner)}`;
    return `${name}: ${this.inlineValue(value, indent)}`;
  }

  /** Behind a colon: on the same line, or on lines of its own. */
  blockValue(template: Template, indent: string): string {
    if (template.kind === 'map') {
      return template.entries.map((entry) => `\n${indent}${this.entry(entry, indent)}`).join('');
    }
    if (template.kind === 'list' && template.items.some(({ kind }) => kind === 'map')) {
      return template.items.map((item) => `\n${indent}- ${this.#blockItem(item, `${indent}  `)}`).join('');
    }
    return ` ${this.inlineValue(template, indent)}`;
  }

  #blockItem(template: Template, indent: string): string {
    if (template.kind !== 'map') return this.inlineValue(template, indent);
    return template.entries.map((entry) => this.entry(entry, indent)).join(`\n${indent}`);
  }

  /** On one line in YAML; in JSON an object takes a line for each entry. */
  inlineValue(template: Template, indent: string): string {
    switch (template.kind) {
      case 'stop':
        return this.#stop(template);
      case 'value':
        return this.#scalar(template.value);
      case 'list':
        return `[${template.items.map((item) => this.inlineValue(item, indent)).join(', ')}]`;
      case 'map': {
        if (this.#place.style !== 'json') {
          const entries = template.entries.map(([key, value]) => {
            const name = typeof key === 'string' ? this.#scalar(key) : this.#stop(key);
            return `${name}: ${this.inlineValue(value, indent)}`;
          });
          return `{${entries.join(', ')}\\}`;
        }
        if (template.entries.length === 0) return '{\\}';
        const inner = indent + this.#place.step;
        const entries = template.entries.map((entry) => `\n${inner}${this.entry(entry, inner)}`);
        return `{${entries.join(',')}\n${indent}\\}`;
      }
    }
  }

  #scalar(value: JsonPrimitive): string {
    return escapeSnippet(this.#written(value));
  }

  #written(value: JsonPrimitive): string {
    if (typeof value !== 'string' || this.#place.style === 'json') return JSON.stringify(value);
    return yamlScalarText(value, true);
  }

  #stop({ value, choices }: Stop): string {
    const number = ++this.#stops;
    if (choices !== undefined) {
      const shown = choices.slice(0, maxChoices);
      const needsQuotes = this.#place.style === 'json' && shown.every((choice) => typeof choice === 'string');
      const texts = shown.map((choice) => (needsQuotes ? String(choice) : this.#written(choice)));
      const choice = `\${${number}|${texts.map(escapeChoice).join(',')}|}`;
      return needsQuotes ? `"${choice}"` : choice;
    }
    const written = this.#written(value);
    const [quote] = written;
    if (typeof value !== 'string' || (quote !== '"' && quote !== "'")) {
      return `\${${number}:${escapeSnippet(written)}}`;
    }
    // The quotes stay when the placeholder is typed over.
    return `${quote}\${${number}:${escapeSnippet(quoted(value, quote).slice(1, -1))}}${quote}`;
  }
}
