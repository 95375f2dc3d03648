import { describe, expect, it } from 'vitest';
import { annotationNames } from '../../../schemas/state/schemaAnnotations';
import { keywordsOf } from '../../../schemas/state/schemaKeywords';
import { loadStateSchema } from '../../../schemas/state/stateSchema';
import metaSchema from '../../../schemas/state/stateSchema.schema.json';
import {
  annotationValues,
  keywordMarkdown,
  keywordReference,
} from '../../../server/src/languageService/schema/keywordReference';

const dialects = ['2020-12', 'draft-07'] as const;

describe('the keyword reference', () => {
  it('has exactly the keywords of both dialects and the annotations', () => {
    const known = new Set([
      ...dialects.flatMap((dialect) => [...keywordsOf(dialect).keys()]),
      ...annotationNames,
    ]);
    expect([...keywordReference.keys()].sort()).toEqual([...known].sort());
  });

  it.each(dialects)('links the specification for every keyword of %s', (dialect) => {
    for (const keyword of keywordsOf(dialect).keys()) {
      expect(keywordReference.get(keyword)?.spec?.[dialect], keyword).toMatch(
        /^https:\/\/json-schema\.org\//,
      );
    }
    for (const [keyword, { spec }] of keywordReference) {
      if (!keywordsOf(dialect).has(keyword)) expect(spec?.[dialect], keyword).toBeUndefined();
    }
  });

  it('says what each value of an annotation means', () => {
    for (const name of ['x-merge', 'x-evict', 'x-writer'] as const) {
      expect(Object.keys(annotationValues[name] ?? {})).toEqual(metaSchema.$defs[name].enum);
    }
  });

  it('shows examples that are valid schemas', () => {
    for (const [keyword, { example }] of keywordReference) {
      if (example === undefined || example.includes('$ref')) continue;
      const { problems } = loadStateSchema({ path: 'a.yaml', text: example });
      const dialect07 = loadStateSchema({
        path: 'a.yaml',
        text: `$schema: http://json-schema.org/draft-07/schema#\n${example.replace(/^\$schema.*/, '')}`,
      });
      const errors = [problems, dialect07.problems].map((found) =>
        found.filter(({ code }) => code !== 'state.untyped-root' && code !== 'state.root-not-object'),
      );
      expect(
        errors.some((found) => found.length === 0),
        `${keyword}: ${JSON.stringify(errors)}`,
      ).toBe(true);
      expect(example, keyword).toContain(`${keyword}:`);
    }
  });

  it('writes an entry as Markdown', () => {
    expect(keywordMarkdown('maxItems', '2020-12')).toMatchInlineSnapshot(`
      "How many items the array may have at most.

      Without it the list can grow for as long as the run goes on, and each prompt with it. Together with \`x-merge\` and \`x-evict: oldest\` the oldest items give way; without \`x-evict\` a patch that exceeds it is rejected.

      \`\`\`yaml
      maxItems: 20
      \`\`\`

      [Specification](https://json-schema.org/draft/2020-12/json-schema-validation#section-6.4.1) · [Guide](https://json-schema.org/understanding-json-schema/reference/array#length)"
    `);
    expect(keywordMarkdown('no-such', '2020-12')).toBeUndefined();
  });
});
