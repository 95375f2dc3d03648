/** Everything that is found in a `SKILL.md`: rules of the standard and of clients, files it names, its length. */
import type { SkillFileProblemCode } from '../../../../schemas/skill/skill';
import { metadataRange } from '../../../../schemas/skill/skill';
import { skillFileName } from '../../../../schemas/skill/skillDocument';
import { skillProblems } from '../../../../schemas/skill/skillProblems';
import type { Problem } from '../../../../schemas/text/problem';
import type { SkillPage, Tools } from '../documents';
import type { Finding } from '../finding';
import { measureBody } from './bodyMeter';
import { findBrokenLinks } from './brokenLinks';
import { findClientValues, underProfile } from './clientFindings';
import { filesOf } from './skillFiles';
import { fixesOf, type KnownNames } from './skillFixes';
import type { SkillPageProblemCode } from './skillPageProblems';

type Code = SkillFileProblemCode | SkillPageProblemCode;

/** Findings whose fixes depend on which files there are. */
const aboutFiles: ReadonlySet<Code> = new Set<Code>([
  'skill.missing-file',
  'skill.broken-link',
  'skill.unknown-key',
  'skill.misspelt-metadata-key',
]);

/** Findings in the order of the text, with their fixes. */
export async function findInSkill(page: SkillPage, tools: Tools): Promise<readonly Finding<Code>[]> {
  const { profile } = tools.settings;
  const problems: Problem<Code>[] = [];
  for (const { path, problem } of page.model.skill.problems) {
    if (path !== skillFileName) continue;
    const seen = underProfile(problem, page.document, profile);
    if (seen !== undefined) problems.push(seen);
  }
  problems.push(...findClientValues(page, profile), ...findEnvironment(page, tools));
  await tools.pause();
  problems.push(...(await measureBody(page, tools)));
  await tools.pause();
  problems.push(...(await findBrokenLinks(page, tools)));
  const namesFiles = ({ code }: Problem<Code>) => aboutFiles.has(code);
  const known: KnownNames = {
    files: problems.some(namesFiles) ? await filesOf(page.model, tools.workspace) : [],
    environments: tools.environments.names,
    profile,
  };
  const ordinals = new Map<string, number>();
  return problems.map((problem) => {
    const ordinal = ordinals.get(problem.code) ?? 0;
    ordinals.set(problem.code, ordinal + 1);
    return { ...problem, fixes: () => fixesOf(problem, ordinal, page, known) };
  });
}

/** An environment that isn't there stops a run before its first step. */
function findEnvironment(page: SkillPage, tools: Tools): readonly Problem<'skill.unknown-environment'>[] {
  const { environment, document } = page.model.skill;
  const { names } = tools.environments;
  if (environment === undefined || names.includes(environment)) return [];
  const code = 'skill.unknown-environment';
  const message = `There is no environment ${JSON.stringify(environment)}; there are ${names.join(', ')}.`;
  const range = metadataRange(document, 'environment');
  return [{ code, severity: skillProblems[code].severity, message, range }];
}
