import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseSourceFile } from '../../../schemas/text/sourceFile';
import { placeAtOffset, propertyAt, type SourceNode } from '../../../schemas/text/sourceTree';
import { type Cursor, cursorAt, keyText, valueText } from '../../../server/src/languageService/cursor';
import { cursorIn } from '../../support/skillWorkspace';
import { jsonTrees, yamlStyles } from '../../support/yamlTexts';

function cursor(marked: string, format: 'yaml' | 'json' = 'yaml'): Cursor | undefined {
  const { text, offset } = cursorIn(marked);
  return cursorAt(text, offset, format);
}

/** `key /a/b <typed> [siblings]`, with marks for the rest; `-` where there is none. */
function shown(marked: string, format: 'yaml' | 'json' = 'yaml'): string {
  const at = cursor(marked, format);
  if (at === undefined) return '-';
  const marks = [
    at.hasColon ? ' colon' : '',
    at.keyOrValue ? ' either' : '',
    at.needsSpace ? ' space' : '',
    at.needsComma ? ' comma' : '',
  ].join('');
  const siblings = at.siblings.length === 0 ? '' : ` [${at.siblings.join(' ')}]`;
  return `${at.part} /${at.path.join('/')} <${at.typed}>${siblings}${marks}`;
}

describe('the cursor in block-style YAML', () => {
  it.each([
    ['‸', 'key / <> either'],
    ['\n\n‸', 'key / <> either'],
    ['ty‸', 'key / <ty> either'],
    ['type: object\n‸', 'key / <> [type]'],
    ['type: object\npro‸', 'key / <pro> [type]'],
    ['type: object\npro‸\ntitle: x', 'key / <pro> [type title]'],
    ['ty‸pe: object', 'key / <ty> colon'],
    ['type‸: object', 'key / <type> colon'],
    ['type:‸', 'value /type <> space'],
    ['type: ‸', 'value /type <>'],
    ['type:  ‸ # comment', 'value /type <>'],
    ['type: obj‸ect', 'value /type <obj>'],
    ['type: "obj‸ect"', 'value /type <obj>'],
    ['type: "obj‸', 'value /type <obj>'],
    ["type: 'obj‸ect'", 'value /type <obj>'],
    ['"type": ‸', 'value /type <>'],
    ["'ty‸pe': x", 'key / <ty> colon'],
    ['type: object ‸', '-'],
    ['type: object # ‸', '-'],
    ['# ‸', '-'],
    ['type: &a ‸', 'value /type <>'],
    ['type: !!str ob‸', 'value /type <ob>'],
    ['type: *al‸', '-'],
    ['properties:\n  ‸', 'key /properties <> either'],
    ['properties:\n  a‸', 'key /properties <a> either'],
    ['properties:\n  a:\n    type: string\n    ‸', 'key /properties/a <> [type]'],
    ['properties:\n  a:\n    type: string\n  ‸', 'key /properties <> [a]'],
    ['properties:\n  a:\n    type: string\n‸', 'key / <> [properties]'],
    ['properties:\n  a:\n    type: string\n ‸', '-'],
    ['properties:\n  a:\n    type: string\n      ‸', '-'],
    ['properties:\n\n  # comment\n  ‸\n  b: 1', 'key /properties <> [b]'],
    ['properties:\n    ‸\n  b: 1', '-'],
    ['properties:\n‸\n  b: 1', '-'],
    ['properties:\n  ‸\n    b: 1', '-'],
    ['properties:\n  a‸\n    b: 1', 'key /properties <a> either'],
    ['- ‸\n    b: 1', '-'],
    ['a:\n‸\n- b', '-'],
    ['a:\n- b\n‸\n- c', '-'],
    ['a:\n  ‸\n  - b', '-'],
    ['properties:\n  a:\n    ‸\n  b:\n    x: 1\n', 'key /properties/a <> either'],
    ['properties:\n  a: ‸\n    x: 1', '-'],
    ['a: ‸\n- b', '-'],
    ['a: ‸\nb: 1', 'value /a <>'],
    ['- a: ‸\n- b', 'value /0/a <>'],
    ['required:\n  - ‸', 'value /required/0 <> either'],
    ['required:\n  - a\n  - ‸\n  - c', 'value /required/1 <> [a c] either'],
    ['required:\n- a\n- ‸\n- c\ntype: object', 'value /required/1 <> [a c] either'],
    ['required:\n- a\n‸', 'key / <> [required]'],
    ['required:\n  - a\n  ‸', '-'],
    ['required:\n  -‸', '-'],
    ['required:\n  - na‸me', 'value /required/0 <na> either'],
    ['required:\n  - "na‸me"', 'value /required/0 <na>'],
    ['allOf:\n  - type: object\n    ‸', 'key /allOf/0 <> [type]'],
    ['allOf:\n  - type: object\n  - ‸\n    title: x', 'key /allOf/1 <> [title]'],
    ['allOf:\n  - type: object\n  - ti‸', 'value /allOf/1 <ti> either'],
    ['allOf:\n  - a: 1\n  - a: 2\n    b:\n      c: ‸', 'value /allOf/1/b/c <>'],
    ['allOf:\n- a: 1\n- a: 2\n  b: ‸', 'value /allOf/1/b <>'],
    ['- - a\n  - ‸', 'value /0/1 <> [a] either'],
    ['- - a\n- - b\n  - c: 1\n    ‸', 'key /1/1 <> [c]'],
    ['x:\n  - a\n  -\n    ‸', 'key /x/1 <> either'],
    ['a: 1\n---\nb: ‸', 'value /b <>'],
    ['%YAML 1.2\n---\n‸', 'key / <> either'],
    ['---\ntype: ‸', 'value /type <>'],
    ['\uFEFFtype: ‸', 'value /type <>'],
    ['\uFEFFty‸', 'key / <ty> either'],
    ['type: object\r\nproperties:\r\n  a:\r\n    ‸', 'key /properties/a <> either'],
    ['type: object\rproperties:\n  a:\r\n    ty‸\r\n', 'key /properties/a <ty> either'],
    ['type:\tob‸', 'value /type <ob>'],
    ['a:\n\t‸', '-'],
    ['"😀": 1\nb:\n  - "😀": ‸', 'value /b/0/😀 <>'],
    ['__proto__:\n  constructor: ‸', 'value /__proto__/constructor <>'],
    ['? a\n: ‸', '-'],
  ])('%j is %s', (marked, expected) => {
    expect(shown(marked)).toBe(expected);
  });

  it('is nowhere in block scalars', () => {
    for (const header of ['|', '>', '|-', '>+', '|2', '>-1 # comment', '&a |', '!!str >']) {
      expect(shown(`a: ${header}\n    text: x\n    ‸`)).toBe('-');
      expect(shown(`a: ${header}\n    text: ‸`)).toBe('-');
      expect(shown(`a: ${header}\n    te‸xt\nb: 1`)).toBe('-');
      expect(shown(`- ${header}\n  text: ‸`)).toBe('-');
      expect(shown(`a: ${header}\n  text\n‸\n  more`)).toBe('-');
      expect(shown(`a: ${header}\n  text\nb: ‸`)).toBe('value /b <>');
    }
    expect(shown('--- |\n  a: ‸')).toBe('-');
    expect(shown('a: |‸')).toBe('-');
  });

  it('reads scalars of several lines', () => {
    const plain = cursor('a: so‸me\n  more words\nb: 1');
    expect(plain?.replace).toEqual({ start: 3, end: 20 });
    expect(shown('a: some\n  mo‸re')).toBe('-');
    expect(cursor('a: "so‸me\n  more" \nb: 1')?.replace).toEqual({ start: 3, end: 16 });
    expect(shown('a: "some\n  b: mo‸re"\nb: 1')).toBe('value /a <some\n  b: mo>');
    expect(shown('a: "x‸\nb: "y"')).toBe('value /a <x>');
    expect(cursor('p:\n  a: x‸\n    b: 1')?.replace).toEqual({ start: 8, end: 9 });
  });

  it('says how lines below a key are indented', () => {
    expect(cursor('‸')?.childIndent).toBe('  ');
    expect(cursor('a:\n    b: 1\n‸')?.childIndent).toBe('    ');
    expect(cursor('a:\n    b‸')?.childIndent).toBe('        ');
    expect(cursor('a:\n  - ‸')?.childIndent).toBe('      ');
    expect(cursor('a:\n  - b: 1\n    ‸')?.childIndent).toBe('      ');
  });
});

