/** What a code span names: a field of the state, an action, an argument. */
import { type Hover, MarkupKind } from 'vscode-languageserver-types';
import { textBlocks } from '../../../../schemas/skill/markdownBlocks';
import { assertNever } from '../../../../schemas/text/assertNever';
import type { IncludedPage, SkillPage, Tools } from '../documents';
import { codeSpan, markdownEscaped } from '../markdownText';
import type { EnvironmentCatalogue } from '../workspace';
import type { CodeSpan } from './codeSpans';
import { environmentActions } from './environmentActions';
import { declarationText, descriptionOf, factsOf, typeText } from './fieldFacts';
import { namesOf, pagesOf, spansOf } from './skillProse';
import type { ResolvedSegment, SkillNames, SpanMeaning } from './spanMeaning';

const maxDeclarations = 5;
const maxExplanation = 1_000;

/** Undefined where there is nothing to say. */
export async function hoverProse(
  page: SkillPage | IncludedPage,
  offset: number,
  tools: Tools,
): Promise<Hover | undefined> {
  const span = spansOf(page).find(({ start, end }) => offset >= start && offset <= end);
  if (span === undefined) return undefined;
  const names = namesOf(page.model);
  const meaning = names.meaningOf(span.text);
  const found = meaning && partAt(page, span, offset, { meaning, names, catalogue: tools.environments });
  if (found === undefined) return undefined;
  const { lines, start, end } = found;
  return {
    contents: { kind: MarkupKind.Markdown, value: lines.join('\n\n') },
    range: page.lines.rangeOf(start, end),
  };
}

interface Part {
  readonly lines: readonly string[];
  readonly start: number;
  readonly end: number;
}

function partAt(
  page: SkillPage | IncludedPage,
  span: CodeSpan,
  offset: number,
  known: {
    readonly meaning: SpanMeaning;
    readonly names: SkillNames;
    readonly catalogue: EnvironmentCatalogue;
  },
): Part | undefined {
  const { meaning, names, catalogue } = known;
  switch (meaning.kind) {
    case 'field': {
      const touched = meaning.segments.find(({ segment }) => offset <= span.start + segment.end);
      const chosen = touched ?? meaning.segments.at(-1);
      if (chosen === undefined) return undefined;
      const lines = fieldLines(page, span.text, chosen, names);
      const { segment } = chosen;
      return lines && { lines, start: span.start + segment.start, end: span.start + segment.end };
    }
    case 'action': {
      const lines = actionLines(page, meaning, catalogue);
      return { lines, start: span.start, end: span.end };
    }
    case 'parameter': {
      const actions = [...names.actions.values()].flat();
      const takers = actions.filter(({ parameters }) => parameters.some(({ name }) => name === meaning.name));
      const list = takers.slice(0, maxDeclarations).map(({ text }) => codeSpan(text));
      return { lines: [`Argument of ${list.join(', ')}`], start: span.start, end: span.end };
    }
    default:
      return assertNever(meaning);
  }
}

function fieldLines(
  page: SkillPage | IncludedPage,
  text: string,
  { segment, node, properties }: ResolvedSegment,
  { graph }: SkillNames,
): string[] | undefined {
  if (graph === undefined || node === undefined) return undefined;
  const { schema } = graph;
  const written = text.slice(0, segment.end + (text[segment.end] === ']' ? 1 : 0));
  const type = typeText(node);
  const lines = [`${codeSpan(written)}${type === '' ? '' : `: ${markdownEscaped(type)}`}`];
  const declarations = properties.flatMap((property) => graph.declarationsOf(property));
  const description = declarationText(schema, declarations) ?? descriptionOf(node);
  if (description !== undefined) lines.push(markdownEscaped(description));
  const facts = factsOf(node);
  if (facts.length > 0) lines.push(facts.map((fact) => `- ${markdownEscaped(fact)}`).join('\n'));
  const places = declarations.slice(0, maxDeclarations).flatMap((pointer) => {
    const place = schema.placeOf(pointer);
    return place === undefined ? [] : [`${markdownEscaped(place.path ?? '')}:${place.key.start.line + 1}`];
  });
  if (places.length > 0) lines.push(`Declared in ${places.join(', ')}`);
  else if (page.model.skill.stateSchema === schema)
    lines.push('A key that the schema allows without naming it');
  return lines;
}

function actionLines(
  page: SkillPage | IncludedPage,
  { name, signatures }: Extract<SpanMeaning, { kind: 'action' }>,
  catalogue: EnvironmentCatalogue,
): string[] {
  const lines: string[] = [];
  for (const { text, file, range } of signatures.slice(0, maxDeclarations)) {
    const explanation = explanationOf(page, file, range.start.line);
    lines.push(`${codeSpan(text)}${explanation === '' ? '' : `: ${markdownEscaped(explanation)}`}`);
    lines.push(`Declared in ${markdownEscaped(file)}:${range.start.line + 1}`);
  }
  const { environment, terminalActions } = page.model.skill;
  if (terminalActions.includes(name)) lines.push('Ends the run once it is accepted');
  const known = environmentActions(environment, catalogue);
  if (environment !== undefined && known !== undefined) {
    const has = known.some((action) => action.name === name);
    lines.push(`${has ? 'Known' : 'Not known'} to the environment ${markdownEscaped(environment)}`);
  }
  return lines;
}

/** What stands behind the signature in its item, on one line. */
function explanationOf(page: SkillPage | IncludedPage, file: string, line: number): string {
  const declaring = pagesOf(page.model).find(({ uri }) => page.model.pathOf(uri) === file);
  if (declaring === undefined) return '';
  // The item ends with the next one, a blank line or a heading; a few lines say enough.
  const from = declaring.lines.offsetAt({ line, character: 0 });
  const part = declaring.text.slice(from, from + 4 * maxExplanation);
  const [item] = textBlocks(part);
  const content = item?.content ?? '';
  const fence = /^`+/.exec(content)?.[0] ?? '';
  const close = fence === '' ? -1 : content.indexOf(fence, fence.length);
  if (close === -1) return '';
  const explanation = content.slice(close + fence.length).replace(/^[\s:.,–—-]+/, '');
  return explanation.replace(/\s+/g, ' ').replace(/`/g, '').slice(0, maxExplanation).trim();
}
