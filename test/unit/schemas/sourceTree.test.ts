import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Lexer, parseDocument } from 'yaml';
import { parseJsonDocument } from '../../../schemas/text/jsonDocument';
import {
  maxSourceLength,
  propertyAt,
  type SourceDocument,
  type SourceNode,
} from '../../../schemas/text/sourceTree';
import { YamlDepth } from '../../../schemas/text/yamlDepth';
import { parseYamlDocument } from '../../../schemas/text/yamlDocument';

/** Each finding as `kind «marked text»`. */
function findings(text: string, { problems }: SourceDocument): string[] {
  return problems.map(({ kind, start, end }) => `${kind} «${text.slice(start, end)}»`);
}

function yaml(text: string): string[] {
  return findings(text, parseYamlDocument(text));
}

function json(text: string): string[] {
  return findings(text, parseJsonDocument(text));
}

/** Every node's path with the text it stands at. */
function places(text: string, root: SourceNode | undefined): string[] {
  const found: string[] = [];
  function walk(node: SourceNode, path: string): void {
    found.push(`${path} «${text.slice(node.start, node.end)}»`);
    for (const [key, { node: child }] of node.properties ?? []) walk(child, `${path}/${key}`);
    node.items?.forEach((item, index) => {
      walk(item, `${path}/${index}`);
    });
  }
  if (root !== undefined) walk(root, '');
  return found;
}

