/** Why a reply was not taken over: the closed set of classes (design.md, "Runtime"; shares in the paper's section 5.7). */

export const rejectionClasses = [
  'no-block',
  'syntax',
  'extra-key',
  'missing-key',
  'not-an-object',
  'schema',
  'invariant',
  'action',
  'writer',
  'limit',
] as const;

export type RejectionClass = (typeof rejectionClasses)[number];

/** One violated rule; several may stand behind a `schema` rejection. */
export interface Violation {
  /** JSON Pointer into the patch; the nearest ancestor that the patch has when Σ' fails elsewhere. */
  readonly pointer: string;
  /**
   * JSON Pointer into the state schema, down to the violated keyword: `/properties/inventory/maxProperties`. In a file
   * that the schema refers to: `shelves.yaml#/maxProperties`.
   */
  readonly schemaLocation: string;
  readonly message: string;
}

export interface Rejection {
  readonly class: RejectionClass;
  /** One sentence: what was wrong. Becomes part of the correction. */
  readonly message: string;
  /** What the model is told in place of the message, where that is about what its user can do. */
  readonly correction?: string;
  /** JSON Pointer into the patch, where the class concerns the patch. */
  readonly pointer?: string;
  /** The same place in the state schema as that of a violation, where a rule of the schema was violated. */
  readonly schemaLocation?: string;
  /** UTF-16 offset into the reply at which it went wrong, where there is one. */
  readonly offset?: number;
  /** All violations, the one above first, where the class is `schema`. */
  readonly violations?: readonly Violation[];
}
