/**
 * Which of our findings VS Code shows already. Its own support for `SKILL.md` and JSON sees some of the same mistakes;
 * two squiggles with two wordings for one mistake help nobody. Free of VS Code, for its tests.
 */

interface Position {
  readonly line: number;
  readonly character: number;
}

interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** A diagnostic as far as it is compared. */
export interface ComparedDiagnostic {
  readonly range: Range;
  /** Who reports it; VS Code's own support for `SKILL.md` names nobody. */
  readonly source?: string | undefined;
  readonly code?: string | number | { readonly value: string | number } | undefined;
}

/** Where the built-in diagnostic of the same mistake stands. */
type Counterpart =
  /** It touches ours. */
  | 'touching'
  /** On the `---` of the first line: what is missing has no place of its own. */
  | 'at-the-top';

/**
 * Our codes whose mistake VS Code 1.139 judges too. All others are ours alone: lengths, hyphens at the wrong place,
 * types of `metadata`, and everything about the state and its bound.
 */
const judgedInSkills: ReadonlyMap<string, Counterpart> = new Map([
  // "Skill should provide a name." and "… a description."
  ['skill.missing-key', 'at-the-top'],
  // "The 'name' attribute must be a string."
  ['skill.wrong-type', 'touching'],
  // "The 'name' attribute must not be empty."
  ['skill.empty-value', 'touching'],
  // "Skill name may only contain lowercase letters, numbers, and hyphens."
  ['skill.invalid-name', 'touching'],
  // "The skill name 'a' should match the folder name 'b'."
  ['skill.folder-name', 'touching'],
  // "Attribute 'a' is not supported by VS Code skills.", a hint that fades the line.
  ['skill.unknown-key', 'touching'],
  // "File 'a.md' not found at '…'."
  ['skill.missing-link', 'touching'],
  // What its reader of YAML can't read.
  ['skill.syntax', 'touching'],
  ['skill.duplicate-key', 'touching'],
  ['skill.tab-indentation', 'touching'],
  ['skill.unquoted-colon', 'touching'],
  ['skill.not-a-mapping', 'touching'],
]);

const judgedInJson: ReadonlyMap<string, Counterpart> = new Map(
  ['state', 'initial'].flatMap((kind) =>
    ['syntax', 'duplicate-key', 'invalid-keyword', 'does-not-fit'].map((mistake): [string, Counterpart] => [
      `${kind}.${mistake}`,
      'touching',
    ]),
  ),
);

/** Who else reports on JSON, as the source of its diagnostics. */
const jsonSources: ReadonlySet<string> = new Set(['json', 'jsonc']);

/**
 * Ours without those that VS Code's own support reports too, in their order. Diagnostics of other extensions (a spell
 * checker, say) never stand for one of ours.
 *
 * @param theirs every diagnostic of the same document that is not ours
 */
export function withoutRepeats<Diagnostic extends ComparedDiagnostic>(
  ours: readonly Diagnostic[],
  theirs: readonly ComparedDiagnostic[],
): Diagnostic[] {
  const unnamed = theirs.filter(({ source }) => source === undefined || source === '');
  const json = theirs.filter(({ source }) => source !== undefined && jsonSources.has(source));
  return ours.filter((diagnostic) => {
    const code = codeOf(diagnostic);
    return !(
      isReported(diagnostic, judgedInSkills.get(code), unnamed) ||
      isReported(diagnostic, judgedInJson.get(code), json)
    );
  });
}

function isReported(
  { range }: ComparedDiagnostic,
  counterpart: Counterpart | undefined,
  theirs: readonly ComparedDiagnostic[],
): boolean {
  switch (counterpart) {
    case undefined:
      return false;
    case 'touching':
      // A range of the first line's marker alone is about something that is missing.
      return theirs.some((other) => !isAtTop(other.range) && touches(other.range, range));
    case 'at-the-top':
      return theirs.some((other) => isAtTop(other.range));
  }
}

function codeOf({ code }: ComparedDiagnostic): string {
  return String(typeof code === 'object' ? code.value : code);
}

/** The first three characters of a document, where the opening `---` is. */
function isAtTop({ start, end }: Range): boolean {
  return start.line === 0 && start.character === 0 && end.line === 0 && end.character === 3;
}

function touches(a: Range, b: Range): boolean {
  return !isBefore(a.end, b.start) && !isBefore(b.end, a.start);
}

function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
