/** What the console takes as a command, and what stays an expression. */
import { expect, it } from 'vitest';
import { parseCommand } from '../../../client/src/debug/consoleCommands';

it.each([
  ['delete state.a.b', { kind: 'delete', path: 'state.a.b' }],
  [' delete   patch["x y"] ', { kind: 'delete', path: 'patch["x y"] ' }],
  ['blame(state.a)', { kind: 'blame', path: 'state.a' }],
  ['blame()', { kind: 'blame', path: '' }],
  ['state.a = 3', { kind: 'set', path: 'state.a', value: '3' }],
  ['state["a=b"] = "c"', { kind: 'set', path: 'state["a=b"]', value: '"c"' }],
  ['action=Go home', { kind: 'set', path: 'action', value: 'Go home' }],
  ['observation = 1 == 1', { kind: 'set', path: 'observation', value: '1 == 1' }],
])('%s is a command', (text, command) => {
  expect(parseCommand(text)).toEqual(command);
});

it.each([
  'state.a == 3',
  'state.a >= 3',
  'state.a <= 3',
  'state.a != 3',
  'step = 3',
  'deleted',
  'state',
  'delete',
  '',
  '=',
  '= 3',
  `${'='.repeat(100_000)}3`,
  '"state.a = 3"',
])('%s is none', (text) => {
  expect(parseCommand(text)).toBeUndefined();
});
