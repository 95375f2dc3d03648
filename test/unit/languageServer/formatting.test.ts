import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FormattingOptions, TextEdit } from 'vscode-languageserver-types';
import { parse, stringify } from 'yaml';
import { LineIndex } from '../../../schemas/text/position';
import { parseSourceFile } from '../../../schemas/text/sourceFile';
import { skillWorkspace } from '../../support/skillWorkspace';

const defaults: FormattingOptions = { tabSize: 2, insertSpaces: true };

async function edits(text: string, options: Partial<FormattingOptions> = {}, path = 'state.initial.yaml') {
  const { service, uri } = skillWorkspace({ [path]: text });
  return service.formatting(uri(path), { ...defaults, ...options });
}

function applied(text: string, changes: readonly TextEdit[]): string {
  const lines = new LineIndex(text);
  const ordered = changes
    .map(({ range, newText }) => ({
      start: lines.offsetAt(range.start),
      end: lines.offsetAt(range.end),
      newText,
    }))
    .sort((a, b) => a.start - b.start);
  let result = '';
  let at = 0;
  for (const { start, end, newText } of ordered) {
    expect(start, 'edits do not overlap').toBeGreaterThanOrEqual(at);
    result += text.slice(at, start) + newText;
    at = end;
  }
  return result + text.slice(at);
}

async function formatted(text: string, options?: Partial<FormattingOptions>, path?: string): Promise<string> {
  return applied(text, await edits(text, options, path));
}

describe('formatting YAML', () => {
  test('normalises indentation, spaces and blank lines', async () => {
    const text = [
      '',
      '# the state',
      'type:   object',
      'required:',
      '- a',
      '-   b',
      '',
      '',
      'properties :',
      '      # of a',
      '      a:    {type: string,maxLength:  24 ,  x: [1,2]}   # inline',
      '      b:',
      '          type: array',
      '          # before items',
      '          items:   ',
      '              - x:  1',
      '                y:  2',
      '',
      '',
      '              -   - deep',
      '                  - er',
      '      # after b',
      '# at the end',
      '',
      '',
      '',
    ].join('\n');
    expect((await formatted(text)).split('\n')).toEqual([
      '# the state',
      'type: object',
      'required:',
      '  - a',
      '  - b',
      '',
      'properties:',
      '  # of a',
      '  a: {type: string, maxLength: 24, x: [1, 2]} # inline',
      '  b:',
      '    type: array',
      '    # before items',
      '    items:',
      '      - x: 1',
      '        y: 2',
      '',
      '      - - deep',
      '        - er',
      '  # after b',
      '# at the end',
      '',
    ]);
  });

  test('moves block texts as they are', async () => {
    const text =
      'a:\n      b: |\n            one\n              two\n\n            # no comment\n      # a comment\n      c: >-2\n          x\n      d: |+\n        y\n\n\n';
    expect(await formatted(text)).toBe(
      'a:\n  b: |\n    one\n      two\n\n    # no comment\n  # a comment\n  c: >-2\n      x\n  d: |+\n    y\n\n\n',
    );
  });

  test('indents what goes over several lines', async () => {
    const text =
      'a: [\n 1,\n     {\n b: 2\n }\n ]\nc: "one\n      two\n\n   three"\nd:\n         plain\n         text\ne: {\n     f: 1 # f\n     # g\n }\n';
    expect(await formatted(text)).toBe(
      'a: [\n  1,\n  {\n    b: 2\n  }\n]\nc: "one\n  two\n\n  three"\nd:\n  plain\n  text\ne: {\n  f: 1 # f\n  # g\n}\n',
    );
  });

  test('keeps anchors, aliases, quotes and empty values', async () => {
    const text = 'a:   &one\n    x:  \'1\'\nb:    *one\n? "k"\n:   "v"\nc:\nd:   ~\n*one : 1\n'.replace(
      '*one : 1\n',
      '',
    );
    expect(await formatted(text)).toBe('a: &one\n  x: \'1\'\nb: *one\n? "k"\n: "v"\nc:\nd: ~\n');
  });

  test('takes the size of tabs from the editor and keeps CRLF and the byte order mark', async () => {
    const text = '\uFEFFa:\r\n  b:\r\n  - c:   1\r\n    d: 2\r\n';
    expect(await formatted(text, { tabSize: 4 })).toBe(
      '\uFEFFa:\r\n    b:\r\n        - c: 1\r\n          d: 2\r\n',
    );
  });

  test('adds a final line end only where it is asked for', async () => {
    expect(await formatted('a:  1')).toBe('a: 1');
    expect(await formatted('a:  1', { insertFinalNewline: true })).toBe('a: 1\n');
  });

  test.each([
    ['broken YAML', 'a: [1\nb:   2\n'],
    ['a duplicate key', 'a:   1\na: 2\n'],
    ['tabs', 'a:\n\tb:   1\n'],
    ['two documents', 'a:   1\n---\nb: 2\n'],
    ['carriage returns alone', 'a:   1\rb: 2\n'],
    ['no value', '#   nothing\n\n\n'],
  ])('leaves %s alone', async (_name, text) => {
    expect(await edits(text)).toEqual([]);
  });

  test('changes as little as it can', async () => {
    const text = 'a:\n  b: 1\n  c:   2\n\n\n  d: 3\n';
    expect(await edits(text)).toEqual([
      { range: { start: { line: 2, character: 5 }, end: { line: 2, character: 7 } }, newText: '' },
      { range: { start: { line: 4, character: 0 }, end: { line: 5, character: 0 } }, newText: '' },
    ]);
  });

  test('a state schema is formatted too, whatever it says', async () => {
    const text = 'type:   objekt\nproperties: {  a:  {}}\n';
    expect(await formatted(text, {}, 'state.schema.yaml')).toBe('type: objekt\nproperties: { a: {}}\n');
  });
});

