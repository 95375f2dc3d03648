/** New skills from templates: a folder's files that break no rule, whatever name and description are given. */
import { characterCount } from '../text/plainText';
import { isYamlWord } from '../text/yamlWords';
import rules from './frontMatter.schema.json';
import { skillFileName } from './skillDocument';
import { kebabCase } from './skillName';
import { warehouseInstructions, warehouseSchema } from './warehouseTemplate';

const nameRule = rules.properties.name;
const descriptionRule = rules.properties.description;

/** The templates there are, the plainest first. */
export const skillTemplates = [
  {
    id: 'minimal',
    title: 'Minimal',
    description: 'Instructions alone; the state may be any small object.',
  },
  {
    id: 'state',
    title: 'With State Schema',
    description: 'Instructions and a bounded schema of the state.',
  },
  {
    id: 'warehouse',
    title: 'Warehouse',
    description: 'Actions, a schema and an example, with an environment to run it in at once.',
  },
] as const satisfies readonly { readonly id: string; readonly title: string; readonly description: string }[];

export type SkillTemplateId = (typeof skillTemplates)[number]['id'];

export interface NewSkill {
  readonly name: string;
  readonly description: string;
  readonly template: SkillTemplateId;
}

/** The files of a new skill. */
export interface NewSkillFiles {
  /** Texts by their path in the folder, which has the skill's name; `SKILL.md` is the first. */
  readonly files: ReadonlyMap<string, string>;
  /** Where the author goes on in `SKILL.md`, in UTF-16 offsets: the stretch is there to be replaced. */
  readonly selection: { readonly start: number; readonly end: number };
}

/** What is wrong with a skill's name; undefined where nothing is. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'Give the skill a name.';
  if (name.length > nameRule.maxLength) {
    return `A name has at most ${nameRule.maxLength} characters; this one has ${name.length}.`;
  }
  if (new RegExp(nameRule.pattern, 'u').test(name)) return undefined;
  const suggestion = kebabCase(name);
  const advice = suggestion === undefined ? '' : ` Try ${suggestion}.`;
  return `A name has only lowercase letters a to z, digits, and single hyphens between them.${advice}`;
}

/** What is wrong with a skill's description; undefined where nothing is. */
export function descriptionProblem(description: string): string | undefined {
  const text = onOneLine(description);
  if (text === '') return 'Say what the skill does and when to use it.';
  const length = characterCount(text);
  return length <= descriptionRule.maxLength
    ? undefined
    : `A description has at most ${descriptionRule.maxLength} characters; this one has ${length}.`;
}

/**
 * The files of a new skill.
 *
 * @throws RangeError for a name or description with a problem; ask `nameProblem` and `descriptionProblem` first
 */
export function createSkillFiles({ name, description, template }: NewSkill): NewSkillFiles {
  const problem = nameProblem(name) ?? descriptionProblem(description);
  if (problem !== undefined) throw new RangeError(problem);
  const { metadata, body, files } = contents[template];
  const frontMatter = [
    '---',
    `name: ${yamlText(name)}`,
    `description: ${yamlText(onOneLine(description))}`,
    ...metadata,
    '---',
  ];
  const before = `${frontMatter.join('\n')}\n\n# ${titleOf(name)}\n\n`;
  const [beforeMark, marked, afterMark] = body.split('‸');
  const start = before.length + (beforeMark ?? '').length;
  const text = `${before}${beforeMark ?? ''}${marked ?? ''}${afterMark ?? ''}`;
  return {
    files: new Map([[skillFileName, text], ...Object.entries(files)]),
    selection: { start, end: start + (marked ?? '').length },
  };
}

interface TemplateContents {
  /** Lines of the front matter. */
  readonly metadata: readonly string[];
  /** The instructions below their title; two `‸` enclose what the author replaces. */
  readonly body: string;
  readonly files: Readonly<Record<string, string>>;
}

const minimalBody = `‸Say here what to do, step by step, and when to stop.‸
`;

const stateBody = `‸Say here what to do, step by step, and when to stop.‸

You see no earlier observation. What you need to know later has to be in the state.

## State

- \`phase\` says how far you are: \`planning\`, \`working\` or \`done\`.
- \`tasks\` maps the id of each open task, such as \`task_1\`, to what is to be done. Add a task by setting its id; set
  the id to \`null\` once the task is done, which removes it.

Your state patch contains only what your action changes. Where nothing changes, give the empty patch \`{}\`.
`;

const stateSchema = `# The state of the skill, as JSON Schema. Every patch is checked against it.
$schema: https://json-schema.org/draft/2020-12/schema
title: State
description: How far the work is, and what is still to be done.
type: object
properties:
  phase:
    description: How far the work is.
    type: string
    enum: [planning, working, done]
    default: planning
  tasks:
    description: Open tasks by their id, each with what is to be done.
    type: object
    propertyNames:
      pattern: ^task_[1-9][0-9]{0,3}$
      maxLength: 9
    additionalProperties:
      description: What is to be done.
      type: string
      maxLength: 200
    # The state is part of every prompt, so its size has a bound.
    maxProperties: 50
    default: {}
additionalProperties: false
`;

const contents: Readonly<Record<SkillTemplateId, TemplateContents>> = {
  minimal: { metadata: [], body: minimalBody, files: {} },
  state: { metadata: [], body: stateBody, files: { 'state.schema.yaml': stateSchema } },
  warehouse: {
    metadata: ['metadata:', '  environment: warehouse'],
    body: `‸‸${warehouseInstructions}`,
    files: { 'state.schema.yaml': warehouseSchema },
  },
};

/** `release-notes` as `Release Notes`. */
function titleOf(name: string): string {
  return name
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ');
}

/** Line breaks and control characters as single spaces; halves of surrogate pairs, which no file can hold, left out. */
function onOneLine(text: string): string {
  return text
    .replaceAll(/[\p{Cs}\uFFFD]/gu, '')
    .replaceAll(/[\s\p{Cc}\u2028\u2029\uFEFF]+/gu, ' ')
    .trim();
}

/** A text as YAML: without quotes where every reader takes it as it is. */
function yamlText(text: string): string {
  const isPlain = /^[\p{L}][^\p{C}]*$/u.test(text) && !/:(?: |$)| #/.test(text) && !isYamlWord(text);
  return isPlain ? text : JSON.stringify(text);
}
