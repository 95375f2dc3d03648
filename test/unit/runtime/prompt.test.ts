/** The prompt to the letter, the correction after it, and reading a prompt back. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composePrompt, correctionFor, promptTemplate, readPrompt } from '../../../client/src/runtime/prompt';
import { rejectionClasses } from '../../../client/src/runtime/rejection';
import { anyJsonObject } from './arbitraries';

/** Appendix A.4 of the paper, line by line. */
const appendixA4 = [
  'Instructions:',
  '{skill.instructions}',
  '',
  'Skill Execution State:',
  '```json',
  '{state}',
  '```',
  '',
  'Latest Observation: {observation}',
  '',
  'Provide your response with:',
  '1. Step-by-step reasoning (will be discarded after execution)',
  '2. A JSON block fenced with ```json ... ``` containing both your State Patch and your Action. The JSON block MUST have exactly these two keys: { "state_patch": { <dict: your state updates, set keys to null to delete> }, "action": "<string: the exact command you want to execute>" }',
].join('\n');

const input = {
  instructions: 'Keep the shelves.',
  state: { inventory: { shelf_42: 'item_12' } },
  observation: 'Customer ordered item_12.',
};

describe('the template', () => {
  it('is A.4, character by character', () => {
    expect(promptTemplate).toEqual({ name: 'skill-state', text: appendixA4 });
  });
});

describe('composePrompt', () => {
  it('fills the template', () => {
    const prompt = composePrompt(input);
    expect(prompt.text).toBe(
      appendixA4
        .replace('{skill.instructions}', 'Keep the shelves.')
        .replace('{state}', '{"inventory":{"shelf_42":"item_12"}}')
        .replace('{observation}', 'Customer ordered item_12.'),
    );
    expect(prompt.stateText).toBe('{"inventory":{"shelf_42":"item_12"}}');
  });

  it('substitutes literally and in one pass', () => {
    const tricky = "$& $1 {observation} {state} {skill.instructions} $'";
    const { text } = composePrompt({ instructions: tricky, state: { note: tricky }, observation: tricky });
    const pieces = appendixA4.split(/\{skill\.instructions\}|\{state\}|\{observation\}/);
    expect(text).toBe(
      [pieces[0], tricky, pieces[1], JSON.stringify({ note: tricky }), pieces[2], tricky, pieces[3]].join(''),
    );
  });

  it('says where its parts are', () => {
    const { text, parts } = composePrompt({ ...input, correction: 'Mind the comma.' });
    const part = (name: keyof typeof parts): string => text.slice(parts[name]?.start, parts[name]?.end);
    expect(part('instructions')).toBe(input.instructions);
    expect(part('state')).toBe('{"inventory":{"shelf_42":"item_12"}}');
    expect(part('observation')).toBe(input.observation);
    expect(part('correction')).toBe('Mind the comma.');
  });

  it('adds a correction after a blank line, and nothing else', () => {
    expect(composePrompt({ ...input, correction: 'Mind the comma.' }).text).toBe(
      `${composePrompt(input).text}\n\nMind the comma.`,
    );
  });
});

describe('correctionFor', () => {
  it('says what was wrong, where, and what to do', () => {
    expect(
      correctionFor({
        class: 'schema',
        message: '/inventory/shelf_3 must be string, not number.',
        pointer: '/inventory/shelf_3',
      }),
    ).toBe(
      'Your previous reply was rejected (schema): /inventory/shelf_3 must be string, not number. The state is unchanged. Reply again in the format above.',
    );
  });

  it('adds two further violations and counts the rest', () => {
    const violations = [1, 2, 3, 4, 5].map((number) => ({
      pointer: '',
      schemaLocation: '',
      message: `Rule ${number}.`,
    }));
    expect(correctionFor({ class: 'schema', message: 'Rule 1.', violations })).toBe(
      'Your previous reply was rejected (schema): Rule 1. Rule 2. Rule 3. (2 more) The state is unchanged. Reply again in the format above.',
    );
  });

  it('is one line of at most 600 characters', () => {
    for (const rejectionClass of rejectionClasses) {
      const correction = correctionFor({ class: rejectionClass, message: 'a\n\nb '.repeat(1_000) });
      expect(correction.length).toBeLessThanOrEqual(600);
      expect(correction).not.toMatch(/[\r\n]/);
      expect(correction.endsWith('Reply again in the format above.')).toBe(true);
    }
  });
});

describe('readPrompt', () => {
  const phrases = appendixA4.split('\n').concat('\n', '\n\n', appendixA4, '{"a":1}');
  const text = fc
    .array(fc.oneof(fc.constantFrom(...phrases), fc.string()), { maxLength: 5 })
    .map((parts) => parts.join('\n'));

  it('reads back what was composed, whatever phrases of the template the parts contain', () => {
    fc.assert(
      fc.property(
        text,
        anyJsonObject,
        text,
        fc.option(fc.string(), { nil: undefined }),
        (instructions, state, observation, correction) => {
          const prompt = composePrompt({
            instructions,
            state,
            observation,
            ...(correction !== undefined && { correction }),
          });
          expect(readPrompt(prompt.text)).toEqual({
            instructions,
            stateText: prompt.stateText,
            observation,
            ...(correction !== undefined && { correction }),
          });
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('prefers the later state block where the instructions show a filled prompt', () => {
    const instructions = `For example:\n\n${composePrompt(input).text}`;
    expect(readPrompt(composePrompt({ ...input, instructions, state: {} }).text)).toEqual({
      instructions,
      stateText: '{}',
      observation: input.observation,
    });
  });

  it('refuses other texts', () => {
    const { text: prompt } = composePrompt(input);
    expect(readPrompt('')).toBeUndefined();
    expect(readPrompt(appendixA4)).toBeUndefined();
    expect(readPrompt(`${prompt} `)).toBeUndefined();
    expect(readPrompt(prompt.slice(1))).toBeUndefined();
    expect(readPrompt(prompt.replace('{"inventory"', '{inventory'))).toBeUndefined();
  });
});
