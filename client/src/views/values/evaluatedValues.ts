/** Values of many expressions, for as long as somebody wants them. Free of VS Code. */

/** So many are asked for at a time. */
const atOnce = 20;

/**
 * The values of expressions by the expressions; what has none is left out.
 *
 * @param evaluate rejects where there is no value
 * @param isWanted asked before each lot: where the answer is no, nothing more is evaluated
 */
export async function evaluatedValues(
  expressions: Iterable<string>,
  evaluate: (expression: string) => PromiseLike<string | undefined>,
  isWanted: () => boolean,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  const all = [...new Set(expressions)];
  for (let from = 0; from < all.length && isWanted(); from += atOnce) {
    const lot = all.slice(from, from + atOnce);
    const results = await Promise.allSettled(lot.map(async (expression) => evaluate(expression)));
    results.forEach((result, index) => {
      const expression = lot[index];
      // A value that isn't there at this step: its line shows none, as with VS Code's own inline values.
      if (result.status === 'rejected' || result.value === undefined || expression === undefined) return;
      values.set(expression, result.value);
    });
  }
  return values;
}
