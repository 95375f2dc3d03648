/** The JSON examples of a skill's instructions: fenced states, patches and replies, held against the state schema. */
import { defaultRunOptions } from '../../../../client/src/runtime/options';
import { readStrictJson } from '../../../../client/src/runtime/strictJson';
import { formatPointer, type JsonPath, parsePointer } from '../../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonObject } from '../../../../schemas/json/jsonValue';
import { matchAction } from '../../../../schemas/skill/actionMatch';
import { nearestName } from '../../../../schemas/text/nearestName';
import type { Severity } from '../../../../schemas/text/problem';
import { propertyAt, type SourceNode, type SourceProperty } from '../../../../schemas/text/sourceTree';
import type { IncludedPage, SkillPage, Tools } from '../documents';
import type { Finding } from '../finding';
import { checkedSchemaOf, withoutEchoes } from './checkedSchema';
import { type ExampleBlock, examplesOf, hasPlaceholder, isPlaceholder } from './exampleBlocks';
import { type PatchContext, type PatchProblem, patchProblems } from './patchProblems';
import { type FixTarget, fixesOf, replyKeyFixes, textFixes } from './stateFixes';

/** What can be wrong with an example. Never an error: only the reader of the text knows what it is to show. */
export const exampleProblems = {
  /** A reply that isn't JSON, without a sign that it isn't meant to be. */
  'example.syntax': 'warning',
  'example.not-an-object': 'warning',
  /** A reply without `state_patch` or `action`. */
  'example.missing-key': 'warning',
  /** A reply with a third key. */
  'example.extra-key': 'warning',
  /** An action that isn't declared, or has other arguments. */
  'example.action': 'warning',
  'example.does-not-fit': 'warning',
  'example.unknown-key': 'warning',
  /** A patch that sets a required key to null. */
  'example.deletes-required': 'warning',
  /** A patch that writes what belongs to the environment. */
  'example.writer': 'warning',
  /** From here on examples are not checked: there are too many. */
  'example.unchecked': 'information',
} as const satisfies Record<`example.${string}`, Severity>;

export type ExampleProblemCode = keyof typeof exampleProblems;

/** The problems of all examples in the instructions of a page. */
export async function findInExamples(
  page: SkillPage | IncludedPage,
  tools: Tools,
): Promise<readonly Finding<ExampleProblemCode>[]> {
  const { blocks, unread } = examplesOf(page);
  const lists: (readonly Finding<ExampleProblemCode>[])[] = [];
  let checkedLength = 0;
  for (const block of blocks) {
    if (block.isCounterexample) continue;
    if (checkedLength > lengthBetweenPauses) {
      checkedLength = 0;
      await tools.pause();
    }
    checkedLength += block.text.length + lengthOfBlock;
    lists.push(new ExampleCheck(page, block).findings());
  }
  if (unread !== undefined) {
    const code = 'example.unchecked';
    const message = `Only the first ${blocks.length} examples are checked; move those from here on into a file of their own.`;
    const range = page.lines.rangeOf(unread.start, unread.start + 1);
    lists.push([{ code, severity: exampleProblems[code], message, range }]);
  }
  return lists.flat();
}

/** How many UTF-16 units of examples are checked at a time, and what one counts besides its text. */
const lengthBetweenPauses = 50_000;
const lengthOfBlock = 500;

const replyKeys = ['state_patch', 'action'] as const;

/** Checks one example. */
class ExampleCheck {
  readonly #page: SkillPage | IncludedPage;
  readonly #block: ExampleBlock;
  readonly #found: Finding<ExampleProblemCode>[] = [];

  constructor(page: SkillPage | IncludedPage, block: ExampleBlock) {
    this.#page = page;
    this.#block = block;
  }

  findings(): readonly Finding<ExampleProblemCode>[] {
    const { kind, source, text, format } = this.#block;
    const { root } = source;
    if (source.problems.length > 0 || root === undefined) {
      if (kind === 'reply' && !isPlaceholder(text)) this.#reportSyntax();
      return this.#found;
    }
    if (kind === 'reply') {
      this.#checkReply(root);
      const patch = propertyAt(root, ['state_patch']);
      if (patch !== undefined) this.#checkPatch(patch.node, ['state_patch']);
    } else if (kind === 'state') {
      this.#checkState(root);
    } else {
      this.#checkPatch(root, []);
    }
    return format === 'json' ? this.#found : this.#found.filter(({ code }) => code !== 'example.syntax');
  }

