/** Actions that a model writes as an object of a name and arguments, where a server knows no patterns. */
import { isJsonObject, type JsonObject, ownProperty } from '../../../../schemas/json/jsonValue';
import type { ActionSignature } from '../../../../schemas/skill/actionSignature';
import { readStrictJson } from '../../runtime/strictJson';

/**
 * The command line of an action, as a JSON string: `{"name":"Store","arguments":{"item_id":"item_1"}}` becomes
 * `"Store item_1"`. What can't be written as a line comes back as it is; the runtime says what is wrong with it.
 */
export function lineOfAction(text: string, signatures: readonly ActionSignature[]): string {
  const action = readStrictJson(text, 4);
  if (!action.ok || !isJsonObject(action.value)) return text;
  const name = ownProperty(action.value, 'name');
  const given = ownProperty(action.value, 'arguments') ?? {};
  if (typeof name !== 'string' || !isJsonObject(given)) return text;
  const named = signatures.filter((signature) => signature.name === name);
  const signature =
    named.find(({ parameters }) => parameters.every((parameter) => Object.hasOwn(given, parameter.name))) ??
    named[0];
  const values = argumentsOf(given, signature);
  if (values === undefined) return text;
  if (signature?.form !== 'call') return JSON.stringify([name, ...values].join(' '));
  return JSON.stringify(`${name}(${values.map(asCallArgument).join(', ')})`);
}

/** In the order of the parameters; those that the signature doesn't have follow, so that it is said that they are too many. */
function argumentsOf(
  given: JsonObject,
  signature: ActionSignature | undefined,
): readonly string[] | undefined {
  const declared = signature?.parameters.map(({ name }) => name) ?? [];
  const keys = [
    ...declared.filter((key) => Object.hasOwn(given, key)),
    ...Object.keys(given).filter((key) => !declared.includes(key)),
  ];
  const values = keys.map((key) => ownProperty(given, key));
  const texts = values.filter((value) => typeof value === 'string' || typeof value === 'number');
  return texts.length === values.length ? texts.map(String) : undefined;
}

/** With quotes where a comma or a quote would end or change it. */
function asCallArgument(value: string): string {
  if (!/[,"']|^\s|\s$/.test(value)) return value;
  const quote = value.includes('"') ? "'" : '"';
  return `${quote}${value}${quote}`;
}
