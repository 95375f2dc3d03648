/** What VS Code's own support shows already is not shown again; everything else is. */
import { describe, expect, it } from 'vitest';
import {
  type ComparedDiagnostic,
  comparedCodes,
  withoutRepeats,
} from '../../../client/src/hosts/withoutRepeats';
import { skillProblems } from '../../../schemas/skill/skillProblems';
import { initialStateProblems, stateSchemaProblems } from '../../../schemas/state/stateProblems';
import { skillPageProblems } from '../../../server/src/languageService/skill/skillPageProblems';

function at(line: number, from: number, to: number, rest: Omit<ComparedDiagnostic, 'range'> = {}) {
  return {
    range: { start: { line, character: from }, end: { line, character: to } },
    ...rest,
  };
}

const ours = (code: string, line: number, from: number, to: number) =>
  at(line, from, to, { code, source: 'skill-state' });

const error = { severity: 0 };
const warning = { severity: 1 };
const hint = { severity: 3 };

describe('withoutRepeats', () => {
  it('keeps everything where nobody else reports', () => {
    const all = [ours('skill.invalid-name', 1, 6, 12), ours('state.syntax', 0, 0, 1)];
    expect(withoutRepeats(all, [])).toEqual(all);
  });

  it('leaves out what the built-in SKILL.md support says of the same place', () => {
    const all = [ours('skill.folder-name', 1, 6, 12), ours('skill.invalid-name', 1, 6, 12)];
    expect(withoutRepeats(all, [at(1, 6, 12, error), at(1, 6, 12, warning)])).toEqual([]);
    expect(withoutRepeats(all, [at(2, 0, 12, error), at(2, 0, 12, warning)])).toEqual(all);
  });

  it('tells two mistakes of one value apart: a--b is no name, and not the folder’s', () => {
    const [folder, name] = [ours('skill.folder-name', 1, 6, 10), ours('skill.invalid-name', 1, 6, 10)];
    expect(withoutRepeats([folder, name], [at(1, 6, 10, warning)])).toEqual([name]);
  });

  it('takes a faded key for reported, but not what is wrong with its value', () => {
    const [key, value] = [ours('skill.unknown-key', 3, 0, 13), ours('skill.wrong-type', 3, 15, 20)];
    expect(withoutRepeats([key, value], [at(3, 0, 20, hint)])).toEqual([value]);
  });

  it('takes what is missing for reported where the first line says so', () => {
    const missing = ours('skill.missing-key', 1, 0, 0);
    expect(withoutRepeats([missing], [at(0, 0, 3, warning)])).toEqual([]);
    expect(withoutRepeats([missing], [at(1, 0, 4, warning)])).toEqual([missing]);
  });

  it('does not take the first line’s report of something missing for one of what stands there', () => {
    const folder = ours('skill.folder-name', 0, 0, 3);
    expect(withoutRepeats([folder], [at(0, 0, 3, warning)])).toEqual([folder]);
  });

  it('keeps what only we judge, at the very same place', () => {
    const tooLong = ours('skill.too-long', 1, 6, 90);
    expect(withoutRepeats([tooLong], [at(1, 6, 90, error)])).toEqual([tooLong]);
  });

  it('never takes another extension’s diagnostic for ours', () => {
    const name = ours('skill.invalid-name', 1, 6, 12);
    expect(withoutRepeats([name], [at(1, 6, 12, { ...error, source: 'cSpell' })])).toEqual([name]);
  });

  it('leaves a mistake in JSON to the built-in JSON support, whatever the language is called', () => {
    const syntax = ours('state.syntax', 3, 4, 5);
    const bound = ours('state.unbounded-string', 3, 4, 5);
    for (const source of ['json', 'jsonc']) {
      expect(withoutRepeats([syntax, bound], [at(3, 0, 8, { ...error, source })])).toEqual([bound]);
    }
  });

  it('reads codes with a link as codes', () => {
    const linked = at(1, 6, 12, { code: { value: 'skill.folder-name' }, source: 'skill-state' });
    expect(withoutRepeats([linked], [at(1, 6, 12, warning)])).toEqual([]);
  });

  it('compares codes that there are', () => {
    const known = {
      ...skillProblems,
      ...skillPageProblems,
      ...stateSchemaProblems,
      ...initialStateProblems,
    };
    expect(comparedCodes.filter((code) => !(code in known))).toEqual([]);
  });
});