describe('the cursor in flow-style YAML', () => {
  it.each([
    ['a: {‸', 'key /a <>'],
    ['a: {b: 1, ‸}', 'key /a <> [b]'],
    ['a: {b: 1, c‸}', 'key /a <c> [b]'],
    ['a: {b‸: 1, c: 2}', 'key /a <b> [c] colon'],
    ['a: {b: ‸}', 'value /a/b <>'],
    ['a: {b:‸}', 'value /a/b <> space'],
    ['a: {b: [x, ‸', 'value /a/b/1 <> [x]'],
    ['a: [x, y‸z]', 'value /a/1 <y> [x]'],
    ['a: [x, "y‸z", w]', 'value /a/1 <y> [x w]'],
    ['a: [x ‸]', '-'],
    ['a: [x] ‸', '-'],
    ['a: [\n  x,\n  ‸\n]\nb: 1', 'value /a/1 <> [x]'],
    ['a: [\n  x, # no ‸\n]', '-'],
    ['a: [\n‸\n]', 'value /a/0 <>'],
    ['{a: 1,\n‸\n}', 'key / <> [a]'],
    ['{\n"a": {\n"b": ‸\n}\n}', 'value /a/b <>'],
    ['- {a: 1}\n- {b: ‸', 'value /1/b <>'],
    ['a: [b: ‸]', 'value /a/0/b <>'],
    ["a: {'b c': ‸}", 'value /a/b c <>'],
    ['a: {‸b: 1}', 'key /a <> colon'],
    ['a: {‸ b: 1}', 'key /a <> [b] comma'],
    ['a: [‸ b]', 'value /a/0 <> [b] comma'],
    ['p:\n  a: {x: 1,\n    y: {z: ‸', 'value /p/a/y/z <>'],
    ['a: [x\nb: ‸', 'value /b <>'],
  ])('%j is %s', (marked, expected) => {
    expect(shown(marked)).toBe(expected);
  });
});