describe('YAML', () => {
  test.each([
    ['a key without a colon', 'type: object\nproperties\n  a: 1\n', 13, /a colon is missing/],
    ['a colon without a space', 'a:1\nb: 2\n', 0, /the space after its colon/],
    ['a colon without a space, last', 'a: 1\nb:2\n', 5, /the space after its colon/],
    ['an unclosed brace', 'a: {type: string\nb: 1\n', 17, /close every \{ with \}/],
    ['an unclosed bracket', 'a: [1, 2\nb: 1\n', 9, /every \[ with \]/],
    ['an unclosed bracket at the end', 'a: [1, 2', 8, /every \[ with \]/],
    ['a double quote', 'a: "x\nb: 1\n', 11, /close it with the quotation mark/],
    ['a single quote', "a: 'x\n", 6, /close it with the quotation mark/],
    ['a key between two columns', 'a:\n  b: 1\n c: 2\n', 10, /in the same column/],
    ['a key in another column', '  a: 1\nb: 2\n', 7, /in the same column/],
    ['a brace too many', 'a: {b: 1}}\n', 9, /a bracket or quotation mark too many/],
    ['text after quotes', 'a: "x" y\n', 7, /quotation mark too many/],
    ['a missing comma', '{a: 1 b: 2}', 4, /a comma is missing/],
    ['a reserved character', 'a: @x\n', 3, /in quotes/],
    ['a backslash', 'a: "\\d"\n', 4, /double it/],
  ])('says what to do about %s', (_name, text, start, advice) => {
    const { problems } = parseYamlDocument(text);
    expect(problems.map((problem) => [problem.kind, problem.start])).toEqual([['syntax', start]]);
    expect(problems[0]?.message).toMatch(/^This is not valid YAML: .*\.$/);
    expect(problems[0]?.message).toMatch(advice);
    expect(problems[0]?.message).not.toMatch(/implicit|flow|token|scalar/i);
  });
  test('values are JSON’s, with their places', () => {
    const text = 'a: 1 # one\nb:\n  - "x"\n  - {c: null, d: ~}\n404: |\n  text\n';
    const { root, problems } = parseYamlDocument(text);
    expect(problems).toEqual([]);
    expect(root?.value).toEqual({ a: 1, b: ['x', { c: null, d: null }], '404': 'text\n' });
    expect(places(text, root).slice(1).sort()).toEqual([
      '/404 «|\n  text»',
      '/a «1»',
      '/b «- "x"\n  - {c: null, d: ~}»',
      '/b/0 «"x"»',
      '/b/1 «{c: null, d: ~}»',
      '/b/1/c «null»',
      '/b/1/d «~»',
    ]);
  });
  test('an alias has its own place and its anchor’s children', () => {
    const text = 'a: &x {k: 1}\nb: *x\n';
    const { root } = parseYamlDocument(text);
    expect(places(text, root)).toContain('/b «*x»');
    expect(root?.value).toEqual({ a: { k: 1 }, b: { k: 1 } });
    expect(root && propertyAt(root, ['b', 'k'])?.keyStart).toBe(7);
  });
  test.each([
    ['the value of a merge key is an ordinary one', 'a: &x {k: 1}\nb:\n  <<: *x', 'unsupported-yaml «<<»'],
    ['an alias to what is around it', 'a: &x [*x]', 'unsupported-yaml «*x»'],
    ['infinity', 'a: .inf', 'unsupported-yaml «.inf»'],
    ['not a number', 'a: .NaN', 'unsupported-yaml «.NaN»'],
    ['an integer beyond doubles', 'a: 12345678901234567890123', 'inexact-number «12345678901234567890123»'],
    ['a timestamp tag', 'a: !!timestamp 2020-01-01', 'unsupported-yaml «!!timestamp»'],
    ['a binary tag', 'a: !!binary aGk=', 'unsupported-yaml «!!binary»'],
    ['a list as key', '? [a]\n: b', 'unsupported-yaml «[a]»'],
    ['the same key as number and text', '1: a\n"1": b', 'duplicate-key «"1"»'],
    ['a key twice', 'a: 1\nb: 2\na: 3', 'duplicate-key «a»'],
    ['a second document', 'a: 1\n---\nb: 2', 'multiple-documents «-»'],
    ['a NUL', 'a: "\0"', 'nul-character «\0»'],
    ['a tab as indentation', 'a:\n\tb: 1', 'tab-indentation «\t»'],
    ['a colon in a value', 'a: b: c', 'unquoted-colon «b»'],
    ['an unclosed bracket', 'a: [1', 'syntax «»'],
  ])('reports %s', (_name, text, finding) => expect(yaml(text)).toEqual([finding]));

  test.each(['2020-01-01', 'yes', 'on', '0o14', '1_000', '12:30'])(
    '%s is a text or a number of the core schema',
    (text) => {
      expect(yaml(`a: ${text}`)).toEqual([]);
    },
  );
  test('dates stay texts', () =>
    expect(parseYamlDocument('%YAML 1.1\n---\na: 2020-01-01\nb: yes').root?.value).toEqual({
      a: '2020-01-01',
      b: 'yes',
    }));
  test('an empty text has no value', () =>
    expect(parseYamlDocument('# nothing\n')).toEqual({ root: undefined, problems: [] }));
  test('only the first syntax error is reported', () => {
    expect(yaml('a: @x\nb: `c`\nc: [\n')).toHaveLength(1);
    expect(yaml('}'.repeat(10_000))).toHaveLength(1);
  });
  test('aliases that multiply are refused', () => {
    const levels = Array.from({ length: 30 }, (_, level) => `- &a${level + 1} [*a${level}, *a${level}]`);
    const { root, problems } = parseYamlDocument(`- &a0 [x]\n${levels.join('\n')}`);
    expect(root).toBeUndefined();
    expect(problems.map(({ kind }) => kind)).toEqual(['too-large']);
  });
  test('a long text is refused', () => {
    expect(parseYamlDocument('a'.repeat(maxSourceLength + 1)).problems.map(({ kind }) => kind)).toEqual([
      'too-large',
    ]);
  });
  test('the deepest texts that are read can be read again', () => {
    const text = Array.from({ length: 199 }, (_, depth) => `${' '.repeat(depth)}- a:`).join('\n');
    for (let round = 0; round < 3; round++) {
      expect(parseYamlDocument(text).problems.map(({ kind }) => kind)).toEqual(['too-deep']);
      expect(parseYamlDocument(`${'['.repeat(199)}${']'.repeat(199)}`).problems).toEqual([]);
    }
  });
  test('offsets are into the whole file', () => {
    const { problems, root } = parseYamlDocument('a: 1\na: 2', { offset: 100 });
    expect(problems.map(({ start, end }) => [start, end])).toEqual([[105, 106]]);
    expect(root?.start).toBe(100);
  });
  test('`__proto__` is a key like any other', () => {
    const { root } = parseYamlDocument('__proto__: {a: 1}\nconstructor: 2');
    expect(Object.keys(root?.value ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(root?.value)).toBe(Object.prototype);
  });
});

describe('texts made to hurt', () => {
  /** A quarter of a megabyte of one thing after the other, each of which once cost seconds, memory or the stack. */
  const pieces = [
    ',',
    '[',
    '{',
    '}',
    '"',
    "'",
    '!',
    '! ',
    '&a ',
    '*a\n',
    '? ',
    ': ',
    '- ',
    '%x\n',
    '---\n',
    'a: |\n',
    '}: a\n',
    'a: b\nc\n',
    'a: b: c\n',
    'a: 1\n',
    '\t',
    '\r',
    '\n',
    '\0',
    '😀',
    '\uFEFF',
  ];
  test.each(pieces)('a quarter of a megabyte of %j is read or refused', (piece) => {
    const text = piece.repeat(Math.ceil(250_000 / piece.length)).slice(0, 250_000);
    for (const { problems } of [parseYamlDocument(text), parseJsonDocument(text)]) {
      expect(problems.length).toBeLessThanOrEqual(1_001);
      expect(problems.every(({ start, end }) => start >= 0 && start <= end && end <= text.length)).toBe(true);
    }
  });
  test('mistakes cost no stack traces, and those of others keep theirs', () => {
    const before = Error.stackTraceLimit;
    parseYamlDocument('[,,,]');
    expect(Error.stackTraceLimit).toBe(before);
  });
});

describe('depth', () => {
  const pieces = fc.constantFrom(
    'a',
    ': ',
    '- ',
    '? ',
    '\n',
    '  ',
    ' ',
    '[',
    ']',
    '{',
    '}',
    ',',
    '"',
    "'",
    '|\n',
    '# ',
    '&a ',
    '!t ',
    '\t',
    '---\n',
  );

  /** How many collections are in each other in yaml's own tree. */
  function depthOf(node: unknown): number {
    if (typeof node !== 'object' || node === null) return 0;
    if ('key' in node && 'value' in node) return Math.max(depthOf(node.key), depthOf(node.value));
    if (!('items' in node) || !Array.isArray(node.items)) return 0;
    return 1 + Math.max(0, ...node.items.map(depthOf));
  }

  test('a text that passes is not deeper than two collections a level', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), fc.integer({ min: 1, max: 6 }), (parts, limit) => {
        const text = parts.join('');
        const depth = new YamlDepth(limit);
        for (const lexeme of new Lexer().lex(text)) depth.add(lexeme);
        if (depth.tooDeepAt !== undefined) return;
        const { contents } = parseDocument(text, {
          logLevel: 'silent',
          uniqueKeys: false,
          prettyErrors: false,
        });
        expect(depthOf(contents)).toBeLessThanOrEqual(2 * limit + 1);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('JSON', () => {
  test('values with their places', () => {
    const text = '{"a": [1, {"b": null}]}';
    const { root, problems } = parseJsonDocument(text);
    expect(problems).toEqual([]);
    expect(root?.value).toEqual({ a: [1, { b: null }] });
    expect(places(text, root)).toEqual([
      ' «{"a": [1, {"b": null}]}»',
      '/a «[1, {"b": null}]»',
      '/a/0 «1»',
      '/a/1 «{"b": null}»',
      '/a/1/b «null»',
    ]);
  });
  test.each([
    ['a trailing comma', '{"a": 1,}', 'syntax «}»'],
    ['a character of two units', '{"a": 😀}', 'syntax «😀»'],
    ['a comment', '{} // x', 'syntax «// x»'],
    ['a key twice', '{"a": 1, "a": 2}', 'duplicate-key «"a"»'],
    ['an integer beyond doubles', '[12345678901234567890123]', 'inexact-number «12345678901234567890123»'],
    ['overflow', '[1e999]', 'inexact-number «1e999»'],
    ['two values', '{} {}', 'syntax «{»'],
    ['an unclosed string', '["a', expect.stringMatching(/^syntax /)],
    ['deep nesting', '['.repeat(100_000), 'too-deep «[»'],
    [
      'brackets in strings are not nesting, quotes end them',
      `["${'['.repeat(500)}\\"", ${'['.repeat(500)}`,
      'too-deep «[»',
    ],
  ])('reports %s', (_name, text, finding) => expect(json(text)).toEqual([finding]));

  test.each(['{"a": 1e20}', '[0.1, -1, 9007199254740991, 100000000000000000000]', '"a"', 'true'])(
    'reads %s',
    (text) => {
      expect(parseJsonDocument(text)).toMatchObject({ problems: [], root: { value: JSON.parse(text) } });
    },
  );
  test('what it reads without findings is what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const { root, problems } = parseJsonDocument(text);
        if (problems.length === 0) expect(JSON.stringify(root?.value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });
  test('a JSON text means the same as YAML', () => {
    const value = fc.jsonValue({ maxDepth: 4, noUnicodeString: true });
    fc.assert(
      fc.property(value, (any) => {
        const text = JSON.stringify(any);
        const read = parseYamlDocument(text);
        if (read.problems.length === 0)
          expect(JSON.stringify(read.root?.value ?? null)).toBe(
            JSON.stringify(parseJsonDocument(text).root?.value),
          );
      }),
    );
  });
});