  #report(
    code: ExampleProblemCode,
    message: string,
    start: number,
    end: number,
    fixes?: Finding['fixes'],
  ): void {
    const range = this.#page.lines.rangeOf(this.#block.start + start, this.#block.start + end);
    const severity = exampleProblems[code];
    this.#found.push({ code, severity, message, range, ...(fixes && { fixes }) });
  }

  /** A model that copies the example would have its reply rejected. */
  #reportSyntax(): void {
    const { format, source, text } = this.#block;
    const strict = format === 'json' ? readStrictJson(text, defaultRunOptions.limits.depth + 1) : undefined;
    const [problem] = source.problems;
    if (strict?.ok === false) {
      const { offset, message } = strict.fault;
      const at = Math.min(offset, Math.max(0, text.trimEnd().length - 1));
      this.#report('example.syntax', `A reply like this one is rejected. ${message}`, at, at + 1);
    } else if (problem !== undefined) {
      this.#report(
        'example.syntax',
        `This example can't be read. ${problem.message}`,
        problem.start,
        problem.end,
      );
    }
  }

  #checkReply(root: SourceNode): void {
    const { properties } = root;
    if (properties === undefined) {
      const message = 'A reply is an object with the keys "state_patch" and "action"; write it as one.';
      this.#report('example.not-an-object', message, root.start, root.end);
      return;
    }
    const first = properties.values().next().value;
    for (const key of replyKeys.filter((one) => !properties.has(one))) {
      const message = `A reply has both "state_patch" and "action", and this one lacks "${key}"; add it.`;
      const [start, end] = [first?.keyStart ?? root.start, first?.keyEnd ?? root.end];
      const value = key === 'action' ? (this.#page.model.skill.actions[0]?.text ?? '...') : {};
      this.#report('example.missing-key', message, start, end, () =>
        replyKeyFixes(this.#target(root), key, value),
      );
    }
    for (const [key, { keyStart, keyEnd }] of properties) {
      if ((replyKeys as readonly string[]).includes(key) || isPlaceholder(key)) continue;
      const message = `A reply has exactly the keys "state_patch" and "action", so that one with ${JSON.stringify(key)} is rejected; remove it.`;
      const fixes = () =>
        fixesOf(this.#target(root), undefined, { kind: 'forbidden', path: [key], statePath: [] });
      this.#report('example.extra-key', message, keyStart, keyEnd, fixes);
    }
    const action = properties.get('action');
    if (action !== undefined) this.#checkAction(root, action);
  }

  #checkAction(root: SourceNode, { node: { value, start, end } }: SourceProperty): void {
    if (typeof value !== 'string') {
      this.#report('example.action', '"action" has to be a string; write the action in quotes.', start, end);
      return;
    }
    const { actions } = this.#page.model.skill;
    if (actions.length === 0 || value.trim() === '...' || value.trim() === '…') return;
    if (actions.some(({ text }) => text === value.trim())) return;
    if (isPlaceholder(value)) {
      const name = /^[^\s(]+/.exec(value.trim())?.[0] ?? '';
      // With arguments that stand for others, their number is a guess.
      if (isPlaceholder(name) || actions.some((action) => action.name === name)) return;
    }
    const match = matchAction(actions, value);
    if (match.ok) return;
    const quoted = /^["']/.test(this.#block.text.slice(start, end)) ? 1 : 0;
    const fixes = () => {
      const [name = ''] = /^[^\s(]*/.exec(value.trim()) ?? [];
      const names = actions.map((action) => action.name);
      const meant = names.includes(name) ? undefined : nearestName(name, names);
      if (meant === undefined) return [];
      return textFixes(this.#target(root), ['action'], meant + value.trim().slice(name.length));
    };
    const last = Math.max(start + quoted, end - quoted);
    this.#report('example.action', match.message, start + quoted, last, fixes);
  }

  /** Undefined where there is no schema to hold anything against. */
  #context(): PatchContext | undefined {
    const { stateSchema: schema } = this.#page.model.skill;
    if (schema.origin !== 'file') return undefined;
    const checked = checkedSchemaOf(schema);
    return checked && { schema, compiled: checked.compiled };
  }

  #checkPatch(node: SourceNode, prefix: JsonPath): void {
    const { value } = node;
    if (!isJsonObject(value)) {
      if (typeof value === 'string' && isPlaceholder(value)) return;
      const message = 'A state patch is an object of the keys to change; {} changes nothing.';
      this.#report('example.not-an-object', message, node.start, node.end);
      return;
    }
    const context = this.#context();
    if (context === undefined) return;
    for (const problem of patchProblems(value, context)) {
      // Nothing says that a fragment is a patch, and a state may show what the environment wrote.
      if (this.#block.kind === 'fragment' && problem.kind === 'writer') continue;
      this.#reportPatchProblem(problem, value, prefix, context);
    }
  }

  #reportPatchProblem(
    problem: PatchProblem,
    patch: JsonObject,
    prefix: JsonPath,
    { schema }: PatchContext,
  ): void {
    const { root } = this.#block.source;
    const path = [...prefix, ...problem.path];
    const property = root && propertyAt(root, path);
    if (root === undefined || property === undefined) return;
    if (hasPlaceholder(problem.path, problem.at === 'value' ? property.node.value : undefined)) return;
    const [start, end] =
      problem.at === 'key' ? [property.keyStart, property.keyEnd] : [property.node.start, property.node.end];
    const fixes = () =>
      fixesOf(this.#target(root), schema, {
        kind: problem.at === 'key' || problem.kind === 'deletes-required' ? 'forbidden' : 'value',
        path,
        statePath: problem.path,
      });
    const subject =
      Object.keys(patch).length > 0 && this.#block.kind === 'fragment' ? 'This example' : 'This patch';
    const message = `${explanations[problem.kind](subject)}: ${problem.message}${this.#placeOfRule(problem.schemaLocation)}`;
    this.#report(`example.${problem.kind}`, message, start, end, fixes);
  }

  #checkState(root: SourceNode): void {
    const { value } = root;
    const context = this.#context();
    if (context === undefined || !isJsonObject(value)) return;
    const violations = context.compiled.violations(value);
    const told = withoutEchoes(violations === 'exhausted' ? [] : violations, ({ path }) =>
      formatPointer(path),
    );
    for (const { path, schemaLocation, message } of told) {
      const property = propertyAt(root, path);
      const isMissing = property === undefined;
      const shown = property ?? propertyAt(root, path.slice(0, -1));
      if (shown === undefined || hasPlaceholder(path, shown.node.value)) continue;
      const rule = (parsePointer(schemaLocation) ?? []).at(-1) ?? '';
      const isKey = !isMissing && /Properties$|^propertyNames$/.test(rule) && !/^m(?:in|ax)/.test(rule);
      const [start, end] = isKey ? [shown.keyStart, shown.keyEnd] : [shown.node.start, shown.node.end];
      const kind = isMissing ? 'missing' : isKey ? 'forbidden' : 'value';
      const fixes = () => fixesOf(this.#target(root), context.schema, { kind, path, statePath: path });
      const code = isKey ? 'example.unknown-key' : 'example.does-not-fit';
      const text = `This state does not fit the state schema: ${message}${this.#placeOfRule(schemaLocation)}`;
      this.#report(code, text, start, isMissing ? start + 1 : end, fixes);
    }
  }

  #placeOfRule(schemaLocation: string): string {
    const place =
      schemaLocation === '' ? undefined : this.#page.model.skill.stateSchema.placeOf(schemaLocation);
    if (place?.path === undefined) return '';
    return ` The rule stands in ${place.path}:${place.key.start.line + 1}.`;
  }

  #target(root: SourceNode): FixTarget {
    const { uri, lines, text: whole } = this.#page;
    const { format, start, end, text } = this.#block;
    const isQuoted = whole.slice(start, end) !== text;
    return { uri, lines, format, offset: start, text, root, isQuoted };
  }
}

const explanations: Readonly<Record<PatchProblem['kind'], (subject: string) => string>> = {
  'does-not-fit': (subject) => `${subject} does not fit the state schema`,
  'unknown-key': (subject) => `${subject} does not fit the state schema`,
  'deletes-required': (subject) => `${subject} deletes a key that the state schema requires`,
  writer: (subject) => `${subject} would be rejected`,
};