describe('formatting JSON', () => {
  test('indents', async () => {
    const text = '{"type":"object",\r\n"properties":{}}\r\n';
    expect(await formatted(text, {}, 'state.schema.json')).toBe(
      '{\r\n  "type": "object",\r\n  "properties": {}\r\n}\r\n',
    );
  });
  test('leaves broken JSON alone', async () => {
    expect(await edits('{"a":1,}', {}, 'state.schema.json')).toEqual([]);
  });
});

/** Lines of YAML with comments, blank lines and odd indentation, most of which parses. */
const messyYaml = fc
  .record({
    value: fc.dictionary(
      fc.stringMatching(/^[a-z]{1,3}$/),
      fc.letrec((tie) => ({
        value: fc.oneof(
          { maxDepth: 3, withCrossShrink: true },
          fc.oneof(
            fc.integer(),
            fc.boolean(),
            fc.constant(null),
            fc.string({ maxLength: 8 }),
            fc.constantFrom('a\n\n b\n', ' x\ny\n\n', '# c', 'a: b', '- a'),
          ),
          fc.array(tie('value'), { maxLength: 3 }),
          fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), tie('value'), { maxKeys: 3 }),
        ),
      })).value,
      { minKeys: 1, maxKeys: 4 },
    ),
    indent: fc.integer({ min: 1, max: 6 }),
    indentSeq: fc.boolean(),
    width: fc.constantFrom(0, 12, 80),
    flow: fc.boolean(),
    noise: fc.array(fc.constantFrom('', '', 'comment', 'blank', 'trailing', 'spaces'), {
      minLength: 1,
      maxLength: 20,
    }),
    columns: fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 8 }),
  })
  .map(({ value, indent, indentSeq, width, flow, noise, columns }) => {
    const written = stringify(value, {
      indent,
      indentSeq,
      lineWidth: width,
      ...(flow && { collectionStyle: 'flow' as const }),
    });
    return written
      .split('\n')
      .flatMap((line, index) => {
        const comment = `${' '.repeat(columns[index % columns.length] ?? 0)}# note ${index}`;
        switch (noise[index % noise.length]) {
          case 'comment':
            return [comment, line];
          case 'blank':
            return ['', '', line];
          case 'trailing':
            return [`${line}   # end ${index}`];
          case 'spaces':
            return [`${line}  `];
          default:
            return [line];
        }
      })
      .join('\n');
  });

describe('whatever is formatted', () => {
  const read = (text: string) => parseSourceFile({ path: 'x.yaml', text });

  test('keeps its value and comments, and is formatted after once', async () => {
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(messyYaml, fc.constantFrom(2, 3, 4), fc.boolean(), async (lf, tabSize, crlf) => {
        const text = crlf ? lf.replace(/\n/g, '\r\n') : lf;
        const once = await formatted(text, { tabSize });
        const before = read(text);
        if (before.problems.length > 0) {
          expect(once).toBe(text);
          return;
        }
        expect(read(once).root?.value).toEqual(before.root?.value);
        // yaml's own reading, apart from ours.
        expect(parse(once, { uniqueKeys: false })).toEqual(parse(text, { uniqueKeys: false }));
        const notes = (from: string) => from.match(/# (?:note|end) \d+/g) ?? [];
        expect(notes(once)).toEqual(notes(text));
        expect(await formatted(once, { tabSize })).toBe(once);
        if (once !== text) changed++;
      }),
      { numRuns: 300 },
    );
    expect(changed).toBeGreaterThan(100);
  });
});
