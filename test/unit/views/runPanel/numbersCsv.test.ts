import { describe, expect, it } from 'vitest';
import { csvLine, numbersCsv } from '../../../../client/src/views/runPanel/numbersCsv';
import { syntheticRun } from '../../../support/syntheticRun';
import { stepSummary } from '../recordedSteps';

describe('the numbers as CSV', () => {
  it('have a line for each step, in stretches', () => {
    const texts = [...numbersCsv(syntheticRun(4_500), 0)];
    expect(texts).toHaveLength(4);
    const lines = texts.join('').split('\r\n');
    expect(lines).toHaveLength(4_502);
    expect(lines.at(-1)).toBe('');
    expect(lines[0]).toMatch(/^branch,step,status,action,/);
    expect(lines[4]).toMatch(/^0,3,accepted,Store item_3 shelf_3,inventory,2,schema,,1220,/);
    const columns = new Set(lines.slice(0, -1).map((line) => line.split(',').length));
    expect(columns).toEqual(new Set([27]));
  });

  it('have sums that go on', () => {
    const lines = [...numbersCsv(syntheticRun(30), 0)]
      .join('')
      .trim()
      .split('\r\n')
      .map((line) => line.split(','));
    const column = (name: string) => lines[0]?.indexOf(name) ?? -1;
    let sum = 0;
    for (const line of lines.slice(1)) {
      sum += Number(line[column('total_tokens')]);
      expect(Number(line[column('cumulative_tokens')])).toBe(sum);
    }
  });

  it('tell reported from estimated tokens, and an unknown cost from none', () => {
    const { tokens } = stepSummary({});
    const summaries = [
      stepSummary({
        tokens: { ...tokens, cached: 100, thinking: 7 },
        cost: 0.5,
        knownCost: 0.5,
        costAtMost: 0.5,
      }),
      stepSummary({
        tokens: { ...tokens, source: 'mixed', estimated: 50 },
        cost: undefined,
        knownCost: 0.25,
        costAtMost: 0.75,
      }),
      stepSummary({
        tokens: { ...tokens, source: 'estimated', estimated: 150, byExtension: 150 },
        cost: undefined,
        knownCost: 0,
      }),
      stepSummary({ attempts: 0, tokens: { ...tokens, prompt: 0, completion: 0 }, cost: 0, knownCost: 0 }),
    ];
    const run = {
      ...syntheticRun(4),
      summary: (_branch: number, step: number) => summaries[step] ?? stepSummary({}),
    };
    const [head = [], ...lines] = [...numbersCsv(run, 0)]
      .join('')
      .trim()
      .split('\r\n')
      .map((line) => line.split(','));
    const column = (name: string) => lines.map((line) => line[head.indexOf(name)]);
    expect(column('tokens_source')).toEqual(['reported', 'mixed', 'estimated', '']);
    expect(column('estimated_tokens')).toEqual(['0', '50', '150', '0']);
    expect(column('cached_tokens')).toEqual(['100', '0', '0', '0']);
    expect(column('prompt_tokens')).toEqual(['135', '135', '135', '0']);
    expect(column('thinking_tokens')).toEqual(['7', '0', '0', '0']);
    expect(column('cost_usd')).toEqual(['0.5', '', '', '0']);
    expect(column('known_cost_usd')).toEqual(['0.5', '0.25', '0', '']);
    expect(column('cost_at_most_usd')).toEqual(['0.5', '0.75', '', '']);
    expect(column('extension_tokens')).toEqual(['0', '0', '150', '0']);
  });

  it('quote what has to be quoted, and no formula gets through', () => {
    expect(csvLine(['a,b', 'say "no"', 'two\nlines', 'plain', 1.5])).toBe(
      '"a,b","say ""no""","two\nlines",plain,1.5\r\n',
    );
    for (const formula of ['=1+1', '+1', '-1', '@sum', '\t=1', '\r=1', ' =cmd', '＝1']) {
      expect(csvLine([formula]).replace(/^"/, '')).toMatch(/^'/);
    }
    // Numbers are numbers.
    expect(csvLine([-3])).toBe('-3\r\n');
    const run = {
      ...syntheticRun(1),
      summary: () =>
        stepSummary({ action: '=HYPERLINK("http://x","a"),b', changedKeys: ['-1'], changedCount: 7 }),
    };
    const [, line = ''] = [...numbersCsv(run, 0)];
    expect(line.endsWith(',7\r\n')).toBe(true);
    expect(line).toContain(`,"'=HYPERLINK(""http://x"",""a""),b",'-1,`);
  });
});
