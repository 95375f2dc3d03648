/** Completion in initial states and in a skill's JSON examples, by the state schema. */
import type { CompletionItem } from 'vscode-languageserver-types';
import type { JsonPath } from '../../../../schemas/json/jsonPointer';
import type { JsonValue } from '../../../../schemas/json/jsonValue';
import { parseSourceFile } from '../../../../schemas/text/sourceFile';
import { placeAtOffset, type SourceNode } from '../../../../schemas/text/sourceTree';
import { type Cursor, cursorAt, isBeforeKey } from '../cursor';
import type { IncludedPage, SkillPage, StatePage, Tools } from '../documents';
import { type TypedBlock, typedBlockAt } from './exampleBlocks';
import { replyKeyItems, replyValueItems } from './replyCompletion';
import { stateItems } from './stateItems';

export async function completeState(
  page: StatePage,
  offset: number,
  _tools: Tools,
): Promise<readonly CompletionItem[]> {
  const { text, format, lines, schema, model } = page;
  const cursor = schema && freeCursorAt(text, offset, format);
  if (schema === undefined || cursor === undefined) return [];
  const initialState = model?.skill.initialState ?? {};
  const present = presentValue(page.state.source, cursor.replace.start);
  return stateItems({ cursor, lines, schema, path: cursor.path, isPatch: false, initialState, present });
}

/** Undefined where the offset is in no example. */
export async function completeExample(
  page: SkillPage | IncludedPage,
  offset: number,
  _tools: Tools,
): Promise<readonly CompletionItem[] | undefined> {
  const block = typedBlockAt(page, offset);
  if (block === undefined) return undefined;
  const cursor = cursorIn(block, offset);
  return cursor === undefined ? [] : itemsAt(page, block, cursor);
}

/** The value of the property whose key begins at an offset. */
function presentValue(root: SourceNode | undefined, offset: number): JsonValue | undefined {
  const place = root && placeAtOffset(root, offset);
  return place?.part === 'key' ? place.property.node.value : undefined;
}

/** The cursor; undefined before a key or a value that is written already. */
function freeCursorAt(text: string, offset: number, format: 'yaml' | 'json'): Cursor | undefined {
  const cursor = cursorAt(text, offset, format);
  if (cursor === undefined || isBeforeKey(cursor, offset)) return undefined;
  if (cursor.part === 'key' || cursor.style === 'block') return cursor;
  const { replace, needsComma } = cursor;
  if (replace.start < replace.end || needsComma) return cursor;
  const following = /[^\s]/.exec(text.slice(replace.end, replace.end + 10_000))?.[0];
  return following === undefined || /[,}\]`~]/.test(following) ? cursor : undefined;
}

function cursorIn({ text, start, format }: TypedBlock, offset: number): Cursor | undefined {
  const cursor = freeCursorAt(text, offset - start, format);
  if (cursor === undefined) return undefined;
  const { replace } = cursor;
  return { ...cursor, replace: { start: replace.start + start, end: replace.end + start } };
}

function itemsAt(
  page: SkillPage | IncludedPage,
  block: TypedBlock,
  cursor: Cursor,
): readonly CompletionItem[] {
  const { skill } = page.model;
  const { stateSchema: schema, initialState } = skill;
  const { lines } = page;
  const inState = (path: JsonPath, isPatch: boolean): readonly CompletionItem[] => {
    if (schema.origin !== 'file') return [];
    const read = () => parseSourceFile({ path: `example.${block.format}`, text: block.text }).root;
    const present = cursor.hasColon ? presentValue(read(), cursor.replace.start - block.start) : undefined;
    return stateItems({ cursor, lines, schema, path, isPatch, initialState, present });
  };
  switch (block.kind) {
    case 'state':
      return inState(cursor.path, false);
    case 'patch':
    case 'fragment':
      return inState(cursor.path, true);
    case 'open':
      if (cursor.path.length > 0 || cursor.part === 'value') return [];
      return [...replyKeyItems(cursor, lines, skill.actions), ...inState([], true)];
    case 'reply': {
      const [key, ...path] = cursor.path;
      if (key === undefined) return cursor.part === 'key' ? replyKeyItems(cursor, lines, skill.actions) : [];
      if (key === 'state_patch') return inState(path, true);
      return path.length === 0 && cursor.part === 'value'
        ? replyValueItems(cursor, lines, skill.actions)
        : [];
    }
  }
}
