/** Writes an inferred schema as YAML in the way people write them: blocks, few quotes, remarks as comments. */
import { formatPointer, type JsonPath } from '../json/jsonPointer';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/jsonValue';
import { isYamlWord } from '../text/yamlWords';

/** How long a comment's line gets. */
const lineLength = 100;

/**
 * The schema as a YAML document that reads back as the same value.
 *
 * @param remarks lines by the JSON Pointer of what they stand before
 */
export function writeSchema(schema: JsonObject, remarks: ReadonlyMap<string, readonly string[]>): string {
  const lines: string[] = [];

  const comment = (path: JsonPath, indent: string) => {
    for (const remark of remarks.get(formatPointer(path)) ?? []) {
      for (const line of wrapped(remark, lineLength - indent.length)) lines.push(`${indent}# ${line}`);
    }
  };

  function mapping(object: JsonObject, path: JsonPath, indent: string): void {
    for (const [key, value] of Object.entries(object)) {
      const here = [...path, key];
      comment(here, indent);
      const name = `${indent}${scalar(key)}:`;
      if (isJsonObject(value) && Object.keys(value).length > 0) {
        lines.push(name);
        mapping(value, here, `${indent}  `);
      } else {
        lines.push(`${name} ${flow(value)}`);
      }
    }
  }

  comment([], '');
  mapping(schema, [], '');
  return `${lines.join('\n')}\n`;
}

/** A value on one line. */
function flow(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => flow(item)).join(', ')}]`;
  if (isJsonObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => `${quoted(key)}: ${flow(item)}`);
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  return typeof value === 'string' ? scalar(value) : JSON.stringify(value);
}

/** A text without quotes where YAML reads it as that text in any place, else in double quotes. */
function scalar(text: string): string {
  const isPlain = /^[A-Za-z$_][\w $./:-]*$/.test(text) && !/: |[ :]$/.test(text) && !isYamlWord(text);
  // Patterns are easier to read in single quotes, where a backslash is a backslash.
  if (!isPlain && /^\^[\x20-\x7e]*\$$/.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return isPlain ? text : quoted(text);
}

/** JSON's quotes are YAML's, but for characters that YAML wants escaped. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffd-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > width) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}
