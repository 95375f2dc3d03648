/** What the walkthrough promises of the sample that it makes: the line that it names is there, and breaks and mends as it says. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { capabilities } from '../../../client/src/debug/capabilities';
import manifest from '../../../package.json';
import { createSkillFiles } from '../../../schemas/skill/skillTemplates';
import { withFix } from '../../support/appliedFix';
import { skillWorkspace } from '../../support/skillWorkspace';

const steps = manifest.contributes.walkthroughs.flatMap(({ steps }) => steps);
const step = steps.find(({ id }) => id === 'mendSchema');
const named = /\*\*(.+?)\*\*/.exec(step?.description ?? '')?.[1] ?? '';

const sample = Object.fromEntries(
  createSkillFiles({ name: 'warehouse', description: 'Runs it.', template: 'warehouse' }).files,
);
const schema = sample['state.schema.yaml'] ?? '';

describe('the step that breaks the schema', () => {
  it('names one line of the sample, and shows the same', () => {
    expect(schema.split('\n').filter((line) => line.trim() === named)).toHaveLength(1);
    const shown = readFileSync(step?.media.markdown ?? '', 'utf8');
    expect(/^ +(.+?) +← delete this line$/m.exec(shown)?.[1]).toBe(named);
  });

  it('shows lines that the sample has, in their order', () => {
    const shown = readFileSync(step?.media.markdown ?? '', 'utf8');
    const excerpt = [...shown.matchAll(/^ {4}(.+)$/gm)].map(([, line = '']) =>
      line.replace(/ +← .*$/, '').trim(),
    );
    const lines = schema.split('\n').map((line) => line.trim());
    let place = -1;
    const missing = excerpt.filter((line) => {
      if (line === '…') return false;
      const next = lines.indexOf(line, place + 1);
      place = Math.max(place, next);
      return next === -1;
    });
    expect(missing).toEqual([]);
    expect(excerpt.length).toBeGreaterThan(3);
  });

  it('leaves the state without a bound, and a quick fix mends it', async () => {
    const broken = schema
      .split('\n')
      .filter((line) => line.trim() !== named)
      .join('\n');
    const skill = skillWorkspace({ ...sample, 'state.schema.yaml': broken }, { name: 'warehouse' });
    const uri = skill.uri('state.schema.yaml');
    const unbounded = ((await skill.service.findings(uri)) ?? []).filter(
      ({ code }) => code === 'state.unbounded',
    );
    expect(unbounded).toHaveLength(1);
    const [offered] = await skill.service.fixes(uri, unbounded[0]?.range ?? noRange);
    expect(offered?.finding.code).toBe('state.unbounded');
    if (offered === undefined) return;
    const mended = withFix(skill, Object.keys(sample), offered.fix, { name: 'warehouse' });
    const codes = ((await mended.service.findings(uri)) ?? []).map(({ code }) => code);
    expect(codes).not.toContain('state.unbounded');
  });
});

describe('the step that debugs', () => {
  it.each([
    ['Step back', capabilities.supportsStepBack],
    ['can be changed', capabilities.supportsSetVariable],
    ['Data breakpoint', capabilities.supportsDataBreakpoints],
  ])('speaks of "%s" only if the debug adapter can do it', (words, isThere) => {
    const debug = steps.find(({ id }) => id === 'debug');
    const shown = readFileSync(debug?.media.markdown ?? '', 'utf8');
    expect(shown).not.toBe('');
    expect(shown.includes(words) && isThere !== true).toBe(false);
  });
});

const noRange = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