describe('the cursor in JSON', () => {
  it.each([
    ['‸', 'value / <>'],
    ['{‸}', 'key / <>'],
    ['{ty‸}', 'key / <ty>'],
    ['{"ty‸"}', 'key / <ty>'],
    ['{"ty‸}', 'key / <ty>'],
    ['{"type"‸: 1}', 'key / <type> colon'],
    ['{"a": ""‸}', 'value /a <>'],
    ['{"a":‸ "b"}', '-'],
    ['{"a":‸ {}}', '-'],
    ['‸ {}', '-'],
    ['{"a": "‸', 'value /a <>'],
    ['{"a": ‸"b"}', 'value /a <>'],
    ['{"type" ‸: 1}', '-'],
    ['{"type": ‸}', 'value /type <>'],
    ['{"type":‸', 'value /type <>'],
    ['{"type": "s‸tring"}', 'value /type <s>'],
    ['{"type": tr‸}', 'value /type <tr>'],
    ['{"a": {"b": [1, {"c": ‸', 'value /a/b/1/c <>'],
    ['{"a": 1,\n  ‸\n}', 'key / <> [a]'],
    ['{"a": 1,\n  ‸\n  "b": 2}', 'key / <> [a b] comma'],
    ['{"a": 1\n  "b‸"}', 'key / <b> [a]'],
    ['{"a": ‸\n "b": 2}', 'value /a <> comma'],
    ['{"a": ["x", ‸, "z"]}', 'value /a/1 <> [x z]'],
    ['{"a": ["x", "‸"]}', 'value /a/1 <> [x]'],
    ['{"a": 1} ‸', '-'],
    ['{"a": 1 ‸}', '-'],
    ['\uFEFF{"a": ‸}', 'value /a <>'],
    ['{"\\u0061": ‸}', 'value /a <>'],
    ['{"__proto__": {‸', 'key /__proto__ <>'],
  ])('%j is %s', (marked, expected) => {
    expect(shown(marked, 'json')).toBe(expected);
  });

  it('reads a part of a text, with offsets of the whole', () => {
    const text = '```json\n{"a": "b"}\n```';
    const at = cursorAt(text, 16, 'json', { start: 8, end: 18 });
    expect(at?.path).toEqual(['a']);
    expect(at?.replace).toEqual({ start: 14, end: 17 });
    expect(cursorAt(text, 2, 'json', { start: 8, end: 18 })).toBeUndefined();
  });
});

