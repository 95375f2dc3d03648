/** Where a run stands between two phases: one immutable value, from which the pure transition makes the next. */
import type { JsonObject } from '../../../schemas/json/jsonValue';
import type { MatchedAction } from '../../../schemas/skill/actionSignature';
import type { Score } from './environment';
import type { MergeResult } from './merge';
import type { FailedRequest } from './model';
import type { Prompt } from './prompt';
import type { Proposals } from './provenance';
import type { Rejection, RejectionClass } from './rejection';
import type { ParsedReply } from './replyParser';
import type { AttemptTokens, SumSource } from './tokens';
import type { Warning, WarningClass } from './warnings';

/** The phases of a step, in order; on a rejected reply it goes back to `prompt` with the correction. */
export const phases = ['observe', 'prompt', 'generate', 'parse', 'validate', 'merge', 'act'] as const;
export type Phase = (typeof phases)[number];

/** How a run ended: the environment was done, a cap was reached, it couldn't go on, or somebody cancelled it. */
export type RunOutcome = 'completed' | 'capped' | 'stopped' | 'cancelled';

export interface RunEnd {
  readonly outcome: RunOutcome;
  /** One sentence for a person. */
  readonly reason: string;
  /** True where the run was interrupted and can be resumed. */
  readonly resumable: boolean;
  /** The requests to the model that failed before the run stopped; the last one is why it did. */
  readonly failures?: readonly FailedRequest[] | undefined;
}

/** One answered attempt of the current step. */
export interface Attempt {
  readonly attempt: number;
  readonly prompt: Prompt;
  readonly correction: string | undefined;
  readonly reply: string;
  /** What a reasoning model thought, where it came apart from the reply. */
  readonly thinking: string | undefined;
  /** The requests that failed before this one was answered. */
  readonly failures: readonly FailedRequest[];
  readonly finish: string | undefined;
  readonly tokens: AttemptTokens;
  /** US dollars; undefined where it is unknown. */
  readonly cost: number | undefined;
  /** US dollars: where the cost is unknown, what it is at most; undefined where that is unknown too. */
  readonly costAtMost?: number | undefined;
  readonly rejection: Rejection | undefined;
}

/** Sums over the run so far. */
export interface Totals {
  readonly steps: number;
  readonly attempts: number;
  readonly rejected: Readonly<Partial<Record<RejectionClass, number>>>;
  /** How many of the rejected replies were cut at a limit of tokens. */
  readonly cutReplies: number;
  readonly warnings: Readonly<Partial<Record<WarningClass, number>>>;
  /** Attempts beyond the first of their step. */
  readonly retries: number;
  /** Steps whose attempts ran out. */
  readonly failedSteps: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  /** The part of `completionTokens` that reasoning models thought with. */
  readonly thinkingTokens: number;
  /** The parts of `promptTokens` and `completionTokens` that requests which failed have taken. */
  readonly failedTokens: { readonly prompt: number; readonly completion: number };
  /** Who counted them; undefined before the first. */
  readonly tokenSource: SumSource | undefined;
  /** How many of `promptTokens` and `completionTokens` are estimated. */
  readonly estimatedTokens: number;
  /** How many of those the extension counted that has the model, and no tokenizer of the run's. */
  readonly extensionTokens: number;
  /** US dollars; undefined as soon as what one attempt cost is unknown. */
  readonly cost: number | undefined;
  /** US dollars of those attempts of which it is known: the run has cost at least so much. */
  readonly knownCost: number;
  /** US dollars: the run has cost no more than so much; undefined as soon as nobody knows that of one attempt. */
  readonly costAtMost: number | undefined;
  readonly promptCharacters: { readonly sum: number; readonly min: number; readonly max: number };
  /** Milliseconds spent in phases; what is spent paused does not count. */
  readonly activeMilliseconds: number;
}

export interface RunState {
  /** The phase that comes next. When `end` is set, nothing does. */
  readonly phase: Phase;
  /** t, from 0. */
  readonly step: number;
  /** The attempt that is under way, from 1. */
  readonly attempt: number;
  /** Σ_t: the state with which this step began and which its prompts show. */
  readonly before: JsonObject;
  /** Σ as it is now: Σ_t, and Σ_{t+1} once the patch is committed. */
  readonly state: JsonObject;
  /** O_t. */
  readonly observation: string;
  /** True where O_t is the last outcome's observation, which the trace then needn't repeat. */
  readonly observationIsOutcome: boolean;
  /** O_t without a `Rejected: …` line, for the next time it is shown. */
  readonly plainObservation: string;
  /** Follows the prompt of a retry. */
  readonly correction: string | undefined;
  /** Set from `prompt` on. */
  readonly prompt: Prompt | undefined;
  /** Set from `generate` on: the raw reply. */
  readonly reply: string | undefined;
  /** Set from `parse` on: reasoning, patch ΔΣ_t and action a_t. */
  readonly parsed: ParsedReply | undefined;
  /** Set from `validate` on: Σ_t ⊕ ΔΣ_t with the writes it takes. */
  readonly merged: MergeResult | undefined;
  /** Set from `validate` on, where the skill declares actions. */
  readonly matched: MatchedAction | undefined;
  /** Set when the attempts of this step ran out and the environment is to move on without an action. */
  readonly skipReason: string | undefined;
  /** The answered attempts of this step, oldest first; the last one's rejection is why we are back at `prompt`. */
  readonly attempts: readonly Attempt[];
  /** Warnings since the last act. */
  readonly warnings: readonly Warning[];
  /** Which paths of Σ the model wrote and no accepted action has confirmed yet. */
  readonly proposals: Proposals;
  /** The patch committed last, for the warning about a repeated one. */
  readonly previousPatch: JsonObject | undefined;
  /** Exhausted steps in a row. */
  readonly exhaustedInARow: number;
  /** In what Σ differed from the environment's truth after the last act; empty where it did not. */
  readonly divergence: string;
  readonly totals: Totals;
  readonly score: Score | undefined;
  readonly end: RunEnd | undefined;
}
