/** What a stopped run shows: the values behind scopes and expressions, taken from where it stands. */
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import type { JsonObject, JsonValue } from '../../../schemas/json/jsonValue';
import type { StateSchema } from '../../../schemas/state/stateSchema';
import type { FailedRequest } from '../runtime/model';
import { isProposed, isProposedInPart, type Proposals } from '../runtime/provenance';
import type { Attempt, RunState } from '../runtime/runState';
import type { Position } from './position';
import type { Annotation, NamedNode, Node } from './variables';

/** The names that expressions begin with. */
export const rootNames = [
  'state',
  'before',
  'patch',
  'proposed',
  'observation',
  'action',
  'step',
  'attempt',
  'phase',
  'tokens',
  'reasoning',
  'thinking',
  'reply',
  'attempts',
  'score',
] as const;
export type RootName = (typeof rootNames)[number];

/** Why a root has no value at some phases. */
const arrivals: Partial<Record<RootName, string>> = {
  patch: 'parse',
  proposed: 'validate',
  action: 'parse',
  reasoning: 'parse',
  reply: 'generate',
};

/**
 * The step that is shown. After a rejection that is the step of the rejected reply, with its patch, whatever comes
 * next: a person wants to see what was wrong with it.
 */
export function shownRun({ run, rejected }: Position): RunState {
  if (rejected === undefined) return run;
  const { before, rejection } = rejected;
  const last = before.attempts.at(-1);
  const attempts = last ? [...before.attempts.slice(0, -1), { ...last, rejection }] : [];
  // A rejection leaves Σ and O as they are: where they differ now, they were changed by hand since.
  const observation = run.step === before.step ? run.observation : before.observation;
  const { state, totals, end } = run;
  return { ...before, state, before: run.before, observation, attempts, totals, end };
}

/** The value of a root; undefined where there is none at this phase. */
export function rootValue(name: RootName, position: Position): JsonValue | undefined {
  const run = shownRun(position);
  switch (name) {
    case 'state':
      return run.state;
    case 'before':
      return run.before;
    case 'patch':
      return run.parsed?.patch;
    case 'proposed':
      return run.merged?.state;
    case 'observation':
      return run.observation;
    case 'action':
      return run.parsed?.action;
    case 'step':
      return run.step;
    case 'attempt':
      return run.attempt;
    case 'phase':
      return position.run.phase;
    case 'tokens':
      return tokens(run);
    case 'reasoning':
      return run.parsed?.reasoning;
    case 'thinking':
      return thinkingOf(position, run);
    case 'reply':
      return isAnswering(position, run) ? position.partialReply : run.reply;
    case 'attempts':
      return run.attempts.map(attemptValue);
    case 'score':
      return run.score && { ...run.score };
  }
}

/** What to say where {@link rootValue} has nothing. */
export function missingRoot(name: RootName): string {
  const phase = arrivals[name];
  return phase === undefined
    ? `There is no ${name} yet.`
    : `There is no ${name} yet: it comes with the phase "${phase}".`;
}

/** What may be given another value; whether it can be just now is decided by the run. */
export const editableRoots: ReadonlySet<RootName> = new Set(['state', 'patch', 'action', 'observation']);

/** A root as a node of the variables tree; undefined where it has no value. */
function rootNode(name: RootName, position: Position, schema: StateSchema): Node | undefined {
  const value = rootValue(name, position);
  if (value === undefined) return undefined;
  return {
    value,
    expression: name,
    root: name,
    path: [],
    editable: editableRoots.has(name),
    annotate: valueAnnotator(name, position, schema),
  };
}

export interface ScopeContent {
  readonly name: string;
  readonly hint: 'locals' | 'arguments' | 'returnValue' | undefined;
  readonly content: { readonly node: Node } | { readonly entries: readonly NamedNode[] };
  /** Whether it may be long, so that clients don't open it by themselves. */
  readonly expensive: boolean;
}

