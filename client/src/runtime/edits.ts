/**
 * What a person may change of a run that stands between two phases, and what follows from it. Pure: the same edit gives
 * the same run when it is made, and when it is repeated from its record.
 */
import { isDeeperThan } from '../../../schemas/json/jsonDepth';
import { type JsonPath, parsePointer } from '../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json/jsonValue';
import { matchAction } from '../../../schemas/skill/actionMatch';
import type { EditRecord, RecordBody } from '../../../schemas/trace/trace';
import { withValueAt } from './jsonEdit';
import { applyPatch } from './merge';
import { promptOf } from './prompt';
import { settle } from './provenance';
import type { Redaction } from './redaction';
import type { Rejection } from './rejection';
import type { RunState } from './runState';
import type { RunContext } from './transitionTypes';

/** A change by hand. Pointers are into Σ as it is now, or into the pending patch; without a value the place is deleted. */
export type StateEdit =
  | { readonly target: 'state' | 'patch'; readonly pointer: string; readonly value?: JsonValue }
  | { readonly target: 'action' | 'observation'; readonly value: string };

/** Why an edit is refused. `message` is for the user. */
export interface EditRefusal {
  readonly ok: false;
  readonly message: string;
  /** The place that is wrong, into Σ or into the patch. */
  readonly pointer?: string;
  /** The rule of the state schema that it violates, as rejections name it. */
  readonly schemaLocation?: string;
  /** The launch attribute with which it would not be refused. */
  readonly liftedBy?: 'forkWithoutRewind';
}

export type Edited = { readonly ok: true; readonly run: RunState } | EditRefusal;

/** Applies an edit, or says which rule keeps it from being made. */
export function applyEdit(context: RunContext, run: RunState, edit: StateEdit): Edited {
  if (run.end !== undefined) return refused('The run is over: step back first.');
  switch (edit.target) {
    case 'state':
      return editState(context, run, edit);
    case 'patch':
      return editPatch(context, run, edit);
    case 'action':
      return editAction(context, run, edit.value);
    case 'observation':
      return editObservation(run, edit.value);
  }
}

/** The edit without what the user wants left out of runs. */
export function redactedEdit(edit: StateEdit, redaction: Redaction): StateEdit {
  if ('pointer' in edit)
    return edit.value === undefined ? edit : { ...edit, value: redaction.value(edit.value) };
  return { ...edit, value: redaction.text(edit.value) };
}

/** The edit as it is recorded. */
export function editRecord(run: RunState, edit: StateEdit): RecordBody {
  const { target, value } = edit;
  return {
    kind: 'edit',
    step: run.step,
    phase: run.phase,
    target,
    ...('pointer' in edit && { pointer: edit.pointer }),
    ...(value !== undefined && { value }),
  };
}

/** The edit that a record tells; undefined where it tells none that makes sense. */
export function editOf({ target, pointer, value }: EditRecord): StateEdit | undefined {
  if (target === 'state' || target === 'patch')
    return pointer === undefined ? undefined : { target, pointer, ...(value !== undefined && { value }) };
  return typeof value === 'string' ? { target, value } : undefined;
}

/** Σ after a recorded edit of it, without a check; the same Σ where the edit doesn't fit it. */
export function stateAfterEdit(state: JsonObject, { target, pointer, value }: EditRecord): JsonObject {
  const path = target === 'state' ? parsePointer(pointer ?? '') : undefined;
  const edited = path && withValueAt(state, path, value);
  return edited?.ok && isJsonObject(edited.value) ? edited.value : state;
}

function editState(
  context: RunContext,
  run: RunState,
  { pointer, value }: StateEdit & { target: 'state' | 'patch' },
): Edited {
  const edited = objectAfter(run.state, pointer, value, 'the state');
  if (!edited.ok) return edited;
  const { object: state, path } = edited;
  const [violation] = context.validator.checkInitial(state);
  if (violation !== undefined) {
    const { message, pointer: place, schemaLocation } = violation;
    return {
      ...refused(message),
      pointer: place,
      ...(schemaLocation !== '' && {
        schemaLocation: context.skill.stateSchema.locationText(schemaLocation),
      }),
    };
  }
  // Until the patch is merged, Σ is Σ_t. Afterwards Σ_t stays what the prompt showed.
  const before = run.state === run.before ? state : run.before;
  const next = { ...run, state, before, proposals: settle(run.proposals, path) };
  return withPatchMerged(context, withPrompt(context, next));
}