describe('what is written at the cursor', () => {
  const strings = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'ab:#-?[]{},&*!|>\'"%@`~ .0123xoe+\\\n\t'.split('')) }),
    fc.constantFrom(
      'null',
      '~',
      'true',
      '1',
      '0x1',
      '.5',
      '.inf',
      '-.INF',
      '.nan',
      '1e3',
      '<<',
      '---',
      '...',
      'yes',
    ),
  );

  it.each(['a: ‸', 'a: [‸]', 'a: {b: ‸}', "a: 'x‸'", 'a: "x‸"', 'a:‸'])(
    'a value in %j is read back',
    (marked) => {
      fc.assert(
        fc.property(
          fc.jsonValue().chain((value) => fc.oneof(strings, fc.constant(value))),
          (value) => {
            const { text, offset } = cursorIn(marked);
            const at = cursorAt(text, offset, 'yaml');
            if (at === undefined) throw new Error('no cursor');
            const json: unknown = JSON.parse(JSON.stringify(value));
            const after = replaced(text, at, valueText(at, json as Parameters<typeof valueText>[1]));
            const { root, problems } = parseSourceFile({ path: 'a.yaml', text: after });
            expect(
              problems.filter(({ kind }) => kind !== 'inexact-number' && kind !== 'nul-character'),
            ).toEqual([]);
            const read = JSON.stringify(root?.value);
            expect(read).toBe(
              JSON.stringify(
                marked.includes('[')
                  ? { a: [json] }
                  : marked.includes('{')
                    ? { a: { b: json } }
                    : { a: json },
              ),
            );
          },
        ),
      );
    },
  );

  it.each(['‸', 'a:\n  ‸', 'a: {‸}', "'x‸'", '"x‸": 1', '- ‸'])('a key in %j is read back', (marked) => {
    fc.assert(
      fc.property(strings, (key) => {
        const { text, offset } = cursorIn(marked);
        const at = cursorAt(text, offset, 'yaml');
        if (at === undefined) throw new Error('no cursor');
        const after = replaced(text, at, keyText(at, key));
        const { root, problems } = parseSourceFile({ path: 'a.yaml', text: after });
        expect(problems).toEqual([]);
        const keys: string[] = [];
        collectKeys(root, keys);
        expect(keys).toContain(key);
      }),
    );
  });

  it('writes JSON', () => {
    const at = cursor('{"a": ‸}', 'json');
    const key = cursor('{"a‸": 1}', 'json');
    if (at === undefined || key === undefined) throw new Error('no cursor');
    expect(valueText(at, 'x"')).toBe('"x\\""');
    expect(valueText(at, { a: [1, true, null] })).toBe('{"a": [1, true, null]}');
    expect(keyText(key, 'b')).toBe('"b"');
    expect(keyText({ ...key, hasColon: false }, 'b')).toBe('"b": ');
  });
});

