/** Actions in the instructions: calls that don't fit their signatures, and arguments that nobody explains. */
import { type ActionSignature, matchAction } from '../../../../schemas/skill/actionSignature';
import { nearestName } from '../../../../schemas/text/nearestName';
import type { IncludedPage, SkillPage } from '../documents';
import { editsOf, type Finding } from '../finding';
import type { CodeSpan } from './codeSpans';
import { instructionWords } from './instructionWords';
import { nameParts, stem } from './nameSlip';
import { type ProseProblemCode, proseProblems } from './proseProblems';
import { graphOf } from './schemaGraph';
import { namesOf, signatureAt } from './skillProse';
import type { SkillNames } from './spanMeaning';

const maxFindings = 200;

/** How many different first words are compared with the names of actions. */
const maxCompared = 500;

/** Those of some code spans that are meant as actions and don't fit what is declared. */
export function findInActionCalls(
  page: SkillPage | IncludedPage,
  spans: readonly CodeSpan[],
): Finding<ProseProblemCode>[] {
  const names = namesOf(page.model);
  if (names.actions.size === 0) return [];
  const findings: Finding<ProseProblemCode>[] = [];
  const compared = new Set<string>();
  for (const span of spans) {
    if (findings.length >= maxFindings) break;
    const call = callIn(span.text);
    if (call === undefined || signatureAt(page, span) !== undefined) continue;
    const signatures = names.actions.get(call.name);
    if (signatures !== undefined) {
      const match = matchAction(signatures, call.plain);
      if (!match.ok) {
        const message = match.message.replace(JSON.stringify(call.plain), () => JSON.stringify(span.text));
        findings.push(report(page, 'skill.action-arguments', message, span.start, span.end));
      }
      continue;
    }
    compared.add(call.name);
    if (compared.size > maxCompared) continue;
    const finding = misspelt(page, span, call, names);
    if (finding !== undefined) findings.push(finding);
  }
  return findings;
}

/** A span that is written like an action with its arguments. */
interface Call {
  readonly name: string;
  /** The span's text with every placeholder as one word. */
  readonly plain: string;
  readonly hasPlaceholder: boolean;
}

/** What can only be an argument: a placeholder, something in quotes, a name with a digit or an underscore. */
const argument = /^(?:<[^<>]+>|"[^"]*"|'[^']*'|(?=.*[\d_])[\p{L}\p{N}_.:-]+)$/u;

function callIn(text: string): Call | undefined {
  if (text.length > 300 || /[\r\n]/.test(text)) return undefined;
  const plain = text.replace(/<([^<>]*)>/g, (_, inner: string) => `<${inner.replace(/[\s,.…()]+/g, '_')}>`);
  const [, name, rest] = /^([\p{L}_][\p{L}\p{N}_.-]*)(\s.*|\(.*\))$/su.exec(plain) ?? [];
  if (name === undefined || rest === undefined || /\.\.\.|…|[|[\]]/.test(rest)) return undefined;
  const call = /^\((.*)\)$/s.exec(rest)?.[1];
  const written = call === undefined ? (rest.match(/"[^"]*"|'[^']*'|\S+/g) ?? []) : call.split(',');
  const words = written.map((word) => word.trim());
  if (words.length === 0 || !words.every((word) => argument.test(word))) return undefined;
  return { name, plain, hasPlaceholder: /<[^<>]+>/.test(plain) };
}

function misspelt(
  page: SkillPage | IncludedPage,
  span: CodeSpan,
  call: Call,
  names: SkillNames,
): Finding<ProseProblemCode> | undefined {
  if (call.name.length < 3) return undefined;
  const meant = nearestName(call.name, names.actions.keys());
  if (meant === undefined) return undefined;
  // `Stored item_1 shelf_2` may report what was done.
  const isInflected = new RegExp(`^${escaped(meant)}(?:e?[sd]|ing)$`, 'i').test(call.name);
  const fits = matchAction(names.actions.get(meant) ?? [], meant + call.plain.slice(call.name.length)).ok;
  if (isInflected || !(call.hasPlaceholder || fits)) return undefined;
  const message = `No action ${call.name} is declared; did you mean ${meant}?`;
  const end = span.start + call.name.length;
  const range = page.lines.rangeOf(span.start, end);
  return {
    ...report(page, 'skill.misspelt-action', message, span.start, end),
    fixes: () => [
      { title: `Change to ${meant}`, edits: editsOf(page.uri, { range, text: meant }), preferred: true },
    ],
  };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** Words that are part of many arguments' names and explain none. */
const emptyWords: ReadonlySet<string> = new Set(
  'id ids name no nr number num key index idx value val the a an of to in on for and or by from'.split(' '),
);

/** Arguments of the actions that a page declares of which no word stands anywhere else. */
export function findUnexplainedArguments(page: SkillPage | IncludedPage): Finding<ProseProblemCode>[] {
  const { model } = page;
  const file = model.pathOf(page.uri);
  const own = model.skill.actions.filter((action) => action.file === file && action.parameters.length > 0);
  if (own.length === 0) return [];
  const words = instructionWords(model).withoutSignatures;
  const inState = new Set<string>();
  if (model.skill.stateSchema.origin === 'file') {
    for (const name of graphOf(model.skill.stateSchema).propertyNames)
      for (const part of nameParts(name)) inState.add(stem(part));
  }
  const isExplained = (parameter: string): boolean => {
    const parts = nameParts(parameter).map(stem);
    const telling = parts.filter((part) => !emptyWords.has(part));
    return (telling.length > 0 ? telling : parts).some((part) => words.has(part) || inState.has(part));
  };
  const reported = new Set<string>();
  return own.flatMap((action) =>
    action.parameters.flatMap(({ name }): Finding<ProseProblemCode>[] => {
      if (reported.has(name) || isExplained(name)) return [];
      reported.add(name);
      const [start, end] = placeOf(page, action, name);
      const message = `No instruction says what <${name}> of ${action.name} is; explain it, or give it a name that the instructions use.`;
      return [report(page, 'skill.unexplained-argument', message, start, end)];
    }),
  );
}

function placeOf(
  page: SkillPage | IncludedPage,
  action: ActionSignature,
  parameter: string,
): [number, number] {
  const start = page.lines.offsetAt(action.range.start);
  const at = action.text.indexOf(parameter, action.name.length);
  return [start + at, start + at + parameter.length];
}

function report(
  page: SkillPage | IncludedPage,
  code: ProseProblemCode,
  message: string,
  start: number,
  end: number,
): Finding<ProseProblemCode> {
  return { code, severity: proseProblems[code], message, range: page.lines.rangeOf(start, end) };
}
