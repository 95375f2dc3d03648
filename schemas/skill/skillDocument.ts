/** `SKILL.md` as a document: front matter after the Agent Skills standard (agentskills.io/specification), then instructions. */
import { normalizeText, trimBlankLines } from '../text/plainText';
import { LineIndex, type Range } from '../text/position';
import type { Problem } from '../text/problem';
import {
  nulProblem,
  type SourceDocument,
  type SourceNode,
  type SourceProblemKind,
  type SourceProperty,
} from '../text/sourceTree';
import { parseYamlDocument } from '../text/yamlDocument';
import { type ActionSignature, parseActions } from './actionSignature';
import { type FileMention, findMentions, firstOfEachPath } from './fileMentions';
import { type FrontMatterBlock, findFrontMatter, findSecondFrontMatter } from './frontMatterBlock';
import { checkFrontMatter } from './frontMatterRules';
import { textBlocks } from './markdownBlocks';
import { type SkillProblemCode, skillProblems } from './skillProblems';

export type { FileMention } from './fileMentions';
export type { SkillProblemCode } from './skillProblems';

/** One key of the front matter, with its value as YAML reads it. */
export interface FrontMatterEntry {
  readonly key: string;
  readonly keyRange: Range;
  readonly value: unknown;
  readonly valueRange: Range;
  /** The entries of a mapping value (as under `metadata`), else empty. */
  readonly entries: readonly FrontMatterEntry[];
}

/** Everything that the text of one `SKILL.md` says, however broken it is. */
export interface SkillDocument {
  readonly text: string;
  readonly entries: readonly FrontMatterEntry[];
  /** The front matter as a tree with offsets into the file; undefined where it is no mapping. */
  readonly source: SourceNode | undefined;
  /** Positions in `text`. */
  readonly lines: LineIndex;
  /** The YAML text between the two `---` lines; undefined where there is no front matter. */
  readonly frontMatterRange: Range | undefined;
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** `metadata` as a map of strings; entries of other types are left out and reported. */
  readonly metadata: ReadonlyMap<string, string>;
  /** Everything after the front matter, as written. */
  readonly bodyRange: Range;
  /** P without included files: the body with LF line ends, outer blank lines trimmed. */
  readonly instructions: string;
  /** 0-based line of the first line of the instructions in `text`. */
  readonly firstInstructionLine: number;
  readonly actions: readonly ActionSignature[];
  /** The first mention of each file. */
  readonly mentions: readonly FileMention[];
  readonly allMentions: readonly FileMention[];
  readonly problems: readonly Problem<SkillProblemCode>[];
}

/** The file that makes a folder a skill. */
export const skillFileName = 'SKILL.md';

/** How many UTF-16 units a `SKILL.md` may have; the longest known has 294,000. */
export const maxSkillLength = 4_000_000;

/** Front matter is kept in every client's context: past these numbers it is left unread. */
const maxFrontMatterLength = 65_536;
const maxFrontMatterValues = 10_000;

/** Reads a `SKILL.md`. Never throws; whatever is wrong is in `problems`, in the order of the text. */
export function parseSkill(text: string): SkillDocument {
  const lines = new LineIndex(text);
  const problems: Problem<SkillProblemCode>[] = [];
  const report = (code: SkillProblemCode, message: string, start: number, end: number): void => {
    problems.push({
      code,
      severity: skillProblems[code].severity,
      message,
      range: lines.rangeOf(start, end),
    });
  };
  if (text.length > maxSkillLength) {
    report('skill.too-large', `The file has more than ${maxSkillLength} characters; shorten it.`, 0, 0);
    return emptyDocument(text, lines, problems);
  }
  const block = findFrontMatter(text);
  reportOddity(block, report);
  const yaml =
    block.yaml &&
    parseYamlDocument(text.slice(block.yaml.start, block.yaml.end), {
      offset: block.yaml.start,
      recoverUnquotedColons: true,
      maxLength: maxFrontMatterLength,
      maxValues: maxFrontMatterValues,
    });
  const root = yaml && readMapping(yaml, block, report);
  reportUnreadable(text, report);
  const second = findSecondFrontMatter(text, block.bodyStart);
  if (second !== undefined) {
    const message = 'A second front matter begins here and counts as instructions; join it with the first.';
    report('skill.second-front-matter', message, second.start, second.end);
  }
  const body = text.slice(block.bodyStart, block.bodyEnd);
  const instructions = trimBlankLines(normalizeText(body));
  if (instructions === '') {
    const message =
      'There are no instructions after the front matter, so there is nothing to run; write them here.';
    report('skill.empty-instructions', message, block.bodyStart, block.bodyEnd);
  }
  const firstInstruction = block.bodyStart + Math.max(0, body.search(/\S/));
  const blocks = textBlocks(body);
  const part = { text, file: skillFileName, start: block.bodyStart, end: block.bodyEnd };
  const declared = parseActions(part, blocks);
  for (const problem of declared.problems) problems.push(problem);
  const entries = root === undefined ? [] : entriesOf(root, lines);
  const allMentions = findMentions(text, block.bodyStart, block.bodyEnd, blocks);
  return {
    text,
    entries,
    source: root,
    lines,
    frontMatterRange: block.yaml && lines.rangeOf(block.yaml.start, block.yaml.end),
    name: textOf(root, 'name'),
    description: textOf(root, 'description'),
    metadata: metadataOf(root),
    bodyRange: lines.rangeOf(block.bodyStart, block.bodyEnd),
    instructions,
    firstInstructionLine: lines.positionAt(firstInstruction).line,
    actions: declared.actions,
    mentions: firstOfEachPath(allMentions),
    allMentions,
    problems: problems.sort(byPosition),
  };
}

