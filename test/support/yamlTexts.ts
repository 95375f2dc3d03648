/** Values as fast-check makes them, and the ways of writing them in YAML, for tests of readers. */
import fc from 'fast-check';

const keys = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom('a', 'b c', '- x', '#y', 'x: y', 'null', '1', '😀'),
);

const awkwardTexts = ['two\nlines', 'x: y', '# no', '- no', 'a '.repeat(60), "it's", '{', ']'];

/** Values of JSON, five levels deep at most. `more` are keys and texts that the reader at hand takes care of. */
export function jsonTrees(
  more: { readonly keys?: readonly string[]; readonly texts?: readonly string[] } = {},
): fc.Arbitrary<unknown> {
  const scalars = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom(...awkwardTexts, ...(more.texts ?? [])),
  );
  const names = more.keys === undefined ? keys : fc.oneof(keys, fc.constantFrom(...more.keys));
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      scalars,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(names, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  return tree;
}

/** Options of yaml's `stringify`, and the line end to write. */
export const yamlStyles = fc.record({
  indent: fc.constantFrom(2, 3, 4),
  indentSeq: fc.boolean(),
  collectionStyle: fc.constantFrom('any' as const, 'flow' as const),
  defaultStringType: fc.constantFrom(
    'PLAIN' as const,
    'QUOTE_SINGLE' as const,
    'QUOTE_DOUBLE' as const,
    'BLOCK_LITERAL' as const,
    'BLOCK_FOLDED' as const,
  ),
  lineEnd: fc.constantFrom('\n', '\r\n'),
});
