/** The words of a skill's instructions, for what asks whether something is mentioned at all. */
import type { ActionSignature } from '../../../../schemas/skill/actionSignature';
import type { SkillModel } from '../skillModels';
import { stem } from './nameSlip';
import { pagesOf } from './skillProse';

export interface InstructionWords {
  /** Every word in lower case, names with underscores and hyphens whole and in parts. */
  readonly all: ReadonlySet<string>;
  /** The same without what stands in the signatures of actions, and without the endings of plurals. */
  readonly withoutSignatures: ReadonlySet<string>;
}

const known = new WeakMap<SkillModel, InstructionWords>();

/** Words of the body and of included files; the front matter is no instruction. */
export function instructionWords(model: SkillModel): InstructionWords {
  let words = known.get(model);
  if (words === undefined) {
    words = { all: addWords(model.skill.instructions, new Set()), withoutSignatures: wordsBesides(model) };
    known.set(model, words);
  }
  return words;
}

/** Adds the words of a text, each of which is taken apart once. */
function addWords(text: string, words: Set<string>, seen = new Set<string>(), change = same): Set<string> {
  for (const [word] of text.matchAll(/[\p{L}\p{N}_$-]+/gu)) {
    if (seen.has(word)) continue;
    seen.add(word);
    for (const part of partsOf(word)) words.add(change(part));
  }
  return words;
}

const same = (word: string): string => word;

function* partsOf(word: string): Generator<string> {
  const lower = word.toLowerCase();
  yield lower;
  if (!/[_$-]/.test(lower) && lower === word) return;
  yield* lower.split(/[_$-]+/);
  if (lower !== word)
    yield* word
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
      .toLowerCase()
      .split(/[_$-]+/);
}

function wordsBesides(model: SkillModel): Set<string> {
  const words = new Set<string>();
  const seen = new Set<string>();
  const byFile = new Map<string, ActionSignature[]>();
  for (const action of model.skill.actions) {
    const list = byFile.get(action.file) ?? [];
    byFile.set(action.file, list);
    list.push(action);
  }
  for (const page of pagesOf(model)) {
    const file = model.pathOf(page.uri);
    const begin = page.kind === 'skill' ? page.lines.offsetAt(page.document.bodyRange.start) : 0;
    let from = begin;
    const add = (end: number) => addWords(page.text.slice(from, end), words, seen, stem);
    for (const action of byFile.get(file ?? '') ?? []) {
      add(page.lines.offsetAt(action.range.start));
      from = page.lines.offsetAt(action.range.end);
    }
    add(page.text.length);
  }
  return words;
}
