/** What can be offered in front matter: keys with a value to begin with, and values with what they mean. */

import { clientOf } from '../../../../schemas/skill/clientKeys';
import frontMatterSchema from '../../../../schemas/skill/frontMatter.schema.json';
import { metadataKeys, standardKeys } from '../../../../schemas/skill/frontMatterRules';
import { isStandardName, kebabCase } from '../../../../schemas/skill/skillName';
import type { SkillPage, Tools } from '../documents';
import { folderNameOf } from './candidateFix';
import { clientKeyOf } from './clientFindings';
import { offeredFiles } from './skillFiles';
import { describedByBody, describedByNothing } from './skillSummary';
import { isListWord } from './wordList';

/** A value, as a text or as YAML has it otherwise. */
export interface OfferedValue {
  readonly value: string | boolean;
  readonly detail?: string;
  readonly documentation?: string;
  readonly kind: 'file' | 'name' | 'action' | 'choice' | 'text';
}

/** A key and what is written behind it at first; `choices` are values to choose among. */
export interface OfferedKey {
  readonly key: string;
  readonly documentation: string;
  readonly value: string;
  readonly choices?: readonly string[];
  /** True where the value is YAML already, and not a text to be quoted where needed. */
  readonly isYaml?: boolean;
}

/** Keys that VS Code completes itself in `SKILL.md`. */
export const builtInKeys: ReadonlySet<string> = new Set([
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'argument-hint',
  'user-invocable',
  'disable-model-invocation',
  'context',
]);

/** SPDX identifiers of the commonest licences. */
const licenses = [
  'MIT',
  'Apache-2.0',
  'BSD-3-Clause',
  'BSD-2-Clause',
  'ISC',
  'MPL-2.0',
  'GPL-3.0-only',
  'LGPL-3.0-only',
  'AGPL-3.0-only',
  'CC-BY-4.0',
  'CC-BY-SA-4.0',
  'CC0-1.0',
  'Unlicense',
];

/** Tools by the names that Claude Code documents and the standard's examples use. */
const toolNames: readonly string[] = [
  'Read',
  'Write',
  'Edit',
  'Glob',
  'Grep',
  'Bash',
  'Bash(git:*)',
  'WebFetch',
  'WebSearch',
  'NotebookEdit',
  'Task',
  'Skill',
];

const descriptions: ReadonlyMap<string, string> = new Map([
  ...Object.entries(frontMatterSchema.properties).map(
    ([key, { description }]) => [key, description] as const,
  ),
  ...Object.entries(frontMatterSchema.properties.metadata.properties).map(
    ([key, { description }]) => [key, description] as const,
  ),
]);

/** What a key of the standard, or one of ours in `metadata`, means. */
export function meaningOf(key: string): string | undefined {
  return descriptions.get(key);
}

/** The top-level keys of the profile. */
export function topLevelKeys(page: SkillPage, settings: Tools['settings']): readonly OfferedKey[] {
  const client = clientOf(settings.profile);
  const folder = folderNameOf(page);
  const values: ReadonlyMap<string, string> = new Map([
    ['name', kebabCase(folder) ?? 'my-skill'],
    ['description', describedByBody(page.document)],
    ['license', 'MIT'],
    ['compatibility', 'Any agent with file access'],
    ['metadata', ''],
    ['allowed-tools', 'Read'],
  ]);
  const standard = standardKeys.map((key) => ({
    key,
    documentation: meaningOf(key) ?? '',
    value: values.get(key) ?? '',
  }));
  const own = (client?.keys ?? []).map(({ key, meaning, example, value }) => ({
    key,
    documentation: `${meaning} (${client?.title ?? ''})`,
    value: example,
    isYaml: true,
    ...(value.kind === 'flag' ? { choices: [example, String(example !== 'true')] } : {}),
    ...(value.kind === 'choice'
      ? { choices: [example, ...value.choices.filter((choice) => choice !== example)] }
      : {}),
  }));
  return [...standard, ...own].filter(({ key }) => !settings.builtInSkill || !builtInKeys.has(key));
}

/** The keys of `metadata` that are read and for which there is a value, and what most skills say there besides. */
export async function keysOfMetadata(page: SkillPage, tools: Tools): Promise<readonly OfferedKey[]> {
  const offered: OfferedKey[] = [];
  for (const key of metadataKeys) {
    const candidates = await metadataValues(page, tools, key, undefined);
    const value = candidates[0]?.value ?? (key === 'terminal-actions' ? withoutActions(page) : undefined);
    if (value === undefined) continue;
    const isChoice = key === 'environment' || key === 'state-schema' || key === 'initial-state';
    offered.push({
      key,
      documentation: meaningOf(key) ?? '',
      value: String(value),
      ...(isChoice && candidates.length > 1 ? { choices: candidates.map((each) => String(each.value)) } : {}),
    });
  }
  return [
    ...offered,
    { key: 'author', documentation: 'Who wrote the skill.', value: 'me' },
    { key: 'version', documentation: 'The version of the skill, in quotes: a text.', value: '1.0' },
  ];
}

