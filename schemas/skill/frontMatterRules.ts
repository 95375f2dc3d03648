/** The rules of the Agent Skills standard for front matter, as `frontMatter.schema.json` states them. */
import { isJsonObject } from '../json/jsonValue';
import { nearestName } from '../text/nearestName';
import { characterCount } from '../text/plainText';
import type { SourceNode } from '../text/sourceTree';
import schema from './frontMatter.schema.json';
import type { SkillProblemCode } from './skillProblems';

/** What a key's schema may say; the rules below know these keywords and no others. */
interface KeyRule {
  readonly type: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

const rules: ReadonlyMap<string, KeyRule> = new Map(Object.entries(schema.properties));

/** The keys that the standard knows, in its order. */
export const standardKeys: readonly string[] = [...rules.keys()];

/** The keys of `metadata` that are read; all others are other clients'. */
export const metadataKeys: readonly string[] = Object.keys(schema.properties.metadata.properties);

/** Keys whose text is a list, its parts separated by white space. */
const listKeys: ReadonlySet<string> = new Set(['allowed-tools', 'include', 'terminal-actions']);

/** How such a key is written: `separate them by spaces: include: a.md b.md`. */
export function separationAdvice(key: string, parts: readonly unknown[]): string {
  const shown = parts.slice(0, 5).map(String).join(' ');
  return `separate them by spaces: ${key}: ${shown}${parts.length > 5 ? ' …' : ''}`;
}

/** A broken rule, with offsets in the file. */
export interface BrokenRule {
  readonly code: SkillProblemCode;
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

/** Checks a mapping. `complete` is false where a syntax error may have swallowed keys: then none is missed. */
export function checkFrontMatter(root: SourceNode, complete: boolean): BrokenRule[] {
  const broken: BrokenRule[] = [];
  for (const [key, { keyStart, keyEnd, node }] of root.properties ?? []) {
    const rule = rules.get(key);
    if (rule === undefined) {
      broken.push({
        code: 'skill.unknown-key',
        message: unknownKeyMessage(key, root),
        start: keyStart,
        end: keyEnd,
      });
      continue;
    }
    const place =
      node.start < node.end ? { start: node.start, end: node.end } : { start: keyStart, end: keyEnd };
    // `*word*` is an alias of nothing, of which the syntax error tells.
    const isUnread = !complete && node.value === null && node.start < node.end;
    const found = rule.type === 'object' || isUnread ? undefined : checkText(key, rule, node.value);
    if (found !== undefined) broken.push({ ...found, ...place });
    if (rule.type === 'object') broken.push(...checkMap(key, node, place));
  }
  if (!complete) return broken;
  for (const key of schema.required) {
    if (root.properties?.has(key) === true) continue;
    const message = `The front matter has no ${key}, which every skill needs; add \`${key}: …\`.`;
    broken.push({ code: 'skill.missing-key', message, start: root.start, end: root.start });
  }
  return broken;
}

/** The key that a misspelt one was meant to be: `Allowed_Tools`, `descripton`. Undefined where none is near. */
export function meantKey(key: string, known: readonly string[] = standardKeys): string | undefined {
  const written = key.toLowerCase().replaceAll('_', '-');
  return known.find((candidate) => candidate === written) ?? nearestName(written, known);
}

function unknownKeyMessage(key: string, { properties }: SourceNode): string {
  const meant = meantKey(key);
  if (meant !== undefined && properties?.has(meant) !== true)
    return `${JSON.stringify(key)} is no key of the standard; write ${meant}.`;
  return `${JSON.stringify(key)} is no key of the standard (${standardKeys.join(', ')}); put it under metadata.`;
}

type Finding = Pick<BrokenRule, 'code' | 'message'>;

function checkText(key: string, rule: KeyRule, value: unknown): Finding | undefined {
  if (value === null) return { code: 'skill.empty-value', message: `The ${key} is empty; write a text.` };
  if (typeof value !== 'string') {
    return {
      code: 'skill.wrong-type',
      message: `The ${key} is ${kindOf(value)}, but has to be a text${adviceOn(key, value)}`,
    };
  }
  if (rule.minLength !== undefined && value.trim() === '') {
    return { code: 'skill.empty-value', message: `The ${key} is empty; write a text.` };
  }
  const length = characterCount(value);
  if (rule.maxLength !== undefined && length > rule.maxLength) {
    const message = `The ${key} has ${length} characters; at most ${rule.maxLength} are allowed.`;
    return { code: 'skill.too-long', message };
  }
  if (rule.pattern !== undefined && !new RegExp(rule.pattern, 'u').test(value)) {
    const message = `The ${key} ${JSON.stringify(value)} may have only lowercase letters a to z, digits, and single hyphens between them.`;
    return { code: 'skill.invalid-name', message };
  }
  if (key === 'allowed-tools' && withoutCommas(value) !== value.trim().replace(/\s+/g, ' ')) {
    const message = 'The allowed-tools are separated by commas, but the standard wants spaces alone.';
    return { code: 'skill.comma-separated', message };
  }
  return undefined;
}

/** False for a part with a space outside of parentheses, which other parts can't be told from. */
export function isOneWord(part: unknown): boolean {
  return typeof part !== 'object' && !/\s/.test(String(part).replace(/\([^()]*\)/g, ''));
}

/** Tools with spaces alone between them; what stands in parentheses, as in `Bash(git add:*)`, stays as it is. */
export function withoutCommas(tools: string): string {
  let depth = 0;
  let text = '';
  for (const character of tools) {
    if (character === '(') depth++;
    else if (character === ')') depth = Math.max(0, depth - 1);
    text += depth === 0 && character === ',' ? ' ' : character;
  }
  return text.trim().replace(/\s+/g, ' ');
}

function checkMap(key: string, node: SourceNode, place: { start: number; end: number }): BrokenRule[] {
  if (node.value === null) return [];
  if (node.properties === undefined) {
    const message = `The ${key} is ${kindOf(node.value)}, but has to be a map of texts, one \`key: text\` a line.`;
    return [{ code: 'skill.wrong-type', message, ...place }];
  }
  const broken: BrokenRule[] = [];
  for (const [name, { keyStart, keyEnd, node: entry }] of node.properties) {
    const meant = metadataKeys.includes(name) ? undefined : nearestName(name, metadataKeys);
    if (meant !== undefined) {
      const message = `Nothing reads the ${key} entry ${JSON.stringify(name)}. Did you mean ${meant}?`;
      broken.push({ code: 'skill.misspelt-metadata-key', message, start: keyStart, end: keyEnd });
    }
    if (typeof entry.value === 'string') {
      if (!isBareDate(entry)) continue;
      const message = `The ${key} entry ${name} is a date to many YAML readers, but has to be a text; put it in quotes.`;
      broken.push({ code: 'skill.wrong-type', message, start: entry.start, end: entry.end });
      continue;
    }
    const where =
      entry.start < entry.end ? { start: entry.start, end: entry.end } : { start: keyStart, end: keyEnd };
    const message = `The ${key} entry ${name} is ${kindOf(entry.value)}, but has to be a text${adviceOn(name, entry.value)}`;
    broken.push({ code: 'skill.wrong-type', message, ...where });
  }
  return broken;
}

/** YAML 1.1, which most clients still read, makes a date of this; in quotes the node would be longer than its text. */
function isBareDate({ value, start, end }: SourceNode): boolean {
  return (
    typeof value === 'string' && end - start === value.length && /^\d{4}-\d\d?-\d\d?(?:$|[Tt ])/.test(value)
  );
}

function kindOf(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'a map';
  return `the ${typeof value} ${String(value)}`;
}

/** What to do about a value that is no text: the rest of a sentence, its full stop included. */
function adviceOn(key: string, value: unknown): string {
  if (listKeys.has(key) && Array.isArray(value) && value.length > 0 && value.every(isOneWord))
    return `; ${separationAdvice(key, value)}`;
  return `${remedy(value)}.`;
}

function remedy(value: unknown): string {
  return value !== null && typeof value !== 'object' ? '; put it in quotes' : '';
}
