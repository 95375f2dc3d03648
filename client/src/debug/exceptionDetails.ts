/** `exceptionInfo`: of a rejected reply its class, the place in the patch and the rule's line in the schema; of others likewise. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { parsePointer } from '../../../schemas/json/jsonPointer';
import type { JsonValue } from '../../../schemas/json/jsonValue';
import type { Skill } from '../../../schemas/skill/skill';
import type { Rejection, Violation } from '../runtime/rejection';
import type { Warning } from '../runtime/warnings';
import type { Position } from './position';
import { type Place, propertyPlace, schemaPlace } from './stackFrames';
import type { FailureStop, RunException } from './stopPolicy';
import { pathExpression } from './valueText';
import { shownRun } from './view';

/** What a stop says about an exception: what the run paused on, and what happened. */
export function exceptionText(exception: RunException): { readonly title: string; readonly text: string } {
  const title = titles[exception.filter];
  if ('message' in exception) return { title, text: exception.message };
  const told = 'rejection' in exception ? exception.rejection : exception.warning;
  return { title, text: `${told.class}: ${told.message}` };
}

const titles: Readonly<Record<RunException['filter'], string>> = {
  rejected: 'a rejected reply',
  exhausted: 'exhausted retries',
  'state-loss': 'state loss',
  'stale-patch': 'a stale patch',
  'unknown-argument': 'an unknown action argument',
  diverged: 'a state that differs from the world',
  'state-over-budget': 'a state over its budget',
  'tokens-over-budget': 'tokens over their budget',
  'environment-error': 'an error of the environment',
};

type Body = DebugProtocol.ExceptionInfoResponse['body'];

/** What `exceptionInfo` tells about the exception that a run stopped on. `line` translates 0-based lines. */
export function exceptionInfo(
  exception: RunException,
  position: Position,
  skill: Skill,
  line: (line: number) => number,
): Body {
  if ('rejection' in exception) return rejectionInfo(exception, position, skill, line);
  if ('warning' in exception) return warningInfo(exception, position, skill, line);
  const { filter, message } = exception;
  const isError = filter === 'environment-error';
  const outlook = isError
    ? 'On continue it is tried again.'
    : 'On continue the run ends before its next prompt.';
  return {
    exceptionId: filter,
    description: `${message} ${outlook}`,
    breakMode: isError ? 'unhandled' : 'always',
    details: { message, typeName: filter, fullTypeName: filter },
  };
}

/** What failed, and what can be done now. */
export function failureText({ message, advice }: FailureStop): string {
  return `${message} ${advice}`;
}

/** What `exceptionInfo` tells where the phase that comes next failed. */
export function failureInfo(stop: FailureStop): Body {
  return {
    exceptionId: stop.class,
    description: failureText(stop),
    breakMode: 'unhandled',
    details: { message: stop.message, typeName: stop.class, fullTypeName: `failure.${stop.class}` },
  };
}

function rejectionInfo(
  { filter, rejection }: RunException & { rejection: Rejection },
  position: Position,
  skill: Skill,
  line: (line: number) => number,
): Body {
  const run = shownRun(position);
  const attempts = `attempt ${run.attempt} of step ${run.step}`;
  const isLast = filter === 'exhausted' || position.exhausted;
  const what = isLast ? `Retries exhausted after ${attempts}.` : `Reply rejected: ${attempts}.`;
  const patch: JsonValue | undefined = run.parsed?.patch;
  const others = (rejection.violations ?? []).slice(1);
  return {
    exceptionId: rejection.class,
    description: `${what} ${rejection.message} ${outlookOf(position)}`,
    breakMode: isLast ? 'unhandled' : 'always',
    details: {
      ...detailsOf(rejection, skill, line, patch),
      typeName: rejection.class,
      fullTypeName: `rejection.${rejection.class}`,
      ...(others.length > 0 && {
        innerException: others.map((violation) => ({
          ...detailsOf(violation, skill, line, patch),
          typeName: rejection.class,
        })),
      }),
    },
  };
}

/** What comes next, which is what the top frame is named after. */
function outlookOf({ run }: Position): string {
  if (run.end?.resumable === false) return 'The run ends with it.';
  const attempt = run.attempt > 1 ? `attempt ${run.attempt} of ` : '';
  return `Next comes the phase "${run.phase}" of ${attempt}step ${run.step}.`;
}

function warningInfo(
  { warning }: RunException & { warning: Warning },
  position: Position,
  skill: Skill,
  line: (line: number) => number,
): Body {
  const { message, pointer } = warning;
  const lines = [message];
  const path = pointer === undefined ? undefined : (parsePointer(pointer) ?? []);
  if (path !== undefined) {
    const place = propertyPlace(path, skill);
    lines.push(`State: ${pointer === '' ? '(the whole state)' : pointer}`);
    lines.push(`Schema: ${placeName(place)}:${line(place.range.start.line)}`);
  }
  return {
    exceptionId: warning.class,
    description: `${message} The run goes on: this is a warning.`,
    breakMode: 'always',
    details: {
      message: lines.join('\n'),
      typeName: warning.class,
      fullTypeName: `warning.${warning.class}`,
      ...(path !== undefined && { evaluateName: pathExpression('state', path, position.run.state) }),
    },
  };
}

function placeName(place: Place): string {
  return place.kind === 'file' ? place.path : place.document.name;
}

function detailsOf(
  { message, pointer, schemaLocation }: Rejection | Violation,
  skill: Skill,
  line: (line: number) => number,
  patch: JsonValue | undefined,
): DebugProtocol.ExceptionDetails {
  const lines = [message];
  if (pointer !== undefined) lines.push(`Patch: ${pointer === '' ? '(the whole patch)' : pointer}`);
  if (schemaLocation !== undefined) lines.push(`Schema: ${schemaText(schemaLocation, skill, line)}`);
  const expression =
    pointer === undefined || patch === undefined
      ? undefined
      : pathExpression('patch', parsePointer(pointer) ?? [], patch);
  return { message: lines.join('\n'), ...(expression !== undefined && { evaluateName: expression }) };
}

/** `state.schema.yaml:9 (/properties/inventory/maxProperties)`; `line` translates 0-based lines. */
export function schemaText(schemaLocation: string, skill: Skill, line: (line: number) => number): string {
  const place = schemaPlace(schemaLocation, skill);
  return `${placeName(place)}:${line(place.range.start.line)} (${schemaLocation === '' ? '(the whole schema)' : schemaLocation})`;
}
