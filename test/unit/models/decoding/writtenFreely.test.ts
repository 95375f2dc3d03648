/** What a grammar leaves to the model: thoughts and texts in any script and of any kind, as the runtime takes them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namedTexts } from '../../../../client/src/models/decoding/actionTexts';
import { type Dialect, replyConstraint } from '../../../../client/src/models/decoding/replyConstraint';
import { findLastJsonBlock } from '../../../../client/src/runtime/fencedBlock';
import { parseReply } from '../../../../client/src/runtime/replyParser';
import type { JsonObject } from '../../../../schemas/json/jsonValue';
import { parseActions } from '../../../../schemas/skill/actionSignature';
import { isOfGrammar } from '../../../support/grammarSample';
import { limits, schemaOf } from '../../runtime/schemaOf';

function grammarOf(properties: JsonObject, signatures: string, state: JsonObject = {}): string {
  const { actions } = parseActions({ text: `# Actions\n\n${signatures}\n`, file: 'SKILL.md' });
  const stateSchema = schemaOf({ type: 'object', properties, additionalProperties: false });
  const constraint = replyConstraint({ stateSchema, actions, state }, 'grammar', 'llama.cpp');
  expect(constraint.dropped).toEqual([]);
  if (constraint.kind !== 'grammar') throw new Error('No grammar');
  return constraint.grammar;
}

function replyOf(patch: JsonObject, action = 'Wait', prose = 'So it is.'): string {
  return `${prose}\n\n\`\`\`json\n${JSON.stringify({ state_patch: patch, action })}\n\`\`\``;
}

const properties = { name: { type: 'string' }, short: { type: 'string', maxLength: 3_000 } };
const grammar = grammarOf(properties, '- `Say <words...>`\n- `Find <word>`\n- `Wait`', { name: 'x' });
const takes = (...reply: Parameters<typeof replyOf>) => isOfGrammar(grammar, replyOf(...reply));

describe('a grammar', () => {
  it('lets thoughts have anything but a line that begins with a fence', () => {
    const good = [
      'Parce que c’est l’été 😀.',
      '棚は空です。\n\n次へ。',
      'A `word`, ``two``, an inline ``` fence, {braces} and\ttabs.',
      '- one\n  - two\n\n\tthree\n`four` five\n{"six":7}\n``eight`` nine',
      '  Indented, and a long line: '.padEnd(5_000, 'x '),
      'line\n'.repeat(500).trim(),
    ];
    expect(good.filter((prose) => !takes({}, 'Wait', prose))).toEqual([]);
    const bad = ['```\nx', 'One\n```js\ntwo\n```', 'One\n  ```json\n{}\n```\ntwo', '\ufeff```json\n{}', ''];
    expect(bad.filter((prose) => takes({}, 'Wait', prose))).toEqual([]);
  });

  it('lets texts and actions be in any script, and long', () => {
    const texts = ['été', '棚は空です', '😀', 'a\r\nb\t"c"\\', 'x'.repeat(20_000)];
    expect(texts.filter((name) => !takes({ name }))).toEqual([]);
    expect(takes({ name: 'x'.repeat(20_001) })).toBe(false);
    expect([takes({ short: 'é'.repeat(3_000) }), takes({ short: 'é'.repeat(3_001) })]).toEqual([true, false]);
    const actions = ['Say été', `Say ${'mot '.repeat(1_000)}!`, 'Find été', 'Find 棚'];
    expect(actions.filter((action) => !takes({}, action))).toEqual([]);
  });

  it('has no text in which the block would begin earlier', () => {
    const piece = fc.constantFrom(
      '`',
      '``',
      '```',
      '\n',
      ' ',
      '\t',
      'json',
      '{',
      '}',
      'a',
      'é',
      '\r',
      '\ufeff',
      '\u2028',
    );
    const found = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
        const prose = pieces.join('');
        const reply = replyOf({ name: 'right' }, 'Wait', prose);
        if (!isOfGrammar(grammar, reply)) {
          found.refused++;
          return;
        }
        found.taken++;
        expect(findLastJsonBlock(reply)?.fenceStart).toBe(reply.lastIndexOf('```json'));
        expect(parseReply(reply, limits)).toMatchObject({ ok: true, reply: { patch: { name: 'right' } } });
      }),
      { numRuns: 1_500 },
    );
    expect(Math.min(found.taken, found.refused)).toBeGreaterThan(100);
  });

  it('stays small however long texts may be', () => {
    expect(grammar.length).toBeLessThan(4_000);
  });
});

describe('arguments of actions', () => {
  const shelves = { propertyNames: { pattern: '^shelf_[0-9]$' }, additionalProperties: { type: 'string' } };
  const enumerated = {
    room: { enum: ['kitchen', 'hall', null] },
    mode: { const: 'slow' },
    tone: { enum: ['soft', 'very loud'] },
    shelves: { type: 'object', ...shelves },
  };
  const signatures = [
    'Go <room>',
    'Return <old_room_id>',
    'Set <mode>',
    'Say <tone>',
    'Put <item> <shelf_id>',
  ];
  const listed = signatures.map((signature) => `- \`${signature}\``).join('\n');
  // Σ_t has neither the room nor the shelf that the actions are about.
  const state = { room: 'hall', shelves: { shelf_1: 'x' } };
  const good = ['Go kitchen', 'Return hall', 'Set slow', 'Say shouting', 'Put new_item shelf_7'];
  const bad = ['Go cellar', 'Go soft', 'Return x', 'Set fast', 'Put new_item shelf_77', 'Put new_item box'];

  it('are what the schema enumerates under their name, whatever the state has', () => {
    const written = grammarOf(enumerated, listed, state);
    const isTaken = (action: string) => isOfGrammar(written, replyOf({}, action));
    expect(good.filter((action) => !isTaken(action))).toEqual([]);
    expect(bad.filter(isTaken)).toEqual([]);
  });

  it.each<Dialect>(['openai', 'llama.cpp', 'gemini'])('are so in schemas for %s', (dialect) => {
    const { actions } = parseActions({ text: `# Actions\n\n${listed}\n`, file: 'SKILL.md' });
    const stateSchema = schemaOf({ type: 'object', properties: enumerated });
    const constraint = replyConstraint({ stateSchema, actions, state }, 'operations', dialect);
    const { action } = constraint.kind === 'json' ? Object(constraint.schema.properties) : {};
    const text = JSON.stringify(action);
    expect(text).toMatch(
      dialect === 'gemini' ? /"enum":\["hall","kitchen"\]/ : /\^Go \(hal\{2\}\|kitchen\)\$/,
    );
  });

  it('are free where two things of one name have different texts', () => {
    const one = { type: 'object', properties: { room: { enum: ['a', 'b'] } } };
    const other = { type: 'object', properties: { room: { enum: ['c'] } } };
    const written = grammarOf({ one, other }, '- `Go <room>`');
    expect(isOfGrammar(written, replyOf({}, 'Go anywhere'))).toBe(true);
    expect(namedTexts([]).size).toBe(0);
  });
});