/** Where a skill declares no actions, any name may be one. */
function withoutActions(page: SkillPage): string | undefined {
  return page.model.skill.actions.length === 0 ? 'Finish' : undefined;
}

/** Values of a top-level key. */
export async function topLevelValues(
  page: SkillPage,
  tools: Tools,
  key: string,
  typed: string,
): Promise<readonly OfferedValue[]> {
  const { settings } = tools;
  if (settings.builtInSkill && (key === 'context' || builtInFlags.has(key))) return [];
  switch (key) {
    case 'name': {
      const folder = folderNameOf(page);
      const name = isStandardName(folder) ? folder : kebabCase(folder);
      return name === undefined ? [] : [{ value: name, kind: 'name', detail: "the folder's name" }];
    }
    case 'description': {
      const value = describedByBody(page.document);
      return value === describedByNothing
        ? []
        : [{ value, kind: 'text', detail: 'what the instructions begin with' }];
    }
    case 'license': {
      const isLicense = (path: string) => /^licen[cs]e(?:\.\w+)?$/i.test(path);
      const files = await offeredFiles(page.model, tools, isLicense, typed);
      return [
        ...licenses.map((value) => ({ value, kind: 'choice' as const, detail: 'SPDX' })),
        ...files.map((value) => ({ value, kind: 'file' as const })),
      ];
    }
    case 'allowed-tools':
      return toolNames.map((value) => ({ value, kind: 'name' }));
    case 'model':
      return clientKeyOf(settings.profile, key) === undefined
        ? []
        : ['inherit', 'haiku', 'sonnet', 'opus'].map((value) => ({ value, kind: 'choice' }));
  }
  const known = clientKeyOf(settings.profile, key)?.value;
  if (known?.kind === 'flag') return [true, false].map((value) => ({ value, kind: 'choice' }));
  return known?.kind === 'choice' ? known.choices.map((value) => ({ value, kind: 'choice' })) : [];
}

const builtInFlags: ReadonlySet<string> = new Set(['user-invocable', 'disable-model-invocation']);

/**
 * Values of a key of `metadata` that is read: what there is in the folder, in the skill, among the environments.
 *
 * @param typed what stands before the cursor of the value or the word, by which very many are narrowed down; undefined
 * where none is being typed
 */
export async function metadataValues(
  page: SkillPage,
  tools: Tools,
  key: string,
  typed: string | undefined,
): Promise<readonly OfferedValue[]> {
  const { model, document } = page;
  const { environments } = tools;
  switch (key) {
    case 'environment':
      return environments.names.map((name) => {
        const actions = environments.actionsOf(name);
        const documentation =
          actions === undefined
            ? 'Takes any action.'
            : `Actions: ${actions.map((text) => `\`${text}\``).join(', ')}`;
        return { value: name, kind: 'choice', documentation };
      });
    case 'state-schema':
    case 'initial-state': {
      const isData = (path: string) => /\.(?:ya?ml|json)$/i.test(path);
      const files = await offeredFiles(model, tools, isData, typed);
      const [hint, other] = key === 'state-schema' ? [/schema/i, /initial/i] : [/initial/i, /schema/i];
      return files
        .filter((path) => hint.test(path) || !other.test(path))
        .toSorted((a, b) => Number(hint.test(b)) - Number(hint.test(a)))
        .map((value) => ({ value, kind: 'file' }));
    }
    case 'include': {
      const mentioned = new Set(document.mentions.map(({ path }) => path));
      const isText = (path: string) =>
        /\.(?:md|mdx|markdown|txt)$/i.test(path) && path !== 'SKILL.md' && isListWord(path);
      return (await offeredFiles(model, tools, isText, typed))
        .toSorted((a, b) => Number(mentioned.has(b)) - Number(mentioned.has(a)))
        .map((value) => ({
          value,
          kind: 'file',
          ...(mentioned.has(value) ? { detail: 'mentioned in the instructions' } : {}),
        }));
    }
    case 'terminal-actions': {
      const named = new Map(model.skill.actions.map((action) => [action.name, action.text]));
      return [...named].map(([value, signature]) => ({ value, kind: 'action', detail: signature }));
    }
    default:
      return [];
  }
}
