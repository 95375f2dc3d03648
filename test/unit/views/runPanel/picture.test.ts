import { describe, expect, it } from 'vitest';
import { graphBins } from '../../../../client/src/views/runPanel/stepRows';
import { graphPicture, type Palette } from '../../../../client/webview/runPanel/graph/picture';
import { pictureText } from '../../../../client/webview/runPanel/pictureMaker';
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

function picture(title: string, size = 1): string {
  const content = {
    ...graphBins(syntheticRun(25), { branch: 0, from: 0, to: 25, size }),
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
      peaks: 'largest step',
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

  it('says what stands behind bars of several steps', () => {
    expect(picture('warehouse')).not.toContain('largest step');
    expect(picture('warehouse', 5)).toContain('>largest step<');
  });

  it.each([
    [25, { from: 0, to: 25 }, '25 steps'],
    [1, { from: 0, to: 6 }, '1 step'],
    [2_000, { from: 1_000, to: 1_010 }, '2,000 steps, steps 1,000 to 1,009'],
    [25, { from: 3.4, to: 9.2 }, '25 steps, steps 3 to 9'],
    [25, { from: 20, to: 26 }, '25 steps, steps 20 to 24'],
  ])('of %i steps with %o in view says %s', (steps, view, text) => {
    const overview = { model: undefined, environment: undefined } as Parameters<typeof pictureText>[0];
    expect(pictureText(overview, view, steps).subtitle).toBe(text);
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
