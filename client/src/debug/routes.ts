/** What a request's route looks like. The session puts those of all subjects together. */
import type { Command } from './requestArguments';

/** What a route gives: the response's body, and what happens once the response is out. */
export interface Answer {
  readonly body?: unknown;
  readonly after?: () => void | Promise<void>;
}

/** Gives one answer, or throws one failure. */
export type Route<Arguments> = (request: Arguments) => Answer | Promise<Answer>;

/** The routes of some requests. Arguments have been checked before. */
export type Routes<Name extends Command = Command> = { readonly [Key in Name]: Route<never> };
