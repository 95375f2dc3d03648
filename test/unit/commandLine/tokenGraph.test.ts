/** The token graph in text: every part has its share, and many steps share a bar. */
import { describe, expect, it } from 'vitest';
import { type StepTokens, tokenGraph } from '../../../client/src/commandLine/tokenGraph';

const step = (number: number, more: Partial<StepTokens> = {}): StepTokens => ({
  step: number,
  instructions: 40,
  scaffold: 10,
  state: 20,
  observation: 10,
  output: 20,
  retries: 0,
  ...more,
});

describe('the token graph', () => {
  it('splits each bar by its parts, the longest taking the whole width', () => {
    expect(tokenGraph([step(0), step(1, { output: 0, retries: 1 })], { width: 10 })).toEqual([
      '    █ P  ▓ scaffold  ▒ Σ  ░ O  = output  ↻ retries',
      't 0 ████▓▒▒░== 100',
      't 1 ████▓▒▒░ 80 ↻1',
    ]);
  });

  it('averages steps where there are more than rows', () => {
    const lines = tokenGraph(
      Array.from({ length: 1000 }, (_, number) => step(number)),
      { rows: 10, width: 10 },
    );
    expect(lines).toHaveLength(11);
    expect(lines[1]).toBe('t    0–99 ████▓▒▒░== 100');
    expect(lines[10]).toBe('t 900–999 ████▓▒▒░== 100');
  });

  it('is empty without steps', () => {
    expect(tokenGraph([])).toEqual([]);
  });
});
