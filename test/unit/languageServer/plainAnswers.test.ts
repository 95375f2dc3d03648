// biome-ignore-all lint/suspicious/noTemplateCurlyInString: LSP snippets look like templates.
import { describe, expect, it } from 'vitest';
import { type DocumentSymbol, SymbolKind } from 'vscode-languageserver';
import { completionFor, flatSymbols, hoverFor, snippetText } from '../../../server/src/plainAnswers';

describe('a snippet for clients without', () => {
  it.each([
    ['plain: text', 'plain: text'],
    ['type: ${1:object}$0', 'type: object'],
    ['$1$2${3}', ''],
    ['${1|a,b,c|}-${2|only|}', 'a-only'],
    ['${1:outer ${2:inner} end}', 'outer inner end'],
    ['\\$1 \\} \\\\', '$1 } \\'],
    ['${1|a\\,b,c|}', 'a,b'],
    ['$ 5 and 100$', '$ 5 and 100$'],
    ['{"a": {}}', '{"a": {}}'],
    ['{${1:x}}', '{x}'],
    ['$1abc', 'abc'],
    ['${TM_FILENAME}.', '.'],
    ['${', '${'],
  ])('%j is %j', (snippet, text) => {
    expect(snippetText(snippet)).toBe(text);
  });
});

describe('a completion', () => {
  const item = {
    label: 'type',
    insertTextFormat: 2 as const,
    documentation: { kind: 'markdown' as const, value: '**x**' },
    textEdit: {
      range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
      newText: 'type: ${1:object}',
    },
  };

  it('stays for clients that know all of it', () => {
    expect(completionFor(item, { snippets: true, markdownCompletion: true })).toEqual(item);
  });

  it('has plain texts for the others, and the original is left alone', () => {
    const plain = completionFor(item, { snippets: false, markdownCompletion: false });
    expect(plain).toEqual({
      label: 'type',
      documentation: { kind: 'plaintext', value: '**x**' },
      textEdit: { ...item.textEdit, newText: 'type: object' },
    });
    expect(item.insertTextFormat).toBe(2);
  });
});

it('a hover is plain for clients without Markdown', () => {
  const hover = { contents: { kind: 'markdown' as const, value: '`x`' } };
  expect(hoverFor(hover, { markdownHover: true })).toBe(hover);
  expect(hoverFor(hover, { markdownHover: false })).toEqual({
    contents: { kind: 'plaintext', value: '`x`' },
  });
});

describe('symbols for clients without trees', () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const symbol = (name: string, children: DocumentSymbol[] = []): DocumentSymbol => ({
    name,
    kind: SymbolKind.Property,
    range,
    selectionRange: range,
    children,
  });

  it('are a list in the order of the text', () => {
    const flat = flatSymbols(
      [symbol('a', [symbol('b', [symbol('c')]), symbol('d')]), symbol('e')],
      'file:///x',
    );
    expect(flat.map(({ name, containerName }) => [name, containerName])).toEqual([
      ['a', undefined],
      ['b', 'a'],
      ['c', 'b'],
      ['d', 'a'],
      ['e', undefined],
    ]);
    expect(flat[0]).toEqual({ name: 'a', kind: SymbolKind.Property, location: { uri: 'file:///x', range } });
  });

  it('may be nested as deep as they like', () => {
    let deep = symbol('end');
    for (let level = 0; level < 20_000; level++) deep = symbol('level', [deep]);
    expect(flatSymbols([deep], 'file:///x')).toHaveLength(20_001);
  });
});
