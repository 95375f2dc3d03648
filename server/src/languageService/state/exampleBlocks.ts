/** The states, patches and replies that a skill's instructions show in fenced blocks, told from all other code blocks. */
import { type CodeFence, codeFences } from '../../../../schemas/skill/codeFences';
import { declaredKeysAt } from '../../../../schemas/state/declaredKeys';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import { parseJsonDocument } from '../../../../schemas/text/jsonDocument';
import type { SourceDocument } from '../../../../schemas/text/sourceTree';
import { parseYamlDocument } from '../../../../schemas/text/yamlDocument';
import type { IncludedPage, SkillPage } from '../documents';
import type { SkillModel } from '../skillModels';

/**
 * What a block shows. A `fragment` is some of a state's keys, of which the text doesn't say whether they are a patch:
 * what would be wrong in both is wrong in it.
 */
export type ExampleKind = 'reply' | 'patch' | 'state' | 'fragment';

/** A fenced block that shows something of a run. */
export interface ExampleBlock {
  readonly kind: ExampleKind;
  readonly format: 'json' | 'yaml';
  /** UTF-16 offsets of the content in the file. */
  readonly start: number;
  readonly end: number;
  /** The content, as long as it is in the file. */
  readonly text: string;
  /** The content as a tree; its offsets begin at `start`. */
  readonly source: SourceDocument;
  /** True where the text above says that this is how not to do it. */
  readonly isCounterexample: boolean;
}

/** A block in which something is being typed; what it shows may not be settled yet. */
export interface TypedBlock extends Pick<ExampleBlock, 'format' | 'start' | 'end' | 'text'> {
  readonly kind: ExampleKind | 'open';
}

/** Longer blocks are data, not examples. */
const maxBlockLength = 100_000;

/** How many blocks of a page are read as examples, and how many UTF-16 units they may have together. */
const maxBlocks = 1_000;
const maxLength = 500_000;

/** The examples of a page. */
export interface PageExamples {
  /** In the order of the text. */
  readonly blocks: readonly ExampleBlock[];
  /** The first block that was not looked at, where there are too many; offsets as those of an {@link ExampleBlock}. */
  readonly unread: { readonly start: number; readonly end: number } | undefined;
}

/** By the model, which is another whenever anything of a skill changes, and the URI. */
const known = new WeakMap<SkillModel, Map<string, PageExamples>>();

/** The examples in the instructions of a page, read once for as long as the skill stays the same. */
export function examplesOf(page: SkillPage | IncludedPage): PageExamples {
  const byUri = known.get(page.model) ?? new Map<string, PageExamples>();
  known.set(page.model, byUri);
  let examples = byUri.get(page.uri);
  if (examples === undefined) {
    examples = readExamples(page);
    byUri.set(page.uri, examples);
  }
  return examples;
}

/** The same without what is not looked at. */
export function exampleBlocks(page: SkillPage | IncludedPage): readonly ExampleBlock[] {
  return examplesOf(page).blocks;
}

function readExamples(page: SkillPage | IncludedPage): PageExamples {
  const names = declaredNames(page.model.skill.stateSchema);
  const blocks: ExampleBlock[] = [];
  let length = 0;
  for (const fence of fencesOf(page)) {
    if (blocks.length >= maxBlocks || length > maxLength) {
      if (formatOf(fence) === undefined) continue;
      return { blocks, unread: { start: fence.start, end: fence.end } };
    }
    const block = readBlock(fence, names);
    if (block === undefined) continue;
    length += block.text.length;
    blocks.push(block);
  }
  return { blocks, unread: undefined };
}

/** The JSON or YAML block around an offset, if what it holds so far may become an example. */
export function typedBlockAt(page: SkillPage | IncludedPage, offset: number): TypedBlock | undefined {
  const fence = fencesOf(page).find(({ start, end }) => offset >= start && offset <= end);
  const format = fence && formatOf(fence);
  if (fence === undefined || format === undefined || fence.text.length > maxBlockLength) return undefined;
  const { start, end, text } = fence;
  const block = { format, start, end, text };
  if (hasPatchKey(text)) return { ...block, kind: 'reply' };
  const said = saidKind(fence);
  if (said !== undefined) return { ...block, kind: said };
  const names = declaredNames(page.model.skill.stateSchema);
  const read = readBlock(fence, names);
  if (read !== undefined) return { ...block, kind: read.kind };
  const keys = names.size === 0 || isBare(fence) ? [] : begunKeys(block, offset);
  if (keys.length > 0)
    return keys.every((key) => names.has(key)) ? { ...block, kind: 'fragment' } : undefined;
  // Not more than a brace, or a first key that isn't finished.
  const written = text.trim().replaceAll(/\s+/g, ' ');
  return /^(?:\{? ?"?\w*"? ?:? ?\}?)?$/.test(written) ? { ...block, kind: 'open' } : undefined;
}

