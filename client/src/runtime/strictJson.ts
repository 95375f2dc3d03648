/**
 * JSON as RFC 8259 has it, and a little stricter: no key twice in an object, no nesting beyond a limit, no number that
 * a double cannot keep. Says where the first fault is. Reads tokens with a stack of its own, so any text is safe.
 */
import type { JsonValue } from '../../../schemas/json/jsonValue';
import { isExactNumber } from '../../../schemas/text/sourceTree';
import { type JsonToken, tokenAt } from './jsonTokens';
import { quoted } from './quotation';

/** What is wrong with a text. `offset` is the UTF-16 offset of the offending character. */
export interface JsonFault {
  readonly kind: 'syntax' | 'depth' | 'number';
  readonly message: string;
  readonly offset: number;
}

/** Where a member of the root object stands. */
export interface MemberPlace {
  readonly keyOffset: number;
  readonly valueOffset: number;
}

export type StrictJson =
  | { readonly ok: true; readonly value: JsonValue; readonly members: ReadonlyMap<string, MemberPlace> }
  | { readonly ok: false; readonly fault: JsonFault };

/**
 * Reads a JSON text. Of syntax and depth the fault that comes first in the text counts; a number is at fault only where
 * the rest is well-formed. `maxDepth` is the deepest allowed nesting: 1 allows `[]`, but not `[[]]`.
 */
export function readStrictJson(text: string, maxDepth: number): StrictJson {
  const check = new TokenCheck(text, maxDepth);
  const fault = check.run();
  if (fault !== undefined) return { ok: false, fault };
  try {
    return { ok: true, value: JSON.parse(text) as JsonValue, members: check.members };
  } catch {
    // JSON.parse has the last word on what is JSON; the tokens find every fault known so far, and where it is.
    return { ok: false, fault: { kind: 'syntax', message: 'The JSON is not valid.', offset: 0 } };
  }
}

/** What may come next. Behind an opening bracket its closing one may, behind a comma it may not. */
type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing';

const expectations: Record<Expected, (inObject: boolean) => string> = {
  value: () => 'a value',
  'value-or-end': () => 'a value or "]"',
  key: () => 'a key in double quotes',
  'key-or-end': () => 'a key in double quotes or "}"',
  colon: () => '":"',
  'comma-or-end': (inObject) => (inObject ? '"," or "}"' : '"," or "]"'),
  nothing: () => 'the end of the block',
};

class TokenCheck {
  readonly members = new Map<string, MemberPlace>();
  readonly #text: string;
  readonly #maxDepth: number;
  /** The keys of every open object; null for an open array. */
  readonly #open: (Set<string> | null)[] = [];
  #rootKey: { readonly name: string; readonly offset: number } | undefined;
  #number: JsonFault | undefined;
  #expected: Expected = 'value';

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  run(): JsonFault | undefined {
    let offset = 0;
    for (;;) {
      const token = tokenAt(this.#text, offset);
      if (token.type === 'fault') {
        return { kind: 'syntax', message: `The JSON is not valid: ${token.message}.`, offset: token.start };
      }
      if (token.type === 'end' && this.#expected === 'nothing') return this.#number;
      const fault = this.#take(token);
      if (fault !== undefined) return fault;
      offset = token.end;
    }
  }

  #take(token: JsonToken): JsonFault | undefined {
    switch (token.type) {
      case '{':
      case '[':
        return this.#openContainer(token);
      case '}':
      case ']':
        return this.#closeContainer(token);
      case ':':
        if (this.#expected !== 'colon') return this.#unexpected(token);
        this.#expected = 'value';
        return undefined;
      case ',':
        if (this.#expected !== 'comma-or-end') return this.#unexpected(token);
        this.#expected = this.#isInObject ? 'key' : 'value';
        return undefined;
      case 'string':
        return this.#expected === 'key' || this.#expected === 'key-or-end'
          ? this.#key(token)
          : this.#scalar(token);
      case 'number':
      case 'literal':
        return this.#scalar(token);
      case 'end':
        return this.#unexpected(token);
    }
  }

  get #isInObject(): boolean {
    return this.#open.at(-1) instanceof Set;
  }

  get #wantsValue(): boolean {
    return this.#expected === 'value' || this.#expected === 'value-or-end';
  }

  #openContainer(token: JsonToken): JsonFault | undefined {
    if (!this.#wantsValue) return this.#unexpected(token);
    if (this.#open.length === this.#maxDepth) {
      const message = `The JSON nests more than ${this.#maxDepth} objects and arrays in each other.`;
      return { kind: 'depth', message, offset: token.start };
    }
    this.#placeMember(token.start);
    this.#open.push(token.type === '{' ? new Set() : null);
    this.#expected = token.type === '{' ? 'key-or-end' : 'value-or-end';
    return undefined;
  }

  #closeContainer(token: JsonToken): JsonFault | undefined {
    const closesObject = token.type === '}';
    const mayClose =
      this.#expected === 'comma-or-end' || this.#expected === (closesObject ? 'key-or-end' : 'value-or-end');
    if (!mayClose || this.#isInObject !== closesObject) return this.#unexpected(token);
    this.#open.pop();
    this.#afterValue();
    return undefined;
  }

  #key(token: JsonToken): JsonFault | undefined {
    const name = JSON.parse(this.#text.slice(token.start, token.end)) as string;
    const keys = this.#open.at(-1);
    if (keys?.has(name)) {
      return {
        kind: 'syntax',
        message: `The key ${quoted(name)} occurs twice in one object.`,
        offset: token.start,
      };
    }
    keys?.add(name);
    if (this.#open.length === 1) this.#rootKey = { name, offset: token.start };
    this.#expected = 'colon';
    return undefined;
  }

  #scalar(token: JsonToken): JsonFault | undefined {
    if (!this.#wantsValue) return this.#unexpected(token);
    this.#placeMember(token.start);
    if (token.type === 'number')
      this.#number ??= numberFault(this.#text.slice(token.start, token.end), token.start);
    this.#afterValue();
    return undefined;
  }

  #afterValue(): void {
    this.#expected = this.#open.length === 0 ? 'nothing' : 'comma-or-end';
  }

  #placeMember(valueOffset: number): void {
    if (this.#open.length !== 1 || this.#rootKey === undefined) return;
    this.members.set(this.#rootKey.name, { keyOffset: this.#rootKey.offset, valueOffset });
  }

  #unexpected(token: JsonToken): JsonFault {
    const fault = (what: string): JsonFault => ({
      kind: 'syntax',
      message: `The JSON is not valid: ${what}.`,
      offset: token.start,
    });
    const followsComma = this.#expected === 'key' || (this.#expected === 'value' && !this.#isInObject);
    if (followsComma && (token.type === '}' || token.type === ']')) {
      return fault(`a comma may not stand before "${token.type}"`);
    }
    const found =
      token.type === 'end' ? 'the end of the block' : quoted(this.#text.slice(token.start, token.end), 24);
    return fault(`expected ${expectations[this.#expected](this.#isInObject)}, found ${found}`);
  }
}

/** A number is kept where a double has its very value, or at least prints as it was written: `36039293835564330`. */
function numberFault(source: string, offset: number): JsonFault | undefined {
  const value = Number(source);
  if (isExactNumber(value, source) || String(value) === source) return undefined;
  const message = `The number ${quoted(source, 24)} is too large to be kept exactly; write it as a string.`;
  return { kind: 'number', message, offset };
}
