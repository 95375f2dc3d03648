/** Skills that runs begin with: loaded from their folders, and refused where something keeps them from running. */
import {
  blocksRun,
  type FileProblem,
  loadSkill,
  metadataRange,
  type Skill,
} from '../../../../schemas/skill/skill';
import { skillFileName } from '../../../../schemas/skill/skillDocument';
import { skillProblems } from '../../../../schemas/skill/skillProblems';
import { stateSchemaProblems } from '../../../../schemas/state/stateProblems';
import { environmentNames } from '../../environments/registry';
import { initialStateProblemsOf } from '../../runtime/initialStateProblems';
import { defaultRunOptions } from '../../runtime/options';
import { redactedFile, redactedFiles } from '../../runtime/redactedFiles';
import type { Redaction } from '../../runtime/redaction';
import { createStateValidator, StateSchemaFailure } from '../../runtime/validation';
import { SettingFailure } from './participants';
import { createSkillFiles } from './skillFolder';

/** A skill that can't be run; `problems` are those in its files. */
export class SkillFailure extends Error {
  override readonly name: string = 'SkillFailure';
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[], options?: { readonly cause?: unknown }) {
    const first = problems[0];
    const what = first ? `${placeOf(first)}: ${first.problem.message}` : '';
    const others = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
    super(`The skill can't be run: ${what}${others}`, options);
    this.problems = problems;
  }
}

/** `SKILL.md:3:7`, as terminals and editors make links of. */
function placeOf({ path, problem }: FileProblem): string {
  const { line, character } = problem.range.start;
  return `${path}:${line + 1}:${character + 1}`;
}

/**
 * Loads a skill and refuses one with problems that block running.
 *
 * @throws SkillFailure, FileFailure; SettingFailure where it could be run if nothing was redacted
 */
export async function loadRunnableSkill(folder: string, redaction?: Redaction): Promise<Skill> {
  const files = createSkillFiles(folder);
  if (redaction === undefined) {
    const skill = await loadSkill(files);
    refuseBlocked(skill);
    return skill;
  }
  const skill = await loadSkill(redactedFiles(files, redaction));
  const [problem] = skill.problems.filter(blocksRun);
  if (problem === undefined) return skill;
  // What stands at that place of the file is something else than the message tells of.
  refuseBlocked(await loadSkill(files));
  throw new SettingFailure(
    `What is redacted leaves no skill that can be run, since it is needed in ${problem.path}: redact by a pattern that doesn't match there.`,
  );
}

/**
 * What keeps a run of a skill with its own settings from beginning, as openRun.ts has it; empty where nothing does.
 * Problems that keep the rest from being looked at come alone.
 *
 * @param folder of the skill.
 */
export async function findRefusals(folder: string): Promise<readonly FileProblem[]> {
  try {
    const skill = await loadRunnableSkill(folder);
    environmentOf(skill);
    // Without a file of its own Σ_0 is empty, which the schema of a skill without one allows.
    const hasState = skill.files.some(({ role }) => role === 'state-schema' || role === 'initial-state');
    return hasState ? refusalsOfState(skill) : [];
  } catch (error) {
    if (error instanceof SkillFailure) return error.problems;
    throw error;
  }
}

function refusalsOfState(skill: Skill): readonly FileProblem[] {
  try {
    const { limits } = defaultRunOptions;
    const violations = createStateValidator(skill.stateSchema, limits).checkInitial(skill.initialState);
    return initialStateProblemsOf(skill, violations);
  } catch (error) {
    if (!(error instanceof StateSchemaFailure)) throw error;
    const code = 'state.unusable-schema';
    const start = { line: 0, character: 0 };
    const { message } = error;
    const range = { start, end: start };
    const problem = { code, severity: stateSchemaProblems[code], message, range } as const;
    return [{ path: skill.stateSchema.path ?? skillFileName, problem }];
  }
}

/** @throws SkillFailure for a skill with a problem that keeps it from running */
export function refuseBlocked(skill: Skill): void {
  const blocking = skill.problems.filter(blocksRun);
  if (blocking.length > 0) throw new SkillFailure(blocking);
}

/** The environment that the skill names, which is a mistake in the skill where there is none of that name. */
export function environmentOf(skill: Skill): string | undefined {
  const { environment } = skill;
  if (environment === undefined || environmentNames.includes(environment)) return environment;
  const code = 'skill.unknown-environment';
  const message = `metadata.environment names ${JSON.stringify(environment)}, and there is no such environment; there is ${environmentNames.join(', ')}.`;
  const range = metadataRange(skill.document, 'environment');
  const problem = { code, severity: skillProblems[code].severity, message, range } as const;
  throw new SkillFailure([{ path: skillFileName, problem }]);
}

/** A run goes on with the skill it began with: another one would tell another story in the same trace. */
export async function refuseChangedSkill(
  folder: string,
  recorded: Skill,
  redaction: Redaction | undefined,
): Promise<void> {
  const files = createSkillFiles(folder);
  for (const { path, text } of recorded.files) {
    const now = await files.read(path);
    const isSame =
      now === text || (now !== undefined && redaction && redactedFile(path, now, redaction) === text);
    if (!isSame) {
      throw new SettingFailure(
        `${path} in ${folder} is not what the trace was made with: put it back, or start a new run.`,
      );
    }
  }
}
