/** What the language service finds in a document: a problem, and how it can be mended. */
import type { Range } from '../../../schemas/text/position';
import type { Problem, Severity } from '../../../schemas/text/problem';

/** Replaces a range of a document; an empty range inserts. */
export interface Replacement {
  readonly range: Range;
  readonly text: string;
}

/** A change that mends a finding. Applying it leaves the document readable and brings no new error. */
export interface Fix {
  /** What the user chooses by, in the imperative: `Add maxItems: 20`. */
  readonly title: string;
  /** Replacements by document URI; those of one document don't overlap. */
  readonly edits: ReadonlyMap<string, readonly Replacement[]>;
  /** Files or folders that get another URI. */
  readonly renames?: readonly { readonly from: string; readonly to: string }[];
  /** True for the one that is nearly always right. */
  readonly preferred?: boolean;
}

/** Another place that a finding is about. */
export interface RelatedPlace {
  readonly uri: string;
  readonly range: Range;
  readonly message: string;
}

/** One finding in a document. */
export interface Finding<Code extends string = string> extends Problem<Code> {
  readonly related?: readonly RelatedPlace[];
  /** True for what has no effect, which editors show faded. */
  readonly unnecessary?: boolean;
  /** Computed when the user asks for them. */
  readonly fixes?: () => readonly Fix[];
}

/** Edits of one document, as most fixes have them. */
export function editsOf(uri: string, ...replacements: Replacement[]): Fix['edits'] {
  return new Map([[uri, replacements]]);
}

/** How many findings of one document are told: nobody reads more, and an editor shows a thousand. */
const maxFindings = 2_000;

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, information: 2, hint: 3 };

/** The findings of a document in the order of its text; of very many the gravest, and one that says so. */
export function limitedFindings(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= maxFindings) return [...findings].sort(byPosition);
  const gravest = [...findings].sort((a, b) => ranks[a.severity] - ranks[b.severity] || byPosition(a, b));
  const start = { line: 0, character: 0 };
  const limit: Finding<'document.many-findings'> = {
    code: 'document.many-findings',
    severity: 'information',
    message: `There are ${findings.length} findings here, of which the gravest ${maxFindings} are told; mend these to see the others.`,
    range: { start, end: start },
  };
  return [limit, ...gravest.slice(0, maxFindings)].sort(byPosition);
}

function byPosition(a: Finding, b: Finding): number {
  return a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
}