describe('the cursor and the parsed tree', () => {
  const tree = jsonTrees();

  it('agree in YAML', () => {
    let compared = 0;
    fc.assert(
      fc.property(tree, yamlStyles, (value, { lineEnd, ...style }) => {
        const text = stringify(value, style).replaceAll('\n', lineEnd);
        const { root } = parseSourceFile({ path: 'a.yaml', text });
        for (const offset of offsetsOf(root)) compared += compare(text, offset, 'yaml', root);
      }),
      { numRuns: 400 },
    );
    expect(compared).toBeGreaterThan(1_000);
  });

  it('agree in JSON', () => {
    fc.assert(
      fc.property(tree, fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const { root } = parseSourceFile({ path: 'a.json', text });
        for (const offset of offsetsOf(root)) compare(text, offset, 'json', root);
      }),
      { numRuns: 400 },
    );
  });

  it('gives up on what is too deep for any reader, and takes what is long', () => {
    const deep = 10_000;
    expect(shown(`${'['.repeat(deep)}‸`, 'json')).toBe('-');
    expect(shown(`${'{"a":'.repeat(deep)}‸`, 'json')).toBe('-');
    expect(shown(`a: ${'['.repeat(deep)}‸`)).toBe('-');
    expect(shown(`${'- '.repeat(deep)}‸`)).toBe('-');
    const lines = Array.from({ length: 1_000 }, (_, level) => `${' '.repeat(level)}a:\n`).join('');
    expect(shown(`${lines}${' '.repeat(1_000)}‸`)).toBe('-');
    expect(shown(`a: ${'x'.repeat(5_000_000)}\nb: ‸`)).toBe('value /b <>');
    expect(shown(`a: ${'"\\"'.repeat(1_000_000)}\nb: ‸`)).toBe('value /b <>');
    expect(shown(`[${'"a\n'.repeat(200_000)}‸`)).toBeDefined();
    expect(shown(`a: [${"'b, ".repeat(200_000)}‸`)).toBeDefined();
  });

  it('never throws, whatever the text', () => {
    const unit = fc.constantFrom(
      ...'ab: \n\r\t-[]{},"\'#|>&*!?%\uFEFF'.split(''),
      '- ',
      ': ',
      '\n  ',
      '---\n',
      '😀',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), fc.nat(60), (text, at) => {
        for (const format of ['yaml', 'json'] as const) {
          const found = cursorAt(text, Math.min(at, text.length), format);
          if (found === undefined) continue;
          expect(found.replace.start).toBeLessThanOrEqual(Math.min(at, text.length));
          expect(found.replace.end).toBeGreaterThanOrEqual(Math.min(at, text.length));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

function replaced(text: string, { replace }: Cursor, by: string): string {
  return text.slice(0, replace.start) + by + text.slice(replace.end);
}

function collectKeys(node: SourceNode | undefined, keys: string[]): void {
  for (const [key, { node: child }] of node?.properties ?? []) {
    keys.push(key);
    collectKeys(child, keys);
  }
  for (const item of node?.items ?? []) collectKeys(item, keys);
}

/** The middle of every key and scalar. */
function offsetsOf(root: SourceNode | undefined): number[] {
  if (root === undefined) return [];
  if (root.properties === undefined && root.items === undefined) {
    return root.end > root.start ? [Math.floor((root.start + root.end) / 2)] : [];
  }
  const keys = [...(root.properties?.values() ?? [])].map(({ keyStart, keyEnd }) =>
    Math.floor((keyStart + keyEnd) / 2),
  );
  const children = [...(root.properties?.values() ?? [])].map(({ node }) => node).concat(root.items ?? []);
  return [...keys, ...children.flatMap(offsetsOf)];
}

/** 1 where the two were compared. Block scalars have no cursor, nor has what the later lines of a scalar show. */
function compare(
  text: string,
  offset: number,
  format: 'yaml' | 'json',
  root: SourceNode | undefined,
): number {
  if (root === undefined) return 0;
  const place = placeAtOffset(root, offset);
  if (place === undefined) return 0;
  const { keyStart, keyEnd, node } = place.property;
  const [start, end] = place.part === 'key' ? [keyStart, keyEnd] : [node.start, node.end];
  if (/^[|>?]|\n/.test(text.slice(start, end)) || /\? $/.test(text.slice(Math.max(0, start - 2), start)))
    return 0;
  const at = cursorAt(text, offset, format);
  const message = `${JSON.stringify(text)} at ${offset}`;
  expect(at, message).toBeDefined();
  const path = place.part === 'key' ? place.path.slice(0, -1) : place.path;
  const isRootKey = place.path.length === 0 && format === 'yaml';
  expect(at && { path: at.path, part: isRootKey ? 'value' : at.part, replace: at.replace }, message).toEqual({
    path,
    part: place.part,
    replace: { start, end },
  });
  at?.path.forEach((_, index) => {
    const parent = propertyAt(root, at.path.slice(0, index))?.node;
    const property = propertyAt(root, at.path.slice(0, index + 1));
    if (parent?.properties !== undefined) expect(at.pathStarts[index], message).toBe(property?.keyStart);
  });
  if (at?.part === 'key') {
    const keys = [...(propertyAt(root, path)?.node.properties ?? [])].filter(
      ([key]) => key !== place.path.at(-1),
    );
    const found = new Map(at.siblings.map((key, index) => [key, at.siblingStarts[index]]));
    // Explicit keys are passed over.
    for (const [key, property] of keys) {
      if (/[?][ ]$/.test(text.slice(Math.max(0, property.keyStart - 2), property.keyStart))) continue;
      expect(found.get(key), message).toBe(property.keyStart);
    }
  }
  return 1;
}
