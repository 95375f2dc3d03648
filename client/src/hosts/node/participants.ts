/** Who takes part in a run on this machine: environment and model by name, and files in the place of a person. */
import type { RecordedParticipant } from '../../../../schemas/trace/trace';
import { createEnvironment } from '../../environments/registry';
import { readSettings } from '../../models/modelSettings';
import { createModel } from '../../models/registry';
import { type Asker, createAskerByKind, createQueueAsker, parseAnswers } from '../../runtime/asker';
import type { Participants } from '../../runtime/journey';
import type { ResumePlan } from '../../runtime/resume';
import { RunFailure } from '../../runtime/runFailure';
import { sha256 } from './sha256';
import { readTextFile } from './skillFolder';

/** Files in a person's place: one JSON string a line. */
export interface AnswerFiles {
  readonly replies?: string | undefined;
  readonly observations?: string | undefined;
}

/** Settings that don't go together. */
export class SettingFailure extends Error {
  override readonly name: string = 'SettingFailure';
}

/** The world and who acts in it, by what a request or a trace says of them. */
export function createParticipants({
  environment,
  model,
  asker,
  startAt,
  horizon,
}: {
  readonly environment: RecordedParticipant;
  readonly model: RecordedParticipant;
  readonly asker: Asker;
  /** How many observations the run has taken so far. */
  readonly startAt: number;
  readonly horizon: number | undefined;
}): Participants {
  return {
    environment: createEnvironment(environment.name, { asker, startAt, horizon }),
    model: createModel(model.name, {
      asker,
      environment: environment.name,
      settings: readSettings(model.settings),
      sha256,
    }),
  };
}

/** A setting that nothing would come of is a mistake, and is said rather than passed over. */
export function refuseIdleSettings(
  { faults, replies, observations }: AnswerFiles & { readonly faults?: number | undefined },
  { environment, model }: { readonly environment: string; readonly model: string },
): void {
  if (faults !== undefined && faults > 0 && model !== 'scripted') {
    throw new SettingFailure(`faults are the scripted model's; the model is ${model}.`);
  }
  if (replies !== undefined && model !== 'manual') {
    throw new SettingFailure(`replies are for the manual model; the model is ${model}.`);
  }
  if (observations !== undefined && environment !== 'manual') {
    throw new SettingFailure(
      `observations are for the manual environment; the environment is ${environment}.`,
    );
  }
}

/** Answers from files where they are given, else a person's; those that the run has had already are left out. */
export async function askerFor(
  files: AnswerFiles,
  person: Asker,
  consumed: { readonly [Kind in keyof ResumePlan['consumed']]: number | (() => number) },
): Promise<Asker> {
  const queued = async (path: string | undefined, startAt: number | (() => number)): Promise<Asker> => {
    if (path === undefined) return person;
    const parsed = parseAnswers(await readTextFile(path), path);
    if (!parsed.ok) throw new RunFailure(parsed.message);
    return createQueueAsker(parsed.answers, { startAt });
  };
  return createAskerByKind({
    reply: await queued(files.replies, consumed.replies),
    observation: await queued(files.observations, consumed.observations),
  });
}
