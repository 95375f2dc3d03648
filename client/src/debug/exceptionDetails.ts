/** `exceptionInfo` of a rejected reply: its class, the place in the patch, the rule's line in the schema. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { type JsonPath, parsePointer } from '../../../schemas/json/jsonPointer';
import type { JsonValue } from '../../../schemas/json/jsonValue';
import type { Skill } from '../../../schemas/skill/skill';
import type { Rejection, Violation } from '../runtime/rejection';
import { schemaPlace } from './stackFrames';
import type { Position } from './stepController';
import { itemExpression, memberExpression } from './valueText';
import { shownRun } from './view';

/** Undefined where the run did not stop on a rejection. `line` translates 0-based lines. */
export function exceptionInfo(
  position: Position,
  skill: Skill,
  line: (line: number) => number,
): DebugProtocol.ExceptionInfoResponse['body'] | undefined {
  const rejection = position.rejected?.rejection;
  if (rejection === undefined) return undefined;
  const run = shownRun(position);
  const attempts = `attempt ${run.attempt} of step ${run.step}`;
  const what = position.exhausted ? `Retries exhausted after ${attempts}.` : `Reply rejected: ${attempts}.`;
  const patch: JsonValue | undefined = run.parsed?.patch;
  const others = (rejection.violations ?? []).slice(1);
  return {
    exceptionId: rejection.class,
    description: `${what} ${rejection.message}`,
    breakMode: position.exhausted ? 'unhandled' : 'always',
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
      : expressionOf(parsePointer(pointer) ?? [], patch);
  return { message: lines.join('\n'), ...(expression !== undefined && { evaluateName: expression }) };
}

function schemaText(schemaLocation: string, skill: Skill, line: (line: number) => number): string {
  const place = schemaPlace(schemaLocation, skill);
  const name = place.kind === 'file' ? place.path : place.document.name;
  return `${name}:${line(place.range.start.line)} (${schemaLocation === '' ? '(the whole schema)' : schemaLocation})`;
}

/** `/inventory/shelf_3` is `patch.inventory.shelf_3`. */
function expressionOf(path: JsonPath, patch: JsonValue): string {
  let expression = 'patch';
  let value: JsonValue | undefined = patch;
  for (const key of path) {
    const isItem: boolean = Array.isArray(value);
    expression = isItem ? itemExpression(expression, Number(key)) : memberExpression(expression, key);
    value =
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<string, JsonValue>>)[key]
        : undefined;
  }
  return expression;
}
