/** What VS Code's own support shows already is not shown again; everything else is. */
import { describe, expect, it } from 'vitest';
import { type ComparedDiagnostic, withoutRepeats } from '../../../client/src/hosts/withoutRepeats';

function at(line: number, from: number, to: number, rest: Omit<ComparedDiagnostic, 'range'> = {}) {
  return {
    range: { start: { line, character: from }, end: { line, character: to } },
    ...rest,
  };
}

const ours = (code: string, line: number, from: number, to: number) =>
  at(line, from, to, { code, source: 'skill-state' });

describe('withoutRepeats', () => {
  it('keeps everything where nobody else reports', () => {
    const all = [ours('skill.invalid-name', 1, 6, 12), ours('state.syntax', 0, 0, 1)];
    expect(withoutRepeats(all, [])).toEqual(all);
  });

  it('leaves out what the built-in SKILL.md support says of the same place', () => {
    const all = [ours('skill.folder-name', 1, 6, 12), ours('skill.invalid-name', 1, 6, 12)];
    expect(withoutRepeats(all, [at(1, 6, 12)])).toEqual([]);
    expect(withoutRepeats(all, [at(2, 0, 12)])).toEqual(all);
  });

  it('takes what is missing for reported where the first line says so', () => {
    const missing = ours('skill.missing-key', 1, 0, 0);
    expect(withoutRepeats([missing], [at(0, 0, 3)])).toEqual([]);
    expect(withoutRepeats([missing], [at(1, 0, 4)])).toEqual([missing]);
  });

  it('does not take the first line’s report of something missing for one of a key there', () => {
    const key = ours('skill.unknown-key', 0, 0, 3);
    expect(withoutRepeats([key], [at(0, 0, 3)])).toEqual([key]);
  });

  it('keeps what only we judge, at the very same place', () => {
    const tooLong = ours('skill.too-long', 1, 6, 90);
    expect(withoutRepeats([tooLong], [at(1, 6, 90)])).toEqual([tooLong]);
  });

  it('never takes another extension’s diagnostic for ours', () => {
    const name = ours('skill.invalid-name', 1, 6, 12);
    expect(withoutRepeats([name], [at(1, 6, 12, { source: 'cSpell' })])).toEqual([name]);
  });

  it('leaves a mistake in JSON to the built-in JSON support, whatever the language is called', () => {
    const syntax = ours('state.syntax', 3, 4, 5);
    const bound = ours('state.unbounded-string', 3, 4, 5);
    for (const source of ['json', 'jsonc']) {
      expect(withoutRepeats([syntax, bound], [at(3, 0, 8, { source })])).toEqual([bound]);
    }
  });

  it('reads codes with a link as codes', () => {
    const linked = at(1, 6, 12, { code: { value: 'skill.folder-name' }, source: 'skill-state' });
    expect(withoutRepeats([linked], [at(1, 6, 12)])).toEqual([]);
  });
});
