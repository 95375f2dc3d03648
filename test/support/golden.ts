/** Golden files: texts that were read by a person once and have to stay as they are. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { repository } from './memoryRun';

/**
 * Compares a text with `test/fixtures/<name>`. `UPDATE_GOLDENS=1` writes it instead; one that is missing is written
 * too, and fails where `CI` is set.
 */
export function expectGolden(name: string, text: string): void {
  const path = join(repository, 'test', 'fixtures', name);
  const missing = !existsSync(path);
  if (missing && process.env.CI && process.env.UPDATE_GOLDENS !== '1') {
    throw new Error(
      `The golden test/fixtures/${name} is missing: run the test once without CI, read the file, commit it.`,
    );
  }
  if (missing || process.env.UPDATE_GOLDENS === '1') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    process.stderr.write(`wrote test/fixtures/${name}\n`);
  }
  expect(text).toBe(readFileSync(path, 'utf8'));
}
