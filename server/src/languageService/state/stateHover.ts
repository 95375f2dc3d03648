/** What the schema says of a value in an initial state or in an example. */
import { type Hover, MarkupKind } from 'vscode-languageserver-types';
import type { JsonPath } from '../../../../schemas/json/jsonPointer';
import { placeAtOffset, type SourceNode, type SourcePlace } from '../../../../schemas/text/sourceTree';
import type { IncludedPage, SkillPage, StatePage, Tools } from '../documents';
import { codeSpan } from '../markdownText';
import { propertyFactsAt } from '../schema/propertyFacts';
import { exampleBlocks } from './exampleBlocks';

/** Undefined where there is nothing to say. */
export async function hoverState(
  page: StatePage | SkillPage | IncludedPage,
  offset: number,
  _tools: Tools,
): Promise<Hover | undefined> {
  if (page.kind === 'initial-state') {
    const { schema, state } = page;
    const place = state.source && hoveredAt(state.source, offset);
    const facts = schema && place && propertyFactsAt(schema, place.path);
    return facts === undefined || place === undefined ? undefined : hoverOf(page, place, 0, facts);
  }
  const block = exampleBlocks(page).find(({ start, end }) => offset >= start && offset <= end);
  const root = block?.source.root;
  const place = block && root && hoveredAt(root, offset - block.start);
  if (block === undefined || place === undefined) return undefined;
  const facts = block.kind === 'reply' ? replyFacts(page, place) : factsIn(page, place.path);
  return facts === undefined ? undefined : hoverOf(page, place, block.start, facts);
}

function factsIn(page: SkillPage | IncludedPage, path: JsonPath): string | undefined {
  const { stateSchema } = page.model.skill;
  return stateSchema.origin === 'file' ? propertyFactsAt(stateSchema, path) : undefined;
}

function replyFacts(page: SkillPage | IncludedPage, { path, property }: SourcePlace): string | undefined {
  const [key, ...rest] = path;
  if (key === 'state_patch') {
    if (rest.length > 0) return factsIn(page, rest);
    return `${codeSpan('state_patch')}: the keys of the state to change, as a JSON Merge Patch. ${codeSpan('null')} deletes a key; what isn’t named stays as it is.`;
  }
  if (key !== 'action' || rest.length > 0) return undefined;
  const written = property.node.value;
  const name = typeof written === 'string' ? /^[^\s(]+/.exec(written.trim())?.[0] : undefined;
  const signature = page.model.skill.actions.find((action) => action.name === name);
  const what = `${codeSpan('action')}: the command to carry out`;
  if (signature === undefined) return `${what}.`;
  const { file, range } = signature;
  return `${what}, declared as ${codeSpan(signature.text)} in ${codeSpan(`${file}:${range.start.line + 1}`)}.`;
}

/** The key or scalar at an offset; undefined between the entries of an object or a list. */
function hoveredAt(root: SourceNode, offset: number): SourcePlace | undefined {
  const place = placeAtOffset(root, offset);
  if (place === undefined || place.path.length === 0) return undefined;
  const { node } = place.property;
  const isContainer = node.properties !== undefined || node.items !== undefined;
  return place.part === 'value' && isContainer ? undefined : place;
}

function hoverOf(
  { lines }: StatePage | SkillPage | IncludedPage,
  { part, property }: SourcePlace,
  base: number,
  value: string,
): Hover {
  const { keyStart, keyEnd, node } = property;
  const [start, end] = part === 'key' ? [keyStart, keyEnd] : [node.start, node.end];
  return {
    contents: { kind: MarkupKind.Markdown, value },
    range: lines.rangeOf(base + start, base + end),
  };
}
