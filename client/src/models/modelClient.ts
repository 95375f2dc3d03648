/** What a provider gives of a model behind a server, so that the model can be held to a format: how it is asked, and where a constraint stands. */
import type { ModelEvent, ModelRequest } from '../runtime/model';
import type { Dialect, ReplyConstraint } from './decoding/replyConstraint';
import type { Encoding, Placement } from './modelSettings';

/** A constraint, and where it stands in a request. */
export interface PlacedConstraint {
  readonly placement: Placement;
  readonly constraint: ReplyConstraint;
}

/** One question to a model. */
export interface Question {
  readonly request: Omit<ModelRequest, 'expected'>;
  readonly constraint: PlacedConstraint | undefined;
}

/** What connects to one model at one server; made without a request. */
export interface ModelClient {
  /** The model's id there. */
  readonly model: string;
  /** How messages name the server. */
  readonly title: string;
  /** Finds the key, or whatever requests are let in by. @throws ModelFailure; the signal's reason */
  authenticate(signal: AbortSignal): Promise<void>;
  /** Asks the model. `retry` voids what came before it. @throws ModelFailure; the signal's reason */
  ask(question: Question, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Has the server say which models it has. @throws ModelFailure; the signal's reason */
  list(signal: AbortSignal): Promise<unknown>;
  /**
   * What the server understands of JSON Schema where a constraint stands in that place; undefined where none of this
   * encoding can.
   */
  dialectOf(placement: Placement, encoding: Encoding): Dialect | undefined;
}
