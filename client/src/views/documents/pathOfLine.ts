/** Which value of a state stands at a place of its text. Free of VS Code. */
import { getLocation } from 'jsonc-parser';
import type { JsonPath } from '../../../../schemas/json/jsonPointer';

/** The path of the value, or of the property, that begins at an offset of a JSON text; `[]` is the whole. */
export function pathOfLine(text: string, offset: number): JsonPath {
  const opens = text[offset] === '{' || text[offset] === '[';
  // One character on, the offset is inside of the key or value; a bracket's inside would be its first member.
  return getLocation(text, opens ? offset : offset + 1).path.map(String);
}
