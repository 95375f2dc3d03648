/** The stack of a stopped run: the phase that comes next at the text that explains it, and the step around it. */
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import { parsePointer } from '../../../schemas/json/jsonPointer';
import type { Skill } from '../../../schemas/skill/skill';
import { assertNever } from '../../../schemas/text/assertNever';
import { LineIndex, type Range } from '../../../schemas/text/position';
import { findLastJsonBlock } from '../runtime/fencedBlock';
import { promptOf } from '../runtime/prompt';
import type { Rejection } from '../runtime/rejection';
import type { RunState } from '../runtime/runState';
import type { Position } from './position';
import type { Focus } from './stopPolicy';
import { shownRun } from './view';

/** As VS Code knows its languages: it makes nothing of `text/markdown`. */
export type MimeType = 'text/x-markdown' | 'text/x-yaml' | 'application/json' | 'text/plain';

/** A text of the run that is no file. */
export interface RunDocument {
  /** The same for the same text of a run; of a growing text it has its length. */
  readonly key: string;
  /** As a tab shows it: `prompt (step 3, attempt 1)`. */
  readonly name: string;
  readonly text: string;
  readonly mimeType: MimeType;
}

/** A place in a file of the skill or in a text of the run. */
export type Place =
  | { readonly kind: 'file'; readonly path: string; readonly range: Range }
  | { readonly kind: 'document'; readonly document: RunDocument; readonly range: Range };

export interface Frame {
  readonly name: string;
  readonly place: Place;
  /** The action that is about to be executed. */
  readonly action: string | undefined;
  /** Frames that only say where the others are. */
  readonly subtle: boolean;
}

const startOfText: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/**
 * The frames, the phase that comes next first.
 *
 * @param focus the place that explains why the run stopped, where it is no place of the phase
 */
export function framesOf(position: Position, skill: Skill, focus?: Place): readonly Frame[] {
  const run = shownRun(position);
  const attempt = run.attempt > 1 ? `, attempt ${run.attempt}` : '';
  const { phase } = position.run;
  const name = isOver(position) ? 'end' : phase;
  const action = name === 'act' ? run.parsed?.action : undefined;
  const step = `step ${run.step}${attempt}`;
  return [
    { name, place: placeOf(position, skill, focus), action, subtle: false },
    { name: step, place: instructionsPlace(skill), action: undefined, subtle: true },
  ];
}

/** A frame's name with what a client wants in it (DAP's StackFrameFormat): `act (Ship item_0), line 51`. */
export function frameName(
  { name, action, place }: Frame,
  format: { readonly parameters?: boolean | undefined; readonly line?: boolean | undefined },
  line: (line: number) => number,
): string {
  const parameters = format.parameters === true && action !== undefined ? ` (${action})` : '';
  return `${name}${parameters}${format.line === true ? `, line ${line(place.range.start.line)}` : ''}`;
}

/** Whether nothing comes next, and that is all there is to say. */
function isOver({ run, rejected }: Position): boolean {
  return run.end?.resumable === false && rejected === undefined;
}

/**
 * Where a schema pointer, or a rejection's location, stands: the key of the nearest subschema or keyword that the
 * schema's files have.
 */
export function schemaPlace(pointer: string, skill: Skill): Place {
  const { stateSchema } = skill;
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const place = stateSchema.placeOf(at);
    if (place !== undefined && at !== '') return inSchema(skill, place.key, place.path);
    if (!at.includes('/')) return inSchema(skill, startOfText);
  }
}

/** The place of a rejection: the rule that was violated, or the offending character of the reply. */
export function rejectionPlace(rejection: Rejection, run: RunState, skill: Skill): Place {
  if (rejection.schemaLocation !== undefined) return schemaPlace(rejection.schemaLocation, skill);
  const document = replyDocument(run);
  const offset = rejection.offset ?? offsetOf(rejection, document.text);
  return inDocument(document, offset, offset);
}

/** Where the property of a breakpoint is declared. */
export function focusPlace(focus: Focus, skill: Skill): Place {
  return 'path' in focus ? propertyPlace(focus.path, skill) : schemaPlace(focus.schemaPointer, skill);
}

function placeOf(position: Position, skill: Skill, focus: Place | undefined): Place {
  const run = shownRun(position);
  if (position.rejected?.rejection) return rejectionPlace(position.rejected.rejection, run, skill);
  if (focus !== undefined) return focus;
  switch (run.phase) {
    case 'observe':
      return inDocument(observationDocument(run), 0, 0);
    case 'prompt':
      return inDocument(promptDocument(run, skill), 0, 0);
    case 'generate':
      return position.underWay
        ? endOfReply(run, position.partialReply)
        : inDocument(promptDocument(run, skill), 0, 0);
    case 'parse':
      return blockPlace(run);
    case 'validate':
    case 'merge':
      return writePlace(run, skill);
    case 'act':
      return actionPlace(run, skill);
    default:
      return assertNever(run.phase);
  }
}

