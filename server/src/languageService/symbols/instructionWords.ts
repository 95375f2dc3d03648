/** The words of a skill's instructions, for what asks whether something is mentioned at all. */
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
    words = { all: new Set(wordsIn(model.skill.instructions)), withoutSignatures: wordsBesides(model) };
    known.set(model, words);
  }
  return words;
}

function* wordsIn(text: string): Generator<string> {
  for (const [word] of text.matchAll(/[\p{L}\p{N}_$-]+/gu)) {
    const lower = word.toLowerCase();
    yield lower;
    if (!/[_$-]/.test(lower) && lower === word) continue;
    yield* lower.split(/[_$-]+/);
    if (lower !== word)
      yield* word
        .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
        .toLowerCase()
        .split(/[_$-]+/);
  }
}

function wordsBesides(model: SkillModel): Set<string> {
  const words = new Set<string>();
  for (const page of pagesOf(model)) {
    const file = model.pathOf(page.uri);
    const begin = page.kind === 'skill' ? page.lines.offsetAt(page.document.bodyRange.start) : 0;
    let from = begin;
    const add = (end: number) => {
      for (const word of wordsIn(page.text.slice(from, end))) words.add(stem(word));
    };
    for (const action of model.skill.actions) {
      if (action.file !== file) continue;
      add(page.lines.offsetAt(action.range.start));
      from = page.lines.offsetAt(action.range.end);
    }
    add(page.text.length);
  }
  return words;
}
