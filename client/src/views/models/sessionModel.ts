/** Which model a session is about: the one that answers where it stands, and the one that it asks itself. Free of VS Code. */
import type { RecordedParticipant } from '../../../../schemas/trace/trace';
import { ownMember } from '../../hosts/ownMember';
import { answeringModel } from '../../runtime/acting';
import type { TraceReader } from '../../runtime/traceReader';

type Recorded = Pick<TraceReader, 'header' | 'branches'>;

/**
 * The model that answers a step of a recorded run; the run's first one where it isn't told where somebody stands.
 *
 * @returns undefined where no run is recorded, or none is read yet
 */
export function modelAt(
  { header, branches }: Recorded,
  place: { readonly branch: number; readonly step: number } | undefined,
): RecordedParticipant | undefined {
  if (header === undefined || place === undefined) return header?.model;
  const { acting = [] } = branches.find(({ id }) => id === place.branch) ?? {};
  return answeringModel(header, acting, place.step);
}

/**
 * The name of the model that a session asks: that of a replay as its configuration has it, else the one that went on with the
 * run last.
 */
export function askedModel(
  { header, branches }: Recorded,
  configuration: Readonly<Record<string, unknown>>,
): string | undefined {
  const model = ownMember(configuration, 'model');
  if (typeof model === 'string' && ownMember(configuration, 'replay') !== undefined) return model;
  const { acting = [] } = branches.at(-1) ?? {};
  return header && answeringModel(header, acting, Number.POSITIVE_INFINITY).name;
}
