/** Every request about documents that were typed at random: answered, without failures, with ranges of the text as it is. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CompletionList, Position, Range } from 'vscode-languageserver';
import { LineIndex } from '../../../schemas/text/position';
import { LspClient } from '../../support/lspClient';

const samples = join(__dirname, '../../../samples');
const folder = 'file:///nowhere/sample';

/** What breaks texts: markup, ends of lines, halves of pairs, keys that objects are born with. */
const pieces = [
  '`',
  '```json\n',
  '```\n',
  '\n',
  '\r\n',
  '\r',
  '\t',
  '😀',
  '\ud83d',
  '\udc00',
  '\u2028',
  '\0',
  '\uFEFF',
  '---\n',
  ': ',
  '- ',
  '&a ',
  '*a',
  '{',
  ']',
  '"',
  '"😀',
  '[😀',
  ': a\n  b\n',
  '|\n',
  '# Actions\n',
  'properties:\n',
  '$ref: "#"\n',
  '$ref: other.yaml#/a\n',
  'allOf: [{$ref: "#"}]\n',
  '__proto__: 1\n',
  'metadata:\n  state-schema: other.yaml\n',
  '1e999',
  '['.repeat(300),
];

/** Numbers that look random and are the same in every run (a linear congruential generator). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const atPosition = ['completion', 'hover', 'definition', 'prepareRename', 'references', 'rename'];
const ofDocument = [
  'diagnostic',
  'codeAction',
  'documentSymbol',
  'foldingRange',
  'selectionRange',
  'documentLink',
  'formatting',
  'semanticTokens/full',
  'inlayHint',
  'codeLens',
];

/** Of no text. */
const noRange: Range = { start: { line: -1, character: -1 }, end: { line: -1, character: -1 } };

/** Every range in an answer, with the document that it is about. */
function rangesIn(answer: unknown, uri: string, found: { uri: string; range: Range }[] = []) {
  if (Array.isArray(answer)) {
    for (const one of answer) rangesIn(one, uri, found);
  } else if (typeof answer === 'object' && answer !== null) {
    let about = uri;
    if ('uri' in answer && typeof answer.uri === 'string') about = answer.uri;
    if ('textDocument' in answer) about = (answer.textDocument as { uri: string }).uri;
    if ('start' in answer && 'end' in answer) found.push({ uri: about, range: answer as Range });
    else for (const value of Object.values(answer)) rangesIn(value, about, found);
  }
  return found;
}

describe('documents typed at random', () => {
  it.each([1, 2, 3])('are answered about in every way (%i)', { timeout: 60_000 }, async (seed) => {
    const below = numbers(seed);
    const client = await LspClient.start();
    const texts: Record<string, string> = {
      'SKILL.md': readFileSync(join(samples, 'warehouse/SKILL.md'), 'utf8'),
      'state.schema.yaml': readFileSync(join(samples, 'warehouse/state.schema.yaml'), 'utf8'),
      'state.initial.yaml': 'items: &x [1, 2]\nb: *x\ninventory:\n  item_1: "shelf\n    3"\nshelf: a\n  b\n',
      'other.yaml': 'a: {type: string}\n',
    };
    expect(existsSync(samples)).toBe(true);
    const uris = Object.keys(texts).map((name) => `${folder}/${name}`);
    for (const [name, text] of Object.entries(texts)) await client.open(`${folder}/${name}`, text);
    const pick = <One>(list: readonly One[]): One => list[below(list.length)] as One;
    const failures: string[] = [];
    const check = (method: string, answer: unknown, asked: string) => {
      for (const { uri, range } of rangesIn(answer, asked)) {
        if (!uris.includes(uri)) continue;
        const lines = new LineIndex(client.text(uri));
        const isExact = ({ line, character }: Position) => {
          const again = lines.positionAt(lines.offsetAt({ line, character }));
          return line >= 0 && again.line === line && again.character === character;
        };
        const isWithinPair = (position: Position) =>
          (client.text(uri).codePointAt(lines.offsetAt(position) - 1) ?? 0) > 0xffff;
        if (!isExact(range.start) || !isExact(range.end))
          failures.push(`${method}: ${JSON.stringify(range)} is not in ${uri}`);
        else if (isWithinPair(range.start) || isWithinPair(range.end))
          failures.push(`${method}: ${JSON.stringify(range)} splits a character of ${uri}`);
        else if (lines.offsetAt(range.start) > lines.offsetAt(range.end))
          failures.push(`${method}: ${JSON.stringify(range)} ends before it starts`);
      }
    };
    /** An editor takes an edit of the line that it asked about, around the place where it asked. */
    const checkCompletion = (answer: unknown, { line, character }: Position) => {
      for (const { textEdit } of (answer as CompletionList).items) {
        const { start, end } = textEdit !== undefined && 'range' in textEdit ? textEdit.range : noRange;
        const isAround = start.character <= character && end.character >= character;
        if (start.line !== line || end.line !== line || !isAround)
          failures.push(`completion at ${line}:${character} edits ${JSON.stringify({ start, end })}`);
      }
    };
    for (let step = 0; step < 120; step++) {
      const uri = pick(uris);
      const text = client.text(uri);
      const lines = new LineIndex(text);
      const at = below(text.length + 1);
      const end = below(3) > 0 ? at : Math.min(text.length, at + below(30));
      await client.change(uri, [{ range: lines.rangeOf(at, end), text: below(4) === 0 ? '' : pick(pieces) }]);
      const now = new LineIndex(client.text(uri));
      const asked = Math.min(at + below(20), client.text(uri).length);
      // No editor's cursor stands within a character.
      const isWithin = (client.text(uri).codePointAt(asked - 1) ?? 0) > 0xffff;
      const position = now.positionAt(isWithin ? asked - 1 : asked);
      const whole = now.rangeOf(0, client.text(uri).length);
      const methods = step % 10 === 0 ? [...atPosition, ...ofDocument] : [pick(atPosition), pick(ofDocument)];
      for (const method of methods) {
        const answer = client.request<unknown>(`textDocument/${method}`, {
          textDocument: { uri },
          position,
          positions: [position],
          range: whole,
          context: { diagnostics: [], includeDeclaration: true },
          options: { tabSize: 2, insertSpaces: true },
          newName: pick(['renamed', 'a b', '😀', '', '__proto__']),
        });
        await answer.then(
          (result) => {
            check(method, result, uri);
            if (method === 'completion') checkCompletion(result, position);
          },
          // A name that can't be used is refused (RequestFailed); everything else is a failure.
          ({ code, message }: { code: number; message: string }) => {
            if (method !== 'rename' || code !== -32803) failures.push(`${method}: ${code} ${message}`);
          },
        );
      }
    }
    expect(failures).toEqual([]);
    expect(client.log).toEqual([]);
    expect(await client.stop()).toBe(0);
  });
});

describe('fixes of many findings', () => {
  it('are looked for in a few of them, so that nobody waits', async () => {
    const client = await LspClient.start();
    const uri = `${folder}/state.schema.yaml`;
    await client.open(uri, `type: object\n${'type: object\n'.repeat(10_000)}`);
    const { length } = await client.diagnostics(uri);
    expect(length).toBeGreaterThan(500);
    const all = { start: { line: 0, character: 0 }, end: { line: 10_001, character: 0 } };
    const actions = await client.codeActions(uri, all);
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.length).toBeLessThan(50);
    await client.stop();
  });
});
