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
    words = readWords(model);
    known.set(model, words);
  }
  return words;
}

function readWords(model: SkillModel): InstructionWords {
  const actions = actionsByFile(model);
  const besides = new Set<string>();
  const inSignatures = new Set<string>();
  for (const page of pagesOf(model)) {
    let from = page.kind === 'skill' ? page.lines.offsetAt(page.document.bodyRange.start) : 0;
    for (const { range } of actions.get(model.pathOf(page.uri) ?? '') ?? []) {
      const [start, end] = [page.lines.offsetAt(range.start), page.lines.offsetAt(range.end)];
      addWritten(page.text.slice(from, start), besides);
      addWritten(page.text.slice(start, end), inSignatures);
      from = end;
    }
    addWritten(page.text.slice(from), besides);
  }
  // Each is taken apart once, however often it stands there.
  const all = new Set<string>();
  const withoutSignatures = new Set<string>();
  for (const word of besides) {
    for (const part of partsOf(word)) {
      all.add(part);
      withoutSignatures.add(stem(part));
    }
  }
  for (const word of inSignatures) for (const part of partsOf(word)) all.add(part);
  return { all, withoutSignatures };
}

function actionsByFile({ skill }: SkillModel): ReadonlyMap<string, readonly ActionSignature[]> {
  const byFile = new Map<string, ActionSignature[]>();
  for (const action of skill.actions) {
    const list = byFile.get(action.file) ?? [];
    byFile.set(action.file, list);
    list.push(action);
  }
  return byFile;
}

function addWritten(text: string, words: Set<string>): void {
  for (const [word] of text.matchAll(/[\p{L}\p{N}_$-]+/gu)) words.add(word);
}

/** A word in lower case; one with underscores, hyphens or inner capitals in parts too. */
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
