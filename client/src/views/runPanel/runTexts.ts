/** The texts of those documents, out of a trace. Free of VS Code. */
import { formatPointer } from '../../../../schemas/json/jsonPointer';
import type { TraceReader } from '../../runtime/traceReader';
import { recordedFiles } from '../documents/traceTexts';
import type { RunText } from './runTextAddress';
import { writesOf } from './stepDetail';

/**
 * The text that a document shows.
 *
 * @throws RangeError, whose message is for the user, where the step has no such text
 */
export async function runText(reader: TraceReader, { branch, step, part }: RunText): Promise<string> {
  if (part.kind === 'file') {
    const file = recordedFiles(reader, branch, step)?.find(({ path }) => path === part.path);
    if (file === undefined) throw new RangeError(`The trace has recorded no file ${part.path}.`);
    return file.text;
  }
  const recorded = await reader.step(branch, step);
  if (part.kind === 'action') {
    if (recorded.intent === undefined) throw new RangeError(`Step ${step} has no action.`);
    return recorded.intent.action;
  }
  const written = (await writesOf(reader, branch, recorded))[part.change];
  const value = written?.[part.side];
  if (written === undefined || value === undefined) {
    const where = written === undefined ? 'that place' : formatPointer(written.path);
    throw new RangeError(
      `Step ${step} has no value ${part.side === 'before' ? 'before' : 'after'} at ${where}.`,
    );
  }
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
