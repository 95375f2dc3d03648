/** What the pure transition takes and gives. */
import type { JsonObject } from '../../../schemas/json/jsonValue';
import type { Skill } from '../../../schemas/skill/skill';
import type { Sha256 } from '../../../schemas/text/digest';
import type { RecordBody } from '../../../schemas/trace/trace';
import type { Outcome, Score } from './environment';
import type { FailedRequest, Model, ReportedUsage } from './model';
import type { RunOptions } from './options';
import type { Rejection } from './rejection';
import type { Attempt, RunState } from './runState';
import type { PromptTokenCounter } from './tokenCounting';
import type { StateValidator } from './validation';
import type { Warning } from './warnings';

/** What stays the same throughout a run. */
export interface RunContext {
  readonly skill: Skill;
  readonly options: RunOptions;
  readonly validator: StateValidator;
  readonly counter: PromptTokenCounter;
  readonly price: Model['price'];
  readonly declares: ((name: string) => boolean) | undefined;
  readonly sha256: Sha256;
}

/** What has to be done before a phase's transition can be asked for. */
export type Effect =
  | { readonly type: 'none' }
  | { readonly type: 'generate'; readonly prompt: string }
  | { readonly type: 'execute'; readonly action: string }
  | { readonly type: 'skip'; readonly reason: string };

/** What came of the effect. */
export type PhaseInput =
  | { readonly type: 'none' }
  | {
      readonly type: 'generated';
      readonly reply: string;
      readonly finish: string | undefined;
      readonly usage: ReportedUsage | undefined;
      /** What a reasoning model thought, where it came apart from the reply. */
      readonly thinking?: string | undefined;
      /** The requests that failed before this one was answered. */
      readonly failures?: readonly FailedRequest[] | undefined;
      /** Of a reply that was recorded: what it took, which is then not counted again. */
      readonly recorded?: Pick<Attempt, 'tokens' | 'cost' | 'costAtMost'>;
    }
  | {
      readonly type: 'outcome';
      readonly outcome: Outcome;
      readonly truth: JsonObject | undefined;
      readonly score: Score | undefined;
      /** Of an outcome that was recorded, without a world to compare with: whether Σ differed from it, and the warning. */
      readonly recorded?: { readonly diverged: boolean; readonly warning: Warning | undefined };
    };

export interface Transition {
  readonly run: RunState;
  readonly records: readonly RecordBody[];
  /** Set where the phase rejected the reply. */
  readonly rejection?: Rejection;
}

/** A value that its phase can't be without; a bug where it is missing. */
export function known<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`The run has no ${what} in this phase`);
  return value;
}
