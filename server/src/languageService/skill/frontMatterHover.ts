/** What the front matter's keys mean, how long their values are, and what stands behind the names in `metadata`. */
import type { Hover } from 'vscode-languageserver-types';
import { clientOf } from '../../../../schemas/skill/clientKeys';
import frontMatterSchema from '../../../../schemas/skill/frontMatter.schema.json';
import { findFrontMatter } from '../../../../schemas/skill/frontMatterBlock';
import { characterCount } from '../../../../schemas/text/plainText';
import type { SkillPage, Tools } from '../documents';
import { codeSpan } from '../markdownText';
import { thousands, tokensOf } from './bodyMeter';
import { clientKeyOf } from './clientFindings';
import { entryAt, frontMatterPart, nextLineAt } from './frontMatterEdits';
import { builtInKeys, meaningOf } from './frontMatterOffers';
import { filesInMetadata, type MetadataWord, wordsOfMetadata } from './metadataWords';
import { describedCost, promptCost } from './promptCost';
import { FileLookup } from './skillFiles';

const specification = '[Agent Skills specification](https://agentskills.io/specification)';

/** How many signatures of an environment are listed. */
const maxActions = 30;

/** Undefined where there is nothing to say. */
export async function hoverFrontMatter(
  page: SkillPage,
  offset: number,
  tools: Tools,
): Promise<Hover | undefined> {
  const part = frontMatterPart(page.document);
  if (part === undefined) return undefined;
  if (offset < part.start) return hoverOpening(page, offset, tools);
  if (offset >= part.end) return undefined;
  const word = wordAt(page, offset);
  if (word !== undefined) {
    const text = await aboutWord(page, word, tools);
    if (text !== undefined) return hover(page, word.start, word.end, text);
  }
  const entry = entryAt(page.document, offset);
  if (entry === undefined) return undefined;
  const { key, property, inMetadata } = entry;
  const paragraphs = inMetadata
    ? aboutMetadataKey(key)
    : await aboutKey(page, key, property.node.value, tools);
  if (paragraphs.length === 0) return undefined;
  return hover(page, property.keyStart, property.keyEnd, paragraphs.join('\n\n'));
}

function hover(page: SkillPage, start: number, end: number, value: string): Hover {
  return { contents: { kind: 'markdown', value }, range: page.lines.rangeOf(start, end) };
}

/** On the opening `---`: the cost of a prompt. */
async function hoverOpening(page: SkillPage, offset: number, tools: Tools): Promise<Hover | undefined> {
  const { at, oddity } = findFrontMatter(page.text);
  const end = at.start + 3;
  if (oddity === 'fenced' || offset < at.start || offset > end) return undefined;
  const cost = await promptCost(page.model, tools);
  return cost && hover(page, at.start, Math.min(end, nextLineAt(page.text, at.start)), describedCost(cost));
}

async function aboutKey(
  page: SkillPage,
  key: string,
  value: unknown,
  tools: Tools,
): Promise<readonly string[]> {
  const { profile, builtInSkill } = tools.settings;
  const paragraphs: string[] = [];
  // Where VS Code says what a key means, only what it doesn't say is left.
  if (!builtInSkill || !builtInKeys.has(key)) {
    const clientKey = clientKeyOf(profile, key);
    const client = clientOf(profile);
    const meaning = isStandard(key) ? meaningOf(key) : clientKey?.meaning;
    if (meaning !== undefined) paragraphs.push(`**${key}**: ${meaning}`);
    if (isStandard(key)) paragraphs.push(specification);
    else if (clientKey !== undefined && client !== undefined) {
      paragraphs.push(`[${client.title}: skills](${client.source})`);
    }
  }
  const limit = limitOf(key);
  if (limit !== undefined && typeof value === 'string') {
    paragraphs.unshift(`${thousands(characterCount(value))} of ${thousands(limit)} characters`);
  }
  if (key === 'name') {
    const cost = await promptCost(page.model, tools);
    if (cost !== undefined) paragraphs.push(describedCost(cost));
  }
  return paragraphs;
}

function isStandard(key: string): boolean {
  return Object.hasOwn(frontMatterSchema.properties, key);
}

/** How long the standard lets a text be. */
function limitOf(key: string): number | undefined {
  const { name, description, compatibility } = frontMatterSchema.properties;
  const limits = new Map([
    ['name', name.maxLength],
    ['description', description.maxLength],
    ['compatibility', compatibility.maxLength],
  ]);
  return limits.get(key);
}

function aboutMetadataKey(key: string): readonly string[] {
  const isOurs = Object.hasOwn(frontMatterSchema.properties.metadata.properties, key);
  const meaning = isOurs ? meaningOf(key) : undefined;
  return meaning === undefined ? [] : [`**metadata.${key}** (SKILL.state): ${meaning}`];
}

function wordAt({ document }: SkillPage, offset: number): MetadataWord | undefined {
  const words = [
    ...filesInMetadata(document),
    ...wordsOfMetadata(document, 'environment'),
    ...wordsOfMetadata(document, 'terminal-actions'),
  ];
  return words.find(({ start, end }) => offset >= start && offset <= end);
}

async function aboutWord(
  page: SkillPage,
  { key, word }: MetadataWord,
  tools: Tools,
): Promise<string | undefined> {
  switch (key) {
    case 'environment':
      return aboutEnvironment(word, tools);
    case 'terminal-actions': {
      const actions = page.model.skill.actions.filter(({ name }) => name === word);
      const signatures = actions.map(({ text, file }) => `${codeSpan(text)} in ${codeSpan(file)}`).join(', ');
      return actions.length === 0 ? undefined : `Ends the run once it is accepted: ${signatures}`;
    }
    default:
      return aboutFile(page, word, tools);
  }
}

function aboutEnvironment(name: string, { environments }: Tools): string {
  if (!environments.names.includes(name)) {
    return `There is no environment ${codeSpan(name)}; there are ${environments.names.join(', ')}.`;
  }
  const actions = environments.actionsOf(name);
  if (actions === undefined || actions.length === 0) return `The environment **${name}** takes any action.`;
  const shown = actions.slice(0, maxActions).map((action) => `- ${codeSpan(action)}`);
  const more = actions.length > shown.length ? [`- and ${actions.length - shown.length} more`] : [];
  return [`The environment **${name}** knows these actions:`, '', ...shown, ...more].join('\n');
}

async function aboutFile(page: SkillPage, word: string, tools: Tools): Promise<string | undefined> {
  const path = filesInMetadata(page.document).find((file) => file.word === word)?.path;
  if (path === undefined) return undefined;
  const file = page.model.skill.files.find((known) => known.path === path);
  if (file === undefined) {
    const isThere = await new FileLookup(page.model, tools.workspace).has(path);
    return isThere === true ? codeSpan(path) : `There is no file ${codeSpan(path)} in the skill's folder.`;
  }
  const tokens = await tokensOf(file.text, tools);
  const size =
    tokens === undefined
      ? `${thousands(characterCount(file.text))} characters`
      : `${thousands(tokens)} tokens`;
  return `${codeSpan(path)}: ${size}, ${roles.get(file.role) ?? 'part of the state schema'}`;
}

const roles: ReadonlyMap<string, string> = new Map([
  ['include', 'joins the instructions'],
  ['state-schema', 'the state schema'],
  ['initial-state', 'the initial state Σ₀'],
  ['skill', 'the skill'],
]);