function instructionsPlace({ document }: Skill): Place {
  const start = { line: document.firstInstructionLine, character: 0 };
  return { kind: 'file', path: 'SKILL.md', range: { start, end: start } };
}

function actionPlace(run: RunState, skill: Skill): Place {
  const signature = run.matched?.signature;
  if (signature === undefined) return instructionsPlace(skill);
  return { kind: 'file', path: signature.file, range: signature.range };
}

/** The declared property that the patch writes first; what changes something goes before what doesn't. */
function writePlace(run: RunState, skill: Skill): Place {
  const writes = run.merged?.writes ?? [];
  const path = (writes.find(({ changed }) => changed) ?? writes[0])?.path ?? firstPath(run);
  return path === undefined ? blockPlace(run) : propertyPlace(path, skill);
}

/** The first key that the patch mentions, before ⊕ has said what it writes. */
function firstPath(run: RunState): JsonPath | undefined {
  const key = Object.keys(run.parsed?.patch ?? {})[0];
  return key === undefined ? undefined : [key];
}

/** Where the property at a path of Σ is declared, or the nearest one around it. */
export function propertyPlace(path: JsonPath, skill: Skill): Place {
  const { stateSchema } = skill;
  for (let length = path.length; length > 0; length--) {
    const pointers = stateSchema.pointersAt(path.slice(0, length));
    for (const { path: file, declaredProperties } of [stateSchema, ...stateSchema.parts]) {
      const declared = declaredProperties.find(({ pointer }) => pointers.includes(pointer));
      if (declared !== undefined) return inSchema(skill, declared.range, file);
    }
  }
  return schemaPlace(stateSchema.pointersAt(path)[0] ?? '', skill);
}

function inSchema(skill: Skill, range: Range, path = skill.stateSchema.path): Place {
  const { text } = skill.stateSchema;
  if (path !== undefined) return { kind: 'file', path, range };
  const document: RunDocument = {
    key: 'default state schema',
    name: 'default state schema.json',
    text,
    mimeType: 'application/json',
  };
  return { kind: 'document', document, range };
}

/** The JSON block of the reply, or its beginning where there is none. */
function blockPlace(run: RunState): Place {
  const document = replyDocument(run);
  const block = run.parsed?.block ?? findLastJsonBlock(document.text);
  return inDocument(document, block?.start ?? 0, block?.start ?? 0);
}

function endOfReply(run: RunState, partialReply: string): Place {
  const document: RunDocument = {
    key: `reply ${run.step} ${run.attempt} ${partialReply.length}`,
    name: `reply so far (step ${run.step}, attempt ${run.attempt})`,
    text: partialReply,
    mimeType: 'text/x-markdown',
  };
  return inDocument(document, partialReply.length, partialReply.length);
}

/** Where a rejection without an offset is: the action's key or the patch's key, else the block. */
function offsetOf(rejection: Rejection, reply: string): number {
  const block = findLastJsonBlock(reply);
  if (block === undefined) return 0;
  const key =
    rejection.class === 'action'
      ? '"action"'
      : rejection.pointer === undefined
        ? undefined
        : lastKey(rejection.pointer);
  const at = key === undefined ? -1 : reply.indexOf(key, block.start);
  return at >= 0 && at < block.end ? at : block.start;
}

function lastKey(pointer: string): string {
  return JSON.stringify(parsePointer(pointer)?.at(-1) ?? 'state_patch');
}

function inDocument(document: RunDocument, start: number, end: number): Place {
  return { kind: 'document', document, range: new LineIndex(document.text).rangeOf(start, end) };
}

function observationDocument({ step, observation }: RunState): RunDocument {
  return {
    key: `observation ${step}`,
    name: `observation (step ${step})`,
    text: observation,
    mimeType: 'text/plain',
  };
}

/** The exact prompt; before it has been composed, what it will be. */
function promptDocument(run: RunState, skill: Skill): RunDocument {
  const { step, attempt, prompt = promptOf(skill, run) } = run;
  return {
    key: `prompt ${step} ${attempt}`,
    name: `prompt (step ${step}, attempt ${attempt})`,
    text: prompt.text,
    mimeType: 'text/x-markdown',
  };
}

function replyDocument({ step, attempt, reply }: RunState): RunDocument {
  return {
    key: `reply ${step} ${attempt}`,
    name: `reply (step ${step}, attempt ${attempt})`,
    text: reply ?? '',
    mimeType: 'text/x-markdown',
  };
}