/** The problem of a `name` that is not its folder's, which clients look a skill up by; undefined where they agree. */
export function checkFolderName(
  document: SkillDocument,
  folderName: string,
): Problem<SkillProblemCode> | undefined {
  const entry = document.entries.find(({ key }) => key === 'name');
  if (entry === undefined || document.name === undefined || document.name === folderName) return undefined;
  const code = 'skill.folder-name';
  const message = `The name ${JSON.stringify(document.name)} is not the folder's, ${JSON.stringify(folderName)}; rename one of them.`;
  return { code, severity: skillProblems[code].severity, message, range: entry.valueRange };
}

type Report = (code: SkillProblemCode, message: string, start: number, end: number) => void;

const oddities = {
  missing: {
    code: 'skill.missing-front-matter',
    message:
      'There is no front matter; begin the file with a `---` line, name and description, and a `---` line.',
  },
  unclosed: {
    code: 'skill.unclosed-front-matter',
    message: 'The front matter that begins here is never closed; put a `---` line after its last key.',
  },
  fenced: {
    code: 'skill.fenced-front-matter',
    message: 'The front matter is inside a code fence, where no client looks for it; remove the fence.',
  },
  late: {
    code: 'skill.late-front-matter',
    message: 'The front matter has to begin on the first line; remove the blank lines before it.',
  },
} as const;

function reportOddity({ oddity, at }: FrontMatterBlock, report: Report): void {
  if (oddity === undefined) return;
  const { code, message } = oddities[oddity];
  report(code, message, at.start, at.end);
}

/** What a text still says after these is no guess. */
const harmless: ReadonlySet<SourceProblemKind> = new Set([
  'duplicate-key',
  'inexact-number',
  'nul-character',
  'unquoted-colon',
  'unsupported-yaml',
]);

/** The front matter as a mapping, with its problems reported; undefined where it is something else. */
function readMapping(yaml: SourceDocument, block: FrontMatterBlock, report: Report): SourceNode | undefined {
  const { root, problems } = yaml;
  for (const problem of problems) {
    if (problem.kind === 'nul-character') continue; // looked for in the whole file
    const code =
      problem.kind === 'too-large' ? 'skill.large-front-matter' : (`skill.${problem.kind}` as const);
    report(code, problem.message, problem.start, problem.end);
  }
  const broken = problems.find(({ kind }) => !harmless.has(kind));
  if (root?.properties !== undefined) {
    for (const { code, message, start, end } of checkFrontMatter(root, broken === undefined)) {
      const isConsequence = problems.some(
        (problem) => problem.start === start && problem.kind === 'unsupported-yaml',
      );
      if (!isConsequence && start < (broken?.start ?? Number.POSITIVE_INFINITY))
        report(code, message, start, end);
    }
    return root;
  }
  if (broken !== undefined) return undefined;
  const { start, end } = block.yaml ?? block.at;
  if (root === undefined) {
    const message = 'The front matter is empty; write name and description, one `key: value` a line.';
    report('skill.missing-key', message, start, end);
  } else {
    const message = 'The front matter is no mapping; write name and description, one `key: value` a line.';
    report('skill.not-a-mapping', message, root.start, root.end);
  }
  return undefined;
}

function reportUnreadable(text: string, report: Report): void {
  const nul = nulProblem(text);
  if (nul !== undefined) report('skill.nul-character', nul.message, nul.start, nul.end);
  const replacement = text.indexOf('\uFFFD');
  if (replacement !== -1 && nul === undefined) {
    const message = 'A character could not be read (U+FFFD); save the file as UTF-8.';
    report('skill.not-utf-8', message, replacement, replacement + 1);
  }
}

function entriesOf(node: SourceNode, lines: LineIndex): FrontMatterEntry[] {
  return [...(node.properties ?? [])].map(([key, property]) => entryOf(key, property, lines));
}

function entryOf(
  key: string,
  { keyStart, keyEnd, node }: SourceProperty,
  lines: LineIndex,
): FrontMatterEntry {
  return {
    key,
    keyRange: lines.rangeOf(keyStart, keyEnd),
    value: node.value,
    valueRange: lines.rangeOf(node.start, node.end),
    entries: entriesOf(node, lines),
  };
}

function textOf(root: SourceNode | undefined, key: string): string | undefined {
  const value = root?.properties?.get(key)?.node.value;
  return typeof value === 'string' ? value : undefined;
}

function metadataOf(root: SourceNode | undefined): ReadonlyMap<string, string> {
  const metadata = new Map<string, string>();
  for (const [key, { node }] of root?.properties?.get('metadata')?.node.properties ?? []) {
    if (typeof node.value === 'string') metadata.set(key, node.value);
  }
  return metadata;
}

function emptyDocument(text: string, lines: LineIndex, problems: Problem<SkillProblemCode>[]): SkillDocument {
  return {
    text,
    entries: [],
    source: undefined,
    lines,
    frontMatterRange: undefined,
    name: undefined,
    description: undefined,
    metadata: new Map(),
    bodyRange: lines.rangeOf(0, 0),
    instructions: '',
    firstInstructionLine: 0,
    actions: [],
    mentions: [],
    allMentions: [],
    problems,
  };
}

function byPosition(a: Problem, b: Problem): number {
  return a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
}
