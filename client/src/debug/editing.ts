/** Changes by hand: what a client sends, as an edit of the run; and why it is refused, in words. */
import { formatPointer, type JsonPath } from '../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonValue } from '../../../schemas/json/jsonValue';
import type { Skill } from '../../../schemas/skill/skill';
import type { StateSchema } from '../../../schemas/state/stateSchema';
import type { EditRefusal, StateEdit } from '../runtime/edits';
import { readStrictJson } from '../runtime/strictJson';
import { rewindAdvice } from './errors';
import { schemaText } from './exceptionDetails';
import type { RootName } from './view';

/** What is to be changed: a root that can be, and a path in it. */
export interface EditTarget {
  readonly root: RootName | undefined;
  readonly path: JsonPath;
  /** How the client names it. */
  readonly name: string;
}

export type ReadEdit =
  | { readonly ok: true; readonly edit: StateEdit }
  | { readonly ok: false; readonly message: string };

/** How a place of Σ is deleted, since DAP has no request for it. */
const deletionHint = 'evaluate "delete state.…" in the debug console';

/**
 * The edit that gives a target the value that somebody wrote: JSON, else the text as it stands where the schema has a
 * string there; of action and observation always a text, which may also be written as a JSON string.
 *
 * @param evaluate the value of an expression, for what is neither
 */
export function readEdit(
  target: EditTarget,
  text: string,
  schema: StateSchema,
  evaluate: (text: string) => JsonValue | undefined = () => undefined,
): ReadEdit {
  const { root, path, name } = target;
  switch (root) {
    case 'action':
    case 'observation': {
      if (path.length > 0) return refused(name);
      const quoted = /^\s*"/.test(text) ? fromJson(text) : undefined;
      return { ok: true, edit: { target: root, value: typeof quoted === 'string' ? quoted : text } };
    }
    case 'state':
    case 'patch': {
      const fault = jsonFault(text);
      if (fault !== undefined) return { ok: false, message: fault };
      const value = readValue(text, takesText(schema, path), evaluate);
      if (value !== undefined)
        return { ok: true, edit: { target: root, pointer: formatPointer(path), value } };
      const message =
        text.trim() === ''
          ? `Write a JSON value, "" for an empty text. To delete ${name}, ${deletionHint}.`
          : `${JSON.stringify(shortened(text))} is no value for ${name}: write JSON, such as "text", 3, null, [] or {}.`;
      return { ok: false, message };
    }
    default:
      return refused(name);
  }
}

/** The edit that deletes a target. */
export function deletion({ root, path, name }: EditTarget): ReadEdit {
  if (root !== 'state' && root !== 'patch') {
    return { ok: false, message: `${name} can't be deleted: only parts of state and patch can.` };
  }
  if (path.length === 0)
    return { ok: false, message: `The whole ${root} can't be deleted: name a part of it.` };
  return { ok: true, edit: { target: root, pointer: formatPointer(path) } };
}

/** A refusal for the user: what is wrong with its place, then the rule, or how the launch can allow it. */
export function refusalText(
  { message, pointer, schemaLocation, liftedBy }: EditRefusal,
  skill: Skill,
  line: (line: number) => number,
): string {
  const isNamed = pointer === undefined || pointer === '' || message.includes(pointer);
  const at = isNamed ? '' : ` (at ${shortened(pointer)})`;
  const rule = schemaLocation === undefined ? '' : ` The rule: ${schemaText(schemaLocation, skill, line)}.`;
  const advice = liftedBy === undefined ? '' : ` ${rewindAdvice}`;
  return `${message.replace(/\.$/, '')}${at}.${rule}${advice}`;
}

function refused(name: string): ReadEdit {
  return {
    ok: false,
    message: `${name} can't be changed: state, patch, action and observation can.`,
  };
}

function readValue(
  text: string,
  mayBeText: boolean,
  evaluate: (text: string) => JsonValue | undefined,
): JsonValue | undefined {
  const json = fromJson(text);
  if (json !== undefined) return json;
  if (text.trim() === '') return undefined;
  return mayBeText ? text : evaluate(text);
}

function fromJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // Not JSON: it may be a plain text.
    return undefined;
  }
}

/** What is wrong with a JSON text that is read all the same, but not kept as it stands: as in a model's reply. */
function jsonFault(text: string): string | undefined {
  if (fromJson(text) === undefined) return undefined;
  const read = readStrictJson(text, Number.POSITIVE_INFINITY);
  return read.ok ? undefined : read.fault.message;
}

/** Whether the schema lets a string stand at a path. */
function takesText(schema: StateSchema, path: JsonPath): boolean {
  return schema.subschemasAt(path).some((subschema) => {
    if (!isJsonObject(subschema)) return false;
    const { type, enum: values, const: value } = subschema;
    if (type === 'string' || (Array.isArray(type) && type.includes('string'))) return true;
    return (
      typeof value === 'string' || (Array.isArray(values) && values.some((one) => typeof one === 'string'))
    );
  });
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
