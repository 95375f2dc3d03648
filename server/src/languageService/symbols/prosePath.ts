/** Paths of the state as authors write them in code spans: `tasks[0].title`, `inventory.<shelf_id>`, `/inventory/shelf_1`. */

/** One step of a path. `start` and `end` are offsets of its name in the written text, without brackets and quotes. */
export interface PathSegment {
  readonly kind: /** A property, declared or a map's key; digits alone may be an index too. */
    | 'name'
    /** A placeholder or `[]`: any key or index. */
    | 'any';
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** How the name is written, which says what it may be renamed to. */
  readonly form: 'dotted' | 'quoted' | 'pointer';
}

export interface ProsePath {
  readonly form: 'dotted' | 'pointer';
  /** How long the word is that stands for the state itself before the path, as in `state.inventory`; else 0. */
  readonly prefixLength: number;
  readonly prefixName: string;
  readonly segments: readonly PathSegment[];
}

const maxPathLength = 400;

/** A name that can be written between dots. */
const dottedName = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

const prefix = /^(?:state_patch|state|Σ)(?=[.[])/u;
const dottedSegment = /(?:[\p{L}\p{N}_$-]|<[^<>\r\n]*>|\{[^{}\r\n]*\}|\*)+/uy;
const bracket = /\[\s*(?:(\d+)|(["'])((?:(?!\2)[^\]\r\n])*)\2|(?:<[^<>\r\n]*>|\{[^{}\r\n]*\}|[\w*-]*))\s*\]/y;
const placeholder = /[<{*]/;

/** What follows a path in `tasks[0].status == "done"` and `count: 3`. */
const comparison =
  /^(\S*[^\s=<>!:+-])(\s+(?:[=!<>]==?|[=<>]|[+-]=|:=|[→←≥≤≠∈]|in|is|contains)\s+|\s*=\s*|:\s+)(?=\S)/u;

/** True for a name that a dotted path can hold. */
export function isDottedName(name: string): boolean {
  return dottedName.test(name);
}

/** Reads a whole text as a path; undefined for anything else. `state.` and `state_patch.` before it are no part of the path. */
export function parseProsePath(text: string): ProsePath | undefined {
  if (text === '' || text.length > maxPathLength) return undefined;
  if (text.startsWith('/')) return parsePointerForm(text);
  const prefixName = prefix.exec(text)?.[0] ?? '';
  const prefixLength = prefixName.length;
  const segments: PathSegment[] = [];
  let offset = prefixLength;
  while (offset < text.length) {
    if (text[offset] === '[') {
      const segment = readBracket(text, offset);
      if (segment === undefined || (segments.length === 0 && prefixLength === 0)) return undefined;
      segments.push(segment);
      offset = bracket.lastIndex;
      continue;
    }
    if (segments.length > 0 || prefixLength > 0) {
      if (text[offset] !== '.') return undefined;
      offset++;
    }
    dottedSegment.lastIndex = offset;
    const name = dottedSegment.exec(text)?.[0];
    if (name === undefined) return undefined;
    const kind = placeholder.test(name) ? 'any' : 'name';
    if (kind === 'name' && !dottedName.test(name) && !/^\d+$/.test(name)) return undefined;
    segments.push({ kind, name, start: offset, end: offset + name.length, form: 'dotted' });
    offset += name.length;
  }
  const [first] = segments;
  if (first === undefined || (prefixLength === 0 && (first.kind === 'any' || /^\d/.test(first.name)))) {
    return undefined;
  }
  return { form: 'dotted', prefixLength, prefixName, segments };
}

/**
 * The path that a comparison or an assignment begins with; undefined for anything else. A single name needs spaces
 * around the operator: `version=3` and `name: x` are written of other things as well.
 */
export function parseComparedPath(text: string): ProsePath | undefined {
  if (text.length > maxPathLength) return undefined;
  const [, written = '', operator = ''] = comparison.exec(text) ?? [];
  const path = written.startsWith('/') ? undefined : parseProsePath(written);
  if (path === undefined) return undefined;
  const isSingle = path.prefixLength === 0 && path.segments.length === 1;
  return isSingle && !/^\s+[^\s:]+\s+$/u.test(operator) ? undefined : path;
}

function readBracket(text: string, offset: number): PathSegment | undefined {
  bracket.lastIndex = offset;
  const match = bracket.exec(text);
  if (match === null) return undefined;
  const [whole, index, , quoted] = match;
  const name = index ?? quoted;
  if (name === undefined) {
    return { kind: 'any', name: whole, start: offset + 1, end: offset + whole.length - 1, form: 'quoted' };
  }
  const start = offset + whole.indexOf(name, quoted === undefined ? 1 : whole.search(/["']/) + 1);
  return { kind: 'name', name, start, end: start + name.length, form: 'quoted' };
}

function parsePointerForm(text: string): ProsePath | undefined {
  if (/[\s]/.test(text)) return undefined;
  const segments: PathSegment[] = [];
  let offset = 1;
  for (const token of text.slice(1).split('/')) {
    const end = offset + token.length;
    if (token === '') return undefined;
    const kind = placeholder.test(token) || token === '-' ? 'any' : 'name';
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    segments.push({ kind, name, start: offset, end, form: 'pointer' });
    offset = end + 1;
  }
  return { form: 'pointer', prefixLength: 0, prefixName: '', segments };
}
