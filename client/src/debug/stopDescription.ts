/** What a stop's reason tells: the event, the values that expressions can name, and the place that explains it. */

import type { DebugProtocol } from '@vscode/debugprotocol';
import { parsePointer } from '../../../schemas/json/jsonPointer';
import type { Skill } from '../../../schemas/skill/skill';
import type { Moment } from './conditions';
import { exceptionText, failureText } from './exceptionDetails';
import { rejectionValue } from './exceptionFilters';
import { focusPlace, type Place, propertyPlace } from './stackFrames';
import type { StopReason } from './stopPolicy';

/** What a client is told of a stop, beside the thread. */
export function stoppedBody(
  reason: StopReason,
): Pick<DebugProtocol.StoppedEvent['body'], 'reason' | 'description' | 'text' | 'hitBreakpointIds'> {
  if (reason.kind === 'breakpoint') {
    const { change, ids } = reason;
    const told = change && { description: change.short, text: change.text };
    return { reason: reason.reason, hitBreakpointIds: [...ids], ...told };
  }
  switch (reason.kind) {
    case 'exception':
      break;
    case 'end':
      return { reason: 'end', description: 'Paused at the end', text: reason.message };
    case 'failure':
      // Clients show what `exceptionInfo` says where the run stands for this reason alone.
      return { reason: 'exception', description: 'Paused on a failure', text: failureText(reason) };
    case 'restart':
      return { reason: 'restart', description: 'Paused where a new branch begins' };
    case 'start':
      return { reason: 'start', description: 'Paused at the start: there is nothing before it' };
    case 'goto':
      return { reason: 'goto', description: 'Paused at the chosen step' };
    default:
      return { reason: reason.kind };
  }
  const { title, text } = exceptionText(reason.exception);
  const hitBreakpointIds = reason.ids.length > 0 ? { hitBreakpointIds: [...reason.ids] } : {};
  return { reason: 'exception', description: `Paused on ${title}`, text, ...hitBreakpointIds };
}

/** What expressions can name at a stop on an exception, as its condition can. */
export function valuesAt(reason: StopReason | undefined): Moment['extra'] {
  if (reason?.kind !== 'exception') return {};
  const { exception } = reason;
  if ('rejection' in exception) return { rejection: rejectionValue(exception.rejection) };
  return 'warning' in exception ? { warning: { ...exception.warning } } : { message: exception.message };
}

/** The place that explains why the run stopped, where it is no place of the phase. */
export function focusOf(reason: StopReason | undefined, skill: Skill): Place | undefined {
  if (reason?.kind === 'breakpoint') return reason.focus && focusPlace(reason.focus, skill);
  if (reason?.kind !== 'exception' || !('warning' in reason.exception)) return undefined;
  const { pointer } = reason.exception.warning;
  const path = pointer === undefined ? undefined : parsePointer(pointer);
  return path && propertyPlace(path, skill);
}
