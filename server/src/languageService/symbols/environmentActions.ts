/** The actions that a skill declares beside those which its environment knows. */
import { parseSignature } from '../../../../schemas/skill/actionList';
import { metadataRange } from '../../../../schemas/skill/skill';
import { nearestName } from '../../../../schemas/text/nearestName';
import type { IncludedPage, SkillPage } from '../documents';
import { editsOf, type Finding, type Fix } from '../finding';
import type { EnvironmentCatalogue } from '../workspace';
import { type ProseProblemCode, proseProblems } from './proseProblems';

interface KnownAction {
  readonly name: string;
  readonly text: string;
  readonly count: number;
  readonly rest: boolean;
}

/** The actions of a skill's environment; undefined where it takes any, or none is named. */
export function environmentActions(
  environment: string | undefined,
  catalogue: EnvironmentCatalogue,
): readonly KnownAction[] | undefined {
  const texts = environment === undefined ? undefined : catalogue.actionsOf(environment);
  return texts?.flatMap((text) => {
    const signature = parseSignature(text);
    if (signature === undefined) return [];
    const { name, parameters } = signature;
    return [{ name, text, count: parameters.length, rest: parameters.at(-1)?.rest === true }];
  });
}

/** Differences, each at the signature; what isn't declared, at the environment's name. */
export function findInEnvironmentActions(
  page: SkillPage | IncludedPage,
  catalogue: EnvironmentCatalogue,
): Finding<ProseProblemCode>[] {
  const { model } = page;
  const { environment, actions, document } = model.skill;
  const known = environmentActions(environment, catalogue);
  if (environment === undefined || known === undefined || known.length === 0) return [];
  const file = model.pathOf(page.uri);
  const names = known.map(({ name }) => name);
  const findings: Finding<ProseProblemCode>[] = [];
  for (const { name, parameters, range } of actions.filter((action) => action.file === file)) {
    const named = known.filter((action) => action.name === name);
    if (named.length === 0) {
      const meant = nearestName(name, names);
      const advice =
        meant === undefined ? 'remove it, or name another environment.' : `did you mean ${meant}?`;
      const code = 'skill.unknown-environment-action';
      const message = `The environment ${environment} has no action ${name}; ${advice}`;
      findings.push({ code, severity: proseProblems[code], message, range });
    } else if (
      !named.some(({ count, rest }) => (rest ? parameters.length >= count : parameters.length === count))
    ) {
      const forms = named.map(({ text }) => `\`${text}\``).join(' or ');
      const code = 'skill.environment-action-arguments';
      const message = `The environment ${environment} takes ${name} as ${forms}; declare it with these arguments.`;
      const free = named.filter(({ text }) => !actions.some((action) => action.text === text));
      findings.push({
        code,
        severity: proseProblems[code],
        message,
        range,
        fixes: () =>
          free.map(({ text }) => ({
            title: `Write ${text}`,
            edits: editsOf(page.uri, { range, text }),
            preferred: free.length === 1,
          })),
      });
    }
  }
  const declared = new Set(actions.map(({ name }) => name));
  const missing = known.filter(({ name }) => !declared.has(name));
  if (page.kind === 'skill' && missing.length > 0) {
    const code = 'skill.undeclared-environment-action';
    const list = missing.map(({ text }) => `\`${text}\``).join(', ');
    const message = `The environment ${environment} also takes ${list}; declare what the skill may use, under a heading Actions.`;
    findings.push({
      code,
      severity: proseProblems[code],
      message,
      range: metadataRange(document, 'environment'),
      fixes: () => declarationFixes(page, missing),
    });
  }
  return findings;
}

/** New items before the first of the list, marked like it; none where the list isn't in the page. */
function declarationFixes(page: SkillPage, missing: readonly KnownAction[]): Fix[] {
  const file = page.model.pathOf(page.uri);
  const first = page.model.skill.actions.find((action) => action.file === file);
  if (first === undefined) return [];
  const { line } = first.range.start;
  const lineStart = page.lines.offsetAt({ line, character: 0 });
  const mark = page.text.slice(lineStart, page.lines.offsetAt(first.range.start)).replace(/`\s*$/, '');
  if (!/^\s*[-*+]\s+$/.test(mark)) return [];
  const lineEnd = page.text.includes('\r\n') ? '\r\n' : '\n';
  return missing.map(({ name, text }) => {
    const position = { line, character: 0 };
    const item = `${mark}\`${text}\`${lineEnd}`;
    return {
      title: `Declare ${name}`,
      edits: editsOf(page.uri, { range: { start: position, end: position }, text: item }),
    };
  });
}
