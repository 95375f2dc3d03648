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
  /** As VS Code numbers them, 0 for an error. */
  readonly severity?: number | undefined;
  /** Who reports it; VS Code's own support for `SKILL.md` names nobody. */
  readonly source?: string | undefined;
  readonly code?: string | number | { readonly value: string | number } | undefined;
}

/** As VS Code numbers them. */
const severities = { error: 0, warning: 1, hint: 3 } as const;

/** The built-in diagnostic of the same mistake: how severe it is, and where it stands. */
interface Counterpart {
  readonly severities: readonly number[];
  /**
   * `touching` ours, or `at-the-top`: on the `---` of the first line, since what is missing has no place of its own.
   */
  readonly place: 'touching' | 'at-the-top';
}

const error: Counterpart = { severities: [severities.error], place: 'touching' };
const warning: Counterpart = { severities: [severities.warning], place: 'touching' };
const errorOrWarning: Counterpart = { severities: [severities.error, severities.warning], place: 'touching' };

/**
 * Our codes whose mistake VS Code 1.139 judges too. All others are ours alone: lengths, hyphens at the wrong place,
 * types of `metadata`, and everything about the state and its bound. One value may have several mistakes, of which
 * the severity tells them apart.
 */
const judgedInSkills: ReadonlyMap<string, Counterpart> = new Map([
  // "Skill should provide a name." and "… a description."
  ['skill.missing-key', { severities: [severities.warning], place: 'at-the-top' }],
  // "The 'name' attribute must be a string."
  ['skill.wrong-type', error],
  // "The 'name' attribute must not be empty."
  ['skill.empty-value', errorOrWarning],
  // "Skill name may only contain lowercase letters, numbers, and hyphens."
  ['skill.invalid-name', error],
  // "The skill name 'a' should match the folder name 'b'."
  ['skill.folder-name', warning],
  // "Attribute 'a' is not supported by VS Code skills.", which fades the line.
  ['skill.unknown-key', { severities: [severities.hint], place: 'touching' }],
  // "The 'user-invocable' attribute must be 'true' or 'false'."
  ['skill.client-value', errorOrWarning],
  // "File 'a.md' not found at '…'."
  ['skill.broken-link', warning],
  // What its reader of YAML can't read.
  ['skill.syntax', error],
  ['skill.duplicate-key', error],
  ['skill.tab-indentation', error],
  ['skill.unquoted-colon', error],
  ['skill.not-a-mapping', error],
]);

const judgedInJson: ReadonlyMap<string, Counterpart> = new Map([
  ['state.syntax', errorOrWarning],
  ['state.duplicate-key', errorOrWarning],
  // Where `$schema` names a meta-schema that VS Code has.
  ['state.invalid-keyword', errorOrWarning],
  ['initial.syntax', errorOrWarning],
  ['initial.duplicate-key', errorOrWarning],
  // Where the state's own `$schema` leads to its schema.
  ['initial.does-not-fit', errorOrWarning],
]);

/** Our codes that may be left out, for a test that they exist. */
export const comparedCodes: readonly string[] = [...judgedInSkills.keys(), ...judgedInJson.keys()];

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
  if (counterpart === undefined) return false;
  const { severities: known, place } = counterpart;
  return theirs.some(
    (other) =>
      other.severity !== undefined &&
      known.includes(other.severity) &&
      (place === 'at-the-top' ? isAtTop(other.range) : !isAtTop(other.range) && touches(other.range, range)),
  );
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
