/** JSON Pointers (RFC 6901). A path inside the code is an array of reference tokens; only texts use the pointer form. */
import { isJsonObject, type JsonValue, ownProperty } from './jsonValue';

/** Unescaped reference tokens, outermost first; `[]` is the whole document. */
export type JsonPath = readonly string[];

/** `['a/b', '0']` becomes `/a~1b/0`; `[]` becomes the empty string. */
export function formatPointer(path: JsonPath): string {
  let pointer = '';
  for (const token of path) {
    const isPlain = !token.includes('~') && !token.includes('/');
    pointer += `/${isPlain ? token : token.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return pointer;
}

/** `/a~1b/0` becomes `['a/b', '0']`. A pointer that does not start with `/` and is not empty gives undefined. */
export function parsePointer(pointer: string): JsonPath | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a path, or undefined where the path leads nowhere. Array items are addressed by their decimal index. */
export function valueAt(root: JsonValue, path: JsonPath): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const token of path) {
    if (Array.isArray(value))
      value = /^(0|[1-9]\d*)$/.test(token) ? (value as readonly JsonValue[])[Number(token)] : undefined;
    else if (isJsonObject(value)) value = ownProperty(value, token);
    else return undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

/** A text in a URI's fragment (RFC 3986, section 3.5). Halves of surrogate pairs, which no URI can encode, stay as they are. */
export function fragmentText(text: string): string {
  return text.replace(/\P{Cs}+/gu, encodeURIComponent);
}

/** A JSON Pointer as a URI's fragment, without the `#` (RFC 6901, section 6). */
export function pointerFragment(pointer: string): string {
  return pointer.split('/').map(fragmentText).join('/');
}
