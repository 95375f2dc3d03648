/** The texts of read-only documents, out of a trace. Free of VS Code. */
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import { assertNever } from '../../../../schemas/text/assertNever';
import type { RecordedFile } from '../../../../schemas/trace/trace';
import { recordedSkill } from '../../runtime/recordedSkill';
import type { RecordedStep, TraceReader } from '../../runtime/traceReader';
import { jsonText, stateText } from './stateText';
import type { TraceDocument } from './traceDocument';

/** The files of the skill that a branch's step was made with; undefined as long as the trace has none. */
export function recordedFiles(
  reader: Pick<TraceReader, 'branches' | 'header'>,
  branch: number,
  step: number,
): readonly RecordedFile[] | undefined {
  const branches = new Map(reader.branches.map((one) => [one.id, one]));
  const passed = new Set<number>();
  for (let at = branches.get(branch); at !== undefined && !passed.has(at.id); ) {
    if (at.skill !== undefined && step >= at.ownFrom) return at.skill;
    passed.add(at.id);
    at = at.parent && branches.get(at.parent.branch);
  }
  return reader.header?.skill.files;
}

async function schemaOf(reader: TraceReader, branch: number, step: number): Promise<StateSchema | undefined> {
  const files = recordedFiles(reader, branch, step);
  return files && (await recordedSkill(reader.header?.skill.name ?? '', files)).stateSchema;
}

/**
 * The text that a document shows.
 *
 * @throws RangeError, whose message is for the user, where the step has no such text
 */
export async function traceText(reader: TraceReader, document: TraceDocument): Promise<string> {
  const { branch, step, part } = document;
  if (part === 'state') {
    const state = await reader.stateAt(branch, step);
    return stateText(state, await schemaOf(reader, branch, step));
  }
  const recorded = await reader.step(branch, step);
  switch (part) {
    case 'patch': {
      const patches = recorded.commits.map(({ patch }) => patch);
      const [only] = patches;
      if (only === undefined) throw new RangeError(`Step ${step} has merged no patch.`);
      return jsonText(patches.length === 1 ? only : patches);
    }
    case 'prompt':
      return (await reader.promptOf(branch, step, attemptOf(recorded, document).record.attempt)).prompt.text;
    case 'reply':
      return attemptOf(recorded, document).record.reply;
    case 'observation':
      return recorded.observation;
    case 'outcome': {
      if (recorded.outcome === undefined) throw new RangeError(`Step ${step} has no outcome.`);
      return recorded.outcome.observation;
    }
    default:
      return assertNever(part);
  }
}

function attemptOf({ attempts, step }: RecordedStep, { attempt }: TraceDocument) {
  const found =
    attempt === undefined ? attempts.at(-1) : attempts.find(({ record }) => record.attempt === attempt);
  if (found !== undefined) return found;
  throw new RangeError(
    attempt === undefined ? `Step ${step} has no reply yet.` : `Step ${step} has no attempt ${attempt}.`,
  );
}
