/**
 * What to say where a value fits none of the branches of `anyOf` or `oneOf`. ajv reports every branch's errors, and most
 * of them are about branches that nobody meant.
 */
import type { ErrorObject } from 'ajv';

/** The parameter under which the types that the branches ask for are added to an `anyOf` or `oneOf` error. */
export const branchTypes = 'branchTypes';

/**
 * Of a value that has the type of some branch, the errors inside it remain; of any other, one error that names all the
 * branches' types.
 */
export function withoutUnmeantBranches(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let remaining = errors;
  for (const error of errors) {
    const isOpen =
      error.keyword === 'anyOf' || (error.keyword === 'oneOf' && error.params.passingSchemas === null);
    if (isOpen && remaining.includes(error)) remaining = explain(error, remaining);
  }
  return remaining;
}

function explain(failed: ErrorObject, errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const { instancePath, parentSchema } = failed;
  const isBranchError = (error: ErrorObject): boolean =>
    error !== failed && error.parentSchema !== parentSchema;
  const mismatches = errors.filter(
    (error) => isBranchError(error) && error.keyword === 'type' && error.instancePath === instancePath,
  );
  if (mismatches.length === 0) return errors;
  const isMeant = (error: ErrorObject): boolean =>
    isBranchError(error) &&
    !mismatches.includes(error) &&
    (error.instancePath === instancePath || error.instancePath.startsWith(`${instancePath}/`));
  if (errors.some(isMeant)) return errors.filter((error) => error !== failed && !mismatches.includes(error));
  const types = new Set(mismatches.flatMap((error) => error.schema as string | string[]));
  const named = { ...failed, params: { ...failed.params, [branchTypes]: [...types] } };
  return errors
    .filter((error) => !mismatches.includes(error))
    .map((error) => (error === failed ? named : error));
}