/** The scopes of a stop, always the same ones, so that what a person has opened stays open. */
export function scopesOf(position: Position, schema: StateSchema): readonly ScopeContent[] {
  const run = shownRun(position);
  const scope = (
    name: string,
    root: RootName,
    hint?: ScopeContent['hint'],
    expensive = false,
  ): ScopeContent => {
    const node = rootNode(root, position, schema);
    return { name, hint, expensive, content: node ? { node } : { entries: [] } };
  };
  const listed = (name: string, entries: readonly (NamedNode | undefined)[]): ScopeContent => ({
    name,
    hint: undefined,
    expensive: false,
    content: { entries: entries.filter((entry) => entry !== undefined) },
  });
  const failed = failuresOf(position.soFar?.failures ?? []);
  return [
    scope('State Σ', 'state', 'locals'),
    scope('Patch ΔΣ', 'patch', 'arguments'),
    scope('Proposed Σ′', 'proposed', 'returnValue', true),
    listed('Observation', observationEntries(run)),
    listed('Action', actionEntries(run)),
    scope('Tokens', 'tokens'),
    listed('Reasoning (discarded)', [
      entry('reasoning', run.parsed?.reasoning, 'reasoning'),
      entry(
        isAnswering(position, run) ? 'thinking so far' : 'thinking (no part of the reply)',
        thinkingOf(position, run),
        'thinking',
      ),
      isAnswering(position, run) ? entry('reply so far', position.partialReply, 'reply') : undefined,
    ]),
    failed.length === 0
      ? scope('Attempts', 'attempts', undefined, true)
      : {
          ...listed('Attempts', [
            ...run.attempts.map((attempt, index) =>
              entry(`[${index}]`, attemptValue(attempt), undefined, `attempts[${index}]`),
            ),
            entry(`failed requests of attempt ${run.attempt}, under way`, failed),
          ]),
          expensive: true,
        },
  ];
}

function entry(
  name: string,
  value: JsonValue | undefined,
  root?: RootName,
  expression: string | undefined = root,
): NamedNode | undefined {
  if (value === undefined) return undefined;
  const editable = root !== undefined && editableRoots.has(root);
  return { name, value, expression, root, path: [], editable, annotate: undefined };
}

/** Whether the model's reply is under way. */
function isAnswering({ underWay }: Position, { phase }: RunState): boolean {
  return underWay && phase === 'generate';
}

/** What a reasoning model thought, where its provider sends that apart from the reply. */
function thinkingOf(position: Position, run: RunState): string | undefined {
  if (isAnswering(position, run)) return position.soFar?.thinking || undefined;
  return run.reply === undefined ? undefined : run.attempts.at(-1)?.thinking;
}

/** Requests that failed; not to be taken for replies that were rejected. */
function failuresOf(failures: readonly FailedRequest[]): readonly JsonObject[] {
  return failures.map(({ class: failureClass, message, wait, tokens, cost }) => ({
    class: failureClass,
    message,
    ...(wait !== undefined && { waitedMilliseconds: wait }),
    ...(tokens !== undefined && { tokens: { ...tokens } }),
    ...(cost !== undefined && { cost }),
  }));
}

function observationEntries(run: RunState): readonly (NamedNode | undefined)[] {
  const lines = run.observation.split('\n');
  return [
    entry('text', run.observation, 'observation'),
    lines.length > 1 ? entry('lines', lines) : undefined,
  ];
}

function actionEntries(run: RunState): readonly (NamedNode | undefined)[] {
  const { matched } = run;
  return [
    entry('action', run.parsed?.action, 'action'),
    entry('none, because', run.skipReason),
    entry('signature', matched?.signature.text),
    ...(matched?.arguments ?? []).map((value, index) =>
      entry(matched?.signature.parameters[index]?.name ?? String(index), value),
    ),
  ];
}

