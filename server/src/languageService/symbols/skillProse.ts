/** The instructions of a skill as pages with their code spans, read once for as long as a text stays the same. */
import type { ActionSignature } from '../../../../schemas/skill/actionSignature';
import { skillFileName } from '../../../../schemas/skill/skillDocument';
import { LineIndex } from '../../../../schemas/text/position';
import type { IncludedPage, SkillPage } from '../documents';
import type { SkillModel } from '../skillModels';
import { type CodeSpan, type ProseLayout, readProse } from './codeSpans';
import { SkillNames } from './spanMeaning';

const pages = new WeakMap<SkillModel, readonly (SkillPage | IncludedPage)[]>();
const names = new WeakMap<SkillModel, SkillNames>();
/** By an object that stays the same as long as the text does: a document, or a model for the files that it includes. */
const layouts = new WeakMap<object, Map<string, ProseLayout>>();

/** `SKILL.md` and the files that it includes. */
export function pagesOf(model: SkillModel): readonly (SkillPage | IncludedPage)[] {
  let known = pages.get(model);
  if (known === undefined) {
    known = model.skill.files.flatMap(({ role, path, text }): (SkillPage | IncludedPage)[] => {
      const uri = model.uriOf(path);
      if (role === 'include') return [{ kind: 'include', uri, text, lines: new LineIndex(text), model }];
      if (path !== skillFileName) return [];
      const { document } = model.skill;
      return [{ kind: 'skill', uri, text: document.text, lines: document.lines, document, model }];
    });
    pages.set(model, known);
  }
  return known;
}

/** What the names of a skill are. */
export function namesOf(model: SkillModel): SkillNames {
  let known = names.get(model);
  if (known === undefined) {
    known = new SkillNames(model.skill);
    names.set(model, known);
  }
  return known;
}

/** Running text and code spans of a page. */
export function layoutOf(page: SkillPage | IncludedPage): ProseLayout {
  const owner = page.kind === 'skill' ? page.document : page.model;
  const known = layouts.get(owner) ?? new Map<string, ProseLayout>();
  layouts.set(owner, known);
  let layout = known.get(page.uri);
  if (layout === undefined) {
    const { text, lines } = page;
    if (page.kind === 'skill') {
      const { start, end } = page.document.bodyRange;
      layout = readProse(text, lines, lines.offsetAt(start), lines.offsetAt(end));
    } else {
      layout = readProse(text, lines);
    }
    known.set(page.uri, layout);
  }
  return layout;
}

export function spansOf(page: SkillPage | IncludedPage): readonly CodeSpan[] {
  return layoutOf(page).spans;
}

/** The signature that a span declares; undefined for every other span. */
export function signatureAt(
  page: SkillPage | IncludedPage,
  { start, text }: CodeSpan,
): ActionSignature | undefined {
  const signatures = namesOf(page.model).actions.get(/^[^\s(]+/.exec(text)?.[0] ?? '');
  if (signatures === undefined) return undefined;
  const file = page.model.pathOf(page.uri);
  const { line, character } = page.lines.positionAt(start);
  return signatures.find(
    ({ file: itsFile, range }) =>
      itsFile === file && range.start.line === line && range.start.character === character,
  );
}
