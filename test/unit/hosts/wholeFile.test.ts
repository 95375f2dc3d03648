import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeWhole } from '../../../client/src/hosts/node/wholeFile';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skill-state-whole-'));
  path = join(folder, 'numbers.csv');
  writeFileSync(path, 'before');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a file that is written as a whole', () => {
  it('takes the place of the one before', async () => {
    expect(await writeWhole(path, ['a,b\r\n', 'Σ,2\r\n'], () => false)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('a,b\r\nΣ,2\r\n');
    expect(readdirSync(folder)).toEqual(['numbers.csv']);
  });

  it('leaves the one before where it is cancelled or fails', async () => {
    let asked = 0;
    expect(await writeWhole(path, ['a', 'b', 'c'], () => ++asked > 2)).toBe(false);
    function* failing() {
      yield 'a';
      throw new Error('no more');
    }
    await expect(writeWhole(path, failing(), () => false)).rejects.toThrow('no more');
    expect(readFileSync(path, 'utf8')).toBe('before');
    expect(readdirSync(folder)).toEqual(['numbers.csv']);
  });
});
