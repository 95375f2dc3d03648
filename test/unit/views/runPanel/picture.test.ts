import { describe, expect, it } from 'vitest';
import { graphBins } from '../../../../client/src/views/runPanel/stepRows';
import { graphPicture, type Palette } from '../../../../client/webview/runPanel/graph/picture';
import { syntheticRun } from '../../../support/syntheticRun';

const palette: Palette = {
  background: '#101010',
  text: '#eeeeee',
  grid: '#333333',
  line: '#ff8800',
  retried: '#ff0000',
  parts: {
    instructions: '#000001',
    scaffold: '#000002',
    state: '#000003',
    observation: '#000004',
    output: '#000005',
  },
  marks: { rejected: '#0000a1', warned: '#0000a2', fork: '#0000a3' },
};

function picture(title: string): string {
  const content = {
    ...graphBins(syntheticRun(25), { branch: 0, from: 0, to: 25, size: 1 }),
    view: { from: 0, to: 25 },
    size: { width: 800, height: 300 },
    cumulative: true,
    filter: 'all' as const,
  };
  const legend = { instructions: 'P', scaffold: 'scaffold', state: 'Σ', observation: 'O', output: 'output' };
  return graphPicture(
    content,
    {
      title,
      subtitle: '25 steps',
      legend,
      retried: 'retried',
      totals: 'total',
      marks: { rejected: 'rejected', warned: 'warning' },
    },
    palette,
  );
}

describe('the exported graph', () => {
  it('has its colours, its legend and its axes in it', () => {
    const svg = picture('warehouse');
    for (const colour of Object.values(palette.parts)) expect(svg).toContain(`fill="${colour}"`);
    for (const text of ['>Σ<', '>output<', '>retried<', '>total<', '>25 steps<', '>20<', '>1k<'])
      expect(svg).toContain(text);
    expect(svg).not.toMatch(/var\(|color-mix|NaN|undefined|class=/);
  });

  it('takes texts as texts, and leaves out what XML can not hold', () => {
    const svg = picture('</text><script>alert(1)</script>&"\u0000\u001b\ud800 Σ \u{1f4e6}');
    expect(svg).not.toContain('<script');
    expect(svg).toContain('&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot; Σ \u{1f4e6}');
  });

  it('is the same each time', () => {
    expect(picture('a')).toBe(picture('a'));
  });
});