/** A prompt that hasn't been sent yet shows Σ as it is now. */
function withPrompt({ skill }: RunContext, run: RunState): RunState {
  if (run.phase !== 'generate') return run;
  return { ...run, prompt: promptOf(skill, run) };
}

/** What the pending patch makes of Σ as it is now, where it has been validated already. */
function withPatchMerged(context: RunContext, run: RunState): Edited {
  const isPending = run.phase === 'merge' || (run.phase === 'act' && context.options.commit === 'on-accept');
  if (!isPending || run.parsed === undefined || run.skipReason !== undefined) return { ok: true, run };
  return merged(context, run, run.parsed.patch);
}

function merged(context: RunContext, run: RunState, patch: JsonObject): Edited {
  const result = applyPatch(run.state, patch, context.skill.stateSchema);
  const rejection =
    context.validator.checkPatch(patch, 'model') ?? context.validator.checkMerged(result.state, patch);
  return rejection === undefined ? { ok: true, run: { ...run, merged: result } } : refusedBy(rejection);
}

function editPatch(
  context: RunContext,
  run: RunState,
  { pointer, value }: StateEdit & { target: 'state' | 'patch' },
): Edited {
  const phases =
    context.options.commit === 'on-accept' ? ['validate', 'merge', 'act'] : ['validate', 'merge'];
  if (run.parsed === undefined || run.skipReason !== undefined || !phases.includes(run.phase)) {
    return refused(
      `No patch is pending before the phase "${run.phase}": it can be changed before ${listed(phases)}.`,
    );
  }
  const { patch } = run.parsed;
  const edited = objectAfter(patch, pointer, value, 'the patch');
  if (!edited.ok) return edited;
  const { depth } = context.options.limits;
  if (isDeeperThan(edited.object, depth)) {
    return { ...refused(`The patch nests more than ${depth} objects and arrays in each other.`), pointer };
  }
  const next: RunState = { ...run, parsed: { ...run.parsed, patch: edited.object } };
  const checked = merged(context, next, edited.object);
  if (run.phase !== 'validate') return checked;
  // What is wrong already may be mended in several edits: the phase that comes next judges.
  if (!checked.ok && merged(context, run, patch).ok) return checked;
  return { ok: true, run: next };
}

function editAction({ skill }: RunContext, run: RunState, action: string): Edited {
  if (run.parsed === undefined || !['validate', 'merge', 'act'].includes(run.phase)) {
    const reason = run.skipReason === undefined ? '' : ' (the attempts of this step ran out)';
    return refused(
      `No action is chosen before the phase "${run.phase}"${reason}: it can be changed before validate, merge or act.`,
    );
  }
  if (action.trim() === '' || /[\r\n]/.test(action))
    return refused('An action is one line that is not empty.');
  const parsed = { ...run.parsed, action };
  if (skill.actions.length === 0) return { ok: true, run: { ...run, parsed } };
  const match = matchAction(skill.actions, action);
  if (!match.ok) return refused(match.message);
  return { ok: true, run: { ...run, parsed, ...(run.phase !== 'validate' && { matched: match }) } };
}

function editObservation(run: RunState, observation: string): Edited {
  if (run.phase !== 'observe' && run.phase !== 'prompt') {
    return refused('The prompt shows this observation already: step back to the start of the step first.');
  }
  const observationIsOutcome = run.phase === 'observe' ? false : run.observationIsOutcome;
  return { ok: true, run: { ...run, observation, plainObservation: observation, observationIsOutcome } };
}

function objectAfter(
  root: JsonObject,
  pointer: string,
  value: JsonValue | undefined,
  what: string,
): { readonly ok: true; readonly object: JsonObject; readonly path: JsonPath } | EditRefusal {
  const path = parsePointer(pointer);
  if (path === undefined) return refused(`${pointer} is no JSON Pointer: it begins with a slash.`);
  const edited = withValueAt(root, path, value);
  if (!edited.ok)
    return { ...refused(`${edited.message.slice(0, -1)} in ${what}.`), pointer: edited.pointer };
  if (!isJsonObject(edited.value))
    return { ...refused(`${capital(what)} has to be an object.`), pointer: '' };
  return { ok: true, object: edited.value, path };
}

function refused(message: string): EditRefusal {
  return { ok: false, message };
}

function refusedBy({ message, pointer, schemaLocation }: Rejection): EditRefusal {
  return {
    ...refused(message),
    ...(pointer !== undefined && { pointer }),
    ...(schemaLocation !== undefined && { schemaLocation }),
  };
}

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
