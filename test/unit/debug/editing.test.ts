/** How what somebody types becomes an edit, and how a refusal reads. */
import { describe, expect, it } from 'vitest';
import { deletion, readEdit, refusalText } from '../../../client/src/debug/editing';
import { rewindAdvice } from '../../../client/src/debug/errors';
import type { RootName } from '../../../client/src/debug/view';
import { skillOf } from '../../support/memoryRun';

const files = {
  'SKILL.md': '---\nname: skill\ndescription: Test.\n---\n\nDo it.\n',
  'state.schema.yaml': `type: object
properties:
  name: { type: string, maxLength: 9 }
  kind: { enum: [big, small] }
  maybe: { type: [string, "null"], maxLength: 9 }
  count: { type: integer }
  list: { type: array, maxItems: 9, items: { type: string, maxLength: 9 } }
`,
};

async function read(root: RootName | undefined, path: readonly string[], text: string) {
  const { stateSchema } = await skillOf(files);
  const target = { root, path, name: [root, ...path].join('.') };
  const result = readEdit(target, text, stateSchema, (source) => (source === '1 + 1' ? 2 : undefined));
  return result.ok ? result.edit : result.message;
}

describe('a value', () => {
  it.each([
    ['name', '"shop"', 'shop'],
    ['name', 'shop', 'shop'],
    ['name', ' shop ', ' shop '],
    ['name', '""', ''],
    ['name', '7', 7],
    ['name', '{"a": 1}', { a: 1 }],
    ['kind', 'big', 'big'],
    ['maybe', 'null', null],
    ['maybe', 'nul', 'nul'],
    ['count', '7', 7],
    ['count', '1 + 1', 2],
    ['list', '["a"]', ['a']],
  ])('of %s written as %s', async (key, text, value) => {
    expect(await read('state', [key], text)).toEqual({ target: 'state', pointer: `/${key}`, value });
  });

  it.each([
    ['1e999', 'too large to be kept exactly'],
    ['[0, {"a": -1e400}]', 'too large to be kept exactly'],
    ['12345678901234567890', 'too large to be kept exactly'],
    ['{"a": 1, "a": 2}', 'twice'],
  ])('%s is refused as it is in a reply, since it would not be kept as it stands', async (text, message) => {
    expect(await read('state', ['count'], text)).toContain(message);
    expect(await read('patch', [], text)).toContain(message);
    expect(await read('action', [], text)).toEqual({ target: 'action', value: text });
  });

  it('is addressed by a JSON Pointer, in the state or in the patch', async () => {
    expect(await read('patch', ['list', '0'], 'x/y')).toEqual({
      target: 'patch',
      pointer: '/list/0',
      value: 'x/y',
    });
    expect(await read('state', ['a/b', '~'], '1')).toEqual({
      target: 'state',
      pointer: '/a~1b/~0',
      value: 1,
    });
    expect(await read('state', [], '{}')).toEqual({ target: 'state', pointer: '', value: {} });
  });

  it('of action and observation is any text, and may be a JSON string', async () => {
    expect(await read('action', [], 'Go 7')).toEqual({ target: 'action', value: 'Go 7' });
    expect(await read('action', [], '"Go \\"home\\""')).toEqual({ target: 'action', value: 'Go "home"' });
    expect(await read('observation', [], '7')).toEqual({ target: 'observation', value: '7' });
    expect(await read('observation', [], '"half')).toEqual({ target: 'observation', value: '"half' });
    expect(await read('observation', [], '')).toEqual({ target: 'observation', value: '' });
  });

  it('is refused where it is none, or its place cannot be changed', async () => {
    expect(await read('state', ['count'], 'many')).toBe(
      '"many" is no value for state.count: write JSON, such as "text", 3, null, [] or {}.',
    );
    expect(await read('state', ['name'], '  ')).toBe(
      'Write a JSON value, "" for an empty text. To delete state.name, evaluate "delete state.…" in the debug console.',
    );
    const unchangeable = / can't be changed: state, patch, action and observation can\.$/;
    for (const root of ['before', 'proposed', 'tokens', 'step', undefined] as const)
      expect(await read(root, ['x'], '1')).toMatch(unchangeable);
    expect(await read('action', ['0'], 'x')).toMatch(unchangeable);
  });
});

describe('a deletion', () => {
  it.each([
    ['state', ['a'], { target: 'state', pointer: '/a' }],
    ['patch', ['a', '0'], { target: 'patch', pointer: '/a/0' }],
    ['state', [], "The whole state can't be deleted: name a part of it."],
    ['action', [], "action can't be deleted: only parts of state and patch can."],
  ] as const)('of %s %s', (root, path, expected) => {
    const result = deletion({ root, path, name: [root, ...path].join('.') });
    expect(result.ok ? result.edit : result.message).toEqual(expected);
  });
});

describe('a refusal', () => {
  it('names place and rule', async () => {
    const skill = await skillOf(files);
    const text = (refusal: object) =>
      refusalText({ ok: false, message: 'It is too long.', ...refusal }, skill, (line) => line + 1);
    expect(text({})).toBe('It is too long.');
    expect(text({ pointer: '/name', schemaLocation: '/properties/name/maxLength' })).toBe(
      'It is too long (at /name). The rule: state.schema.yaml:3 (/properties/name/maxLength).',
    );
    expect(text({ message: '/name must be string, not number.', pointer: '/name' })).toBe(
      '/name must be string, not number.',
    );
    expect(text({ pointer: `/${'x'.repeat(1_000)}` }).length).toBeLessThan(200);
    expect(text({ liftedBy: 'forkWithoutRewind' })).toBe(`It is too long. ${rewindAdvice}`);
  });
});