/** The run's tokens, and those of the latest attempt. */
function tokens({ totals, attempts }: RunState): JsonObject {
  const last = attempts.at(-1);
  const failed = totals.failedTokens.prompt + totals.failedTokens.completion;
  return {
    total: totals.promptTokens + totals.completionTokens,
    prompt: totals.promptTokens,
    completion: totals.completionTokens,
    ...(totals.cachedTokens > 0 && {
      cached: totals.cachedTokens,
      cachedShare: shareOf(totals.cachedTokens, totals.promptTokens),
    }),
    ...(totals.thinkingTokens > 0 && { thinking: totals.thinkingTokens }),
    ...(failed > 0 && { inFailedRequests: failed }),
    ...(totals.tokenSource !== undefined && { source: totals.tokenSource }),
    ...(totals.tokenSource === 'mixed' && { estimated: totals.estimatedTokens }),
    ...costOf(totals),
    ...(last && { latest: tokensOf(last) }),
  };
}

/** Cached tokens as a part of the prompt's, from 0 to 1, to three digits. */
function shareOf(cached: number, prompt: number): number {
  return prompt === 0 ? 0 : Math.round((1_000 * cached) / prompt) / 1_000;
}

/**
 * US dollars; `costAtLeast` and `costAtMost` where what some attempts cost is unknown, each as far as somebody knows it.
 */
function costOf({ cost, knownCost, costAtMost, tokenSource }: RunState['totals']): JsonObject {
  if (cost !== undefined) return tokenSource === undefined ? {} : { cost };
  return {
    ...(knownCost > 0 && { costAtLeast: knownCost }),
    ...(costAtMost !== undefined && { costAtMost }),
  };
}

function tokensOf({ tokens, cost, costAtMost }: Attempt): JsonObject {
  const { prompt, completion, cached, thinking, source, estimatedBy, split } = tokens;
  return {
    prompt,
    completion,
    ...(cached !== undefined && { cached, cachedShare: shareOf(cached, prompt) }),
    ...(thinking !== undefined && { thinking }),
    source,
    ...(estimatedBy !== undefined && { estimatedBy }),
    ...(cost !== undefined && { cost }),
    ...(costAtMost !== undefined && { costAtMost }),
    split: { ...split },
  };
}

function attemptValue(attempt: Attempt): JsonObject {
  const { rejection } = attempt;
  return {
    attempt: attempt.attempt,
    ...(rejection && {
      rejection: {
        class: rejection.class,
        message: rejection.message,
        ...(rejection.pointer !== undefined && { pointer: rejection.pointer }),
        ...(rejection.schemaLocation !== undefined && { schemaLocation: rejection.schemaLocation }),
        ...(rejection.violations && {
          violations: rejection.violations.map((violation) => ({ ...violation })),
        }),
      },
    }),
    ...(attempt.failures.length > 0 && { failedRequests: failuresOf(attempt.failures) }),
    reply: attempt.reply,
    ...(attempt.thinking !== undefined && { thinking: attempt.thinking }),
    ...(attempt.correction !== undefined && { correction: attempt.correction }),
    prompt: attempt.prompt.text,
    ...(attempt.finish !== undefined && { finish: attempt.finish }),
    tokens: tokensOf(attempt),
  };
}

/** What the schema and the run know about values below a root; undefined for roots that no schema describes. */
export function valueAnnotator(
  name: RootName,
  position: Position,
  schema: StateSchema,
): ((path: JsonPath) => Annotation) | undefined {
  if (name !== 'state' && name !== 'before' && name !== 'proposed' && name !== 'patch') return undefined;
  const { proposals } = shownRun(position);
  return (path) => {
    const schemaPointer = schema.pointersAt(path)[0];
    const note = name === 'state' ? proposalNote(proposals, path) : undefined;
    return {
      ...(note !== undefined && { note }),
      ...(schemaPointer !== undefined && { schemaPointer }),
    };
  };
}

function proposalNote(proposals: Proposals, path: JsonPath): string | undefined {
  const whole = isProposed(proposals, path);
  if (whole) return `proposed since step ${whole.step}`;
  const part = isProposedInPart(proposals, path);
  return part && `parts of it proposed since step ${part.step}`;
}