/** The keys of a text that may not be readable yet, but for the one at the cursor. */
function begunKeys({ format, text, start }: Omit<TypedBlock, 'kind'>, offset: number): readonly string[] {
  const { root } = format === 'json' ? parseJsonDocument(text) : parseYamlDocument(text);
  const at = offset - start;
  return [...(root?.properties ?? [])]
    .filter(([, { keyStart, keyEnd }]) => at < keyStart || at > keyEnd)
    .map(([key]) => key);
}

function fencesOf(page: SkillPage | IncludedPage): readonly CodeFence[] {
  const { text, lines } = page;
  if (page.kind === 'include') return codeFences({ text, lines, start: 0, end: text.length });
  const { start, end } = page.document.bodyRange;
  return codeFences({ text, lines, start: lines.offsetAt(start), end: lines.offsetAt(end) });
}

function declaredNames(schema: StateSchema): ReadonlySet<string> {
  return new Set(schema.origin === 'file' ? declaredKeysAt(schema, []).map(({ name }) => name) : []);
}

function readBlock(fence: CodeFence, names: ReadonlySet<string>): ExampleBlock | undefined {
  const format = formatOf(fence);
  if (format === undefined || fence.text.length > maxBlockLength) return undefined;
  const said = saidKind(fence);
  const isReply = hasPatchKey(fence.text);
  if (!isReply && said === undefined && (names.size === 0 || isBare(fence))) return undefined;
  const source = format === 'json' ? parseJsonDocument(fence.text) : parseYamlDocument(fence.text);
  const keys = source.root?.properties && [...source.root.properties.keys()];
  const kind = kindOf(fence, { said, keys, isBroken: source.problems.length > 0, isReply, names });
  if (kind === undefined) return undefined;
  const { start, end, text } = fence;
  return { kind, format, start, end, text, source, isCounterexample: isCounterexample(fence) };
}

function kindOf(
  fence: CodeFence,
  known: {
    readonly said: ExampleKind | undefined;
    readonly keys: readonly string[] | undefined;
    readonly isBroken: boolean;
    readonly isReply: boolean;
    readonly names: ReadonlySet<string>;
  },
): ExampleKind | undefined {
  const { said, keys, isBroken, isReply, names } = known;
  // A broken text that mentions the key is a reply only where it begins like one.
  if (isReply && (keys?.includes('state_patch') || (isBroken && /^\s*[{`]/.test(fence.text)))) return 'reply';
  if (said !== undefined) return said;
  if (isBroken || keys === undefined || keys.length === 0 || !keys.every((key) => names.has(key)))
    return undefined;
  return /\bpatch/i.test(fence.lineBefore) ? 'patch' : 'fragment';
}

function formatOf(fence: CodeFence): 'json' | 'yaml' | undefined {
  const language = /^[\w+.-]*/.exec(fence.info)?.[0].toLowerCase();
  if (language === 'yaml' || language === 'yml') return 'yaml';
  if (language === 'json' || language === 'jsonc' || language === 'json5') return 'json';
  return isBare(fence) && fence.text.trimStart().startsWith('{') ? 'json' : undefined;
}

function isBare({ info }: CodeFence): boolean {
  return info === '';
}

/** What the word behind the language says. */
function saidKind({ info }: CodeFence): ExampleKind | undefined {
  const word = /^\S+\s+([\w-]+)/.exec(info)?.[1]?.toLowerCase();
  if (word === 'state') return 'state';
  if (word === 'patch' || word === 'state_patch' || word === 'state-patch') return 'patch';
  return word === 'reply' ? 'reply' : undefined;
}

function hasPatchKey(text: string): boolean {
  return /(?:^|[\s{,])["']?state_patch["']?\s*:/.test(text);
}

const counterexampleWords =
  /\b(?:wrong(?:ly)?|bad(?:ly)?|invalid|incorrect(?:ly)?|don['’]?t|do not|must not|never|avoid|reject(?:ed|s)?|mistakes?|broken|anti-?patterns?|counter-?examples?|not like this)\b|[❌✗✘]/iu;

function isCounterexample({ info, lineBefore }: CodeFence): boolean {
  return counterexampleWords.test(info) || counterexampleWords.test(lineBefore);
}

/** True for a text that stands for another: `<item_id>`, `...`, `{{name}}`. */
export function isPlaceholder(text: string): boolean {
  return /\.\.\.|…|<[^<>]+>/.test(text) || encloses(text, '{{', '}}') || encloses(text, '${', '}');
}

/** Whether something opens in a text and closes behind that. */
function encloses(text: string, opening: string, closing: string): boolean {
  const start = text.indexOf(opening);
  return start >= 0 && text.indexOf(closing, start + opening.length) >= 0;
}

/** True where any key or text on the way to a value, or the value itself, stands for another. */
export function hasPlaceholder(path: readonly string[], value: unknown): boolean {
  if (path.some(isPlaceholder)) return true;
  return typeof value === 'string' && isPlaceholder(value);
}
