/** What a scripted policy sees and what it decides: a pure function of one prompt's (P, Σ, O). */
import type { JsonObject } from '../../../../schemas/json/jsonValue';

export interface PolicyInput {
  readonly instructions: string;
  /** Σ_t as the prompt shows it. */
  readonly state: JsonObject;
  readonly observation: string;
}

export interface Decision {
  /** Names only ids of O_t and a_t, or a runtime that keeps history would find a hidden Σ in it. */
  readonly reasoning: string;
  readonly patch: JsonObject;
  readonly action: string;
}

export type Policy = (input: PolicyInput) => Decision;
