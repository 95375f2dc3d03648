/**
 * Whether a name in the instructions is the state's or a program's: `note.title` is a slip where `note` is a text of the
 * state, and a word of some programming language where the instructions speak of a program's `note`.
 */

import { isJsonObject, type JsonValue } from '../../../../schemas/json/jsonValue';
import { codeFences } from '../../../../schemas/skill/codeFences';
import type { IncludedPage, SkillPage } from '../documents';
import type { SkillModel } from '../skillModels';
import { exampleBlocks } from '../state/exampleBlocks';
import type { CodeSpan } from './codeSpans';
import { parseComparedPath, parseProsePath } from './prosePath';
import { layoutOf, namesOf, pagesOf, spansOf } from './skillProse';

/** What the instructions show of a name. */
export interface NameUse {
  /** Something speaks for the state: the bare name, an example, words or other fields beside a path that begins with it. */
  readonly isOfState: boolean;
  /** Something speaks for a program: code, a call, an import, words like "method" beside such a path. */
  readonly isOfProgram: boolean;
  /** True where the name stands nowhere but at the begin of such paths. */
  readonly isOnlyInPaths: boolean;
  /** How many different members it has in such paths. */
  readonly members: number;
}

interface FoundUse {
  isOfState: boolean;
  isOfProgram: boolean;
  occurrences: number;
  readonly members: Set<string>;
}

const word = /[\p{L}_$][\p{L}\p{N}_$-]*/gu;
const stateWords = /\b(?:state(?:_patch)?|patch(?:es)?)\b|Σ/iu;
const programWords =
  /\b(?:api|attribute|class|classe|cli|column|command|config|configuration|endpoint|event|expression|file|function|hook|import|librarie|library|method|module|namespace|node|object|option|package|param|parameter|propertie|property|sdk|setting|span|type|variable)s?\b/i;
const importBefore =
  /\b(?:class|const|def|from|import|install|let|module|namespace|new|package|require|use|using|var)\W{0,3}$/i;

/** How far around a path it is looked for words, in UTF-16 units. */
const reach = 200;

const uses = new WeakMap<SkillModel, FieldUses>();

/** What the instructions of a skill show of its names, looked through once. */
export function fieldUsesOf(model: SkillModel): FieldUses {
  let known = uses.get(model);
  if (known === undefined) {
    known = new FieldUses(model);
    uses.set(model, known);
  }
  return known;
}

class FieldUses {
  readonly #model: SkillModel;
  readonly #uses = new Map<string, FoundUse>();
  /** Words of code that is no example of a state, and of code spans that are no paths. */
  readonly #programs = new Set<string>();
  /** Keys of examples. */
  readonly #keys = new Set<string>();
  /** How often a word stands in the instructions, code included. */
  readonly #counts = new Map<string, number>();

  constructor(model: SkillModel) {
    this.#model = model;
    for (const page of pagesOf(model)) this.#read(page);
  }

  /** True for a word of code that is no example of a state. */
  isInCode(name: string): boolean {
    return this.#programs.has(name);
  }

  /** @param root the first name of a path of two or more, as in `note.title` */
  of(root: string): NameUse {
    const { isOfState, isOfProgram, occurrences, members } = this.#use(root);
    return {
      isOfState: isOfState || this.#keys.has(root),
      isOfProgram: isOfProgram || this.#programs.has(root),
      isOnlyInPaths: (this.#counts.get(root.toLowerCase()) ?? 0) <= occurrences,
      members: members.size,
    };
  }

  #read(page: SkillPage | IncludedPage): void {
    const { text, lines } = page;
    const start = page.kind === 'skill' ? lines.offsetAt(page.document.bodyRange.start) : 0;
    for (const [one] of text.slice(start).matchAll(word)) {
      const lower = one.toLowerCase();
      this.#counts.set(lower, (this.#counts.get(lower) ?? 0) + 1);
    }
    const examples = exampleBlocks(page);
    for (const { source } of examples) if (source.root !== undefined) addKeys(source.root.value, this.#keys);
    const shown = new Set(examples.map((example) => example.start));
    for (const fence of codeFences({ text, lines, start, end: text.length })) {
      if (!shown.has(fence.start)) this.#addProgram(fence.text);
    }
    const regions = layoutOf(page).regions.values();
    let region = regions.next().value;
    for (const span of spansOf(page)) {
      while (region !== undefined && region.end <= span.start) region = regions.next().value;
      this.#readSpan(page, span, region ?? span);
    }
  }

  #readSpan(
    page: SkillPage | IncludedPage,
    span: CodeSpan,
    region: { readonly start: number; readonly end: number },
  ): void {
    const meaning = namesOf(this.#model).meaningOf(span.text);
    if (meaning !== undefined && meaning.kind !== 'field') return;
    const path = parseProsePath(span.text);
    const [root, ...rest] = path?.segments ?? [];
    if (path === undefined || root === undefined) {
      // Text in braces is a piece of data.
      if (parseComparedPath(span.text) === undefined && !span.text.startsWith('{'))
        this.#addProgram(span.text);
      return;
    }
    if (path.form === 'pointer') return;
    const use = this.#use(root.name);
    const { before, around } = surroundings(page, span, region);
    if (importBefore.test(before)) use.isOfProgram = true;
    if (path.prefixLength > 0 || rest.length === 0) {
      if (meaning !== undefined) use.isOfState = true;
      return;
    }
    use.occurrences++;
    use.members.add(rest[0]?.name ?? '');
    if (stateWords.test(around) || this.#hasField(around, span.text)) use.isOfState = true;
    else if (programWords.test(around)) use.isOfProgram = true;
  }

  /** Whether another code span in a text names a field. */
  #hasField(text: string, besides: string): boolean {
    for (const [, written = ''] of text.matchAll(/`([^`\r\n]+)`/g)) {
      if (written.trim() === besides) continue;
      if (namesOf(this.#model).meaningOf(written.trim())?.kind === 'field') return true;
    }
    return false;
  }

  #addProgram(code: string): void {
    for (const [one] of code.matchAll(word)) this.#programs.add(one);
  }

  #use(name: string): FoundUse {
    let use = this.#uses.get(name);
    if (use === undefined) {
      use = { isOfState: false, isOfProgram: false, occurrences: 0, members: new Set() };
      this.#uses.set(name, use);
    }
    return use;
  }
}

/** The text before a span in its line, and the paragraph, list item or row around it as far as it is near. */
function surroundings(
  { text }: SkillPage | IncludedPage,
  { outer }: CodeSpan,
  region: { readonly start: number; readonly end: number },
) {
  const from = Math.max(0, outer.start - reach);
  const lineStart = text.slice(from, outer.start).search(/[^\r\n]*$/) + from;
  const near = text.slice(outer.end, outer.end + reach);
  const lineEnd = outer.end + near.length - near.replace(/^[^\r\n]*/, '').length;
  const begin = Math.max(from, Math.min(region.start, lineStart));
  const end = Math.max(lineEnd, Math.min(region.end, outer.end + reach));
  return { before: text.slice(lineStart, outer.start), around: text.slice(begin, end) };
}

function addKeys(value: JsonValue, keys: Set<string>): void {
  const pending: JsonValue[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) for (const item of next as readonly JsonValue[]) pending.push(item);
    else if (isJsonObject(next)) {
      for (const [key, child] of Object.entries(next)) {
        keys.add(key);
        pending.push(child);
      }
    }
  }
}
