/** Which rule of the Agent Skills standard a finding is about, so that findings can be held against {@link breachedRules}. */
import type { StandardRule } from './standardRules';

/** Of a finding as `validate` prints it in JSON, and as the language service gives it. */
export interface JudgedFinding {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
}

/** Why front matter can't be read at all. */
const unreadable: ReadonlySet<string> = new Set([
  'skill.missing-front-matter',
  'skill.unclosed-front-matter',
  'skill.fenced-front-matter',
  'skill.late-front-matter',
  'skill.large-front-matter',
  'skill.not-a-mapping',
  'skill.syntax',
  'skill.unquoted-colon',
  'skill.tab-indentation',
  'skill.multiple-documents',
  'skill.duplicate-key',
  'skill.unsupported-yaml',
  'skill.too-deep',
  'skill.nul-character',
]);

/** What is wrong with the value of a key, which its message begins with. */
const aboutValues: ReadonlySet<string> = new Set([
  'skill.missing-key',
  'skill.wrong-type',
  'skill.empty-value',
  'skill.too-long',
  'skill.invalid-name',
]);

const subject =
  /^The (?:front matter has no )?(name|description|license|compatibility|metadata|allowed-tools)\b/;

/** The rules that findings in a `SKILL.md` say are breached, sorted: its errors, and keys outside of the standard. */
export function judgedBreaches(findings: readonly JudgedFinding[]): readonly StandardRule[] {
  const rules = new Set(findings.flatMap((finding) => ruleOf(finding) ?? []));
  // As in the independent check: of what can't be read nothing else is said.
  return rules.has('front matter') ? ['front matter'] : [...rules].sort();
}

function ruleOf({ code, severity, message }: JudgedFinding): StandardRule | undefined {
  if (code === 'skill.unknown-key') return 'keys';
  if (severity !== 'error') return undefined;
  if (code === 'skill.folder-name') return 'folder';
  if (unreadable.has(code) || message.startsWith('The front matter is empty')) return 'front matter';
  if (!aboutValues.has(code)) return undefined;
  return subject.exec(message)?.[1] as StandardRule | undefined;
}
