/**
 * What can be wrong with a state schema and an initial state. Every error blocks a run, since no patch could be
 * checked; warnings don't.
 */
import type { Severity } from '../text/problem';

export const stateSchemaProblems = {
  'state.unreadable-file': 'error',
  'state.syntax': 'error',
  'state.unquoted-colon': 'error',
  'state.tab-indentation': 'error',
  'state.multiple-documents': 'error',
  'state.duplicate-key': 'error',
  'state.unsupported-yaml': 'error',
  'state.inexact-number': 'warning',
  'state.nul-character': 'error',
  'state.too-deep': 'error',
  'state.too-large': 'error',
  /** The document is empty, or neither an object nor a boolean. */
  'state.not-a-schema': 'error',
  /** Σ is an object, but the schema's root allows none. */
  'state.root-not-object': 'error',
  /** The root says nothing of its type. */
  'state.untyped-root': 'warning',
  'state.unknown-dialect': 'error',
  /** A keyword's value is not what the dialect's meta-schema asks for. */
  'state.invalid-keyword': 'error',
  /** A key that is no keyword of the dialect, and has no effect: a slip, or the other dialect's. */
  'state.unknown-keyword': 'warning',
  /** A keyword of another standard that stops the validator: draft-04's `id`, OpenAPI's `nullable` without a type. */
  'state.unsupported-keyword': 'error',
  /** Two subschemas with the same `$id` or anchor. */
  'state.duplicate-identifier': 'error',
  /** An `x-` annotation of ours with a value it doesn't take. */
  'state.invalid-annotation': 'error',
  /** An `x-` annotation of ours where it has no effect. */
  'state.misplaced-annotation': 'warning',
  /** A file that the schema refers to is written in another dialect. */
  'state.mixed-dialects': 'error',
  /** `$ref` to the network, or out of the skill's folder: never fetched. */
  'state.external-reference': 'error',
  'state.unresolved-reference': 'error',
  'state.invalid-pattern': 'error',
  /** A pattern that can't be run without backtracking. */
  'state.unsupported-pattern': 'error',
  /** The validator can't be made of it, though nothing else is wrong; found when a run begins. */
  'state.unusable-schema': 'error',
  /** An invariant that is false of Σ_0, or can't be evaluated on it; found when a run begins. */
  'state.invariant-of-initial-state': 'error',
} as const satisfies Record<`state.${string}`, Severity>;

/** The closed set of what can be wrong in a state schema. */
export type StateSchemaProblemCode = keyof typeof stateSchemaProblems;

export const initialStateProblems = {
  'initial.unreadable-file': 'error',
  'initial.syntax': 'error',
  'initial.unquoted-colon': 'error',
  'initial.tab-indentation': 'error',
  'initial.multiple-documents': 'error',
  'initial.duplicate-key': 'error',
  'initial.unsupported-yaml': 'error',
  'initial.inexact-number': 'warning',
  'initial.nul-character': 'error',
  'initial.too-deep': 'error',
  'initial.too-large': 'error',
  'initial.not-an-object': 'error',
  /** Σ_0 breaks a rule of its schema; found when a run begins. */
  'initial.does-not-fit': 'error',
} as const satisfies Record<`initial.${string}`, Severity>;

/** The closed set of what can be wrong in an initial state. */
export type InitialStateProblemCode = keyof typeof initialStateProblems;
