/** What becomes of the copy of the samples that `npm run code` opens where there is no desktop VS Code. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leaveCopy } from '../../support/servedWindow';
import { makeWorkspace, type TestWorkspace } from '../../support/testWorkspace';

describe('the copy of the samples', () => {
  let checkout: string;
  let copy: TestWorkspace;

  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), 'skill-state-checkout-'));
    mkdirSync(join(checkout, 'samples', 'one'), { recursive: true });
    writeFileSync(join(checkout, 'samples', 'one', 'SKILL.md'), 'one');
    copy = makeWorkspace(checkout);
  });
  afterEach(() => {
    copy.remove();
    rmSync(checkout, { recursive: true, force: true });
  });

  it('is removed where nobody changed it, whatever became of the samples', () => {
    writeFileSync(join(checkout, 'samples', 'one', 'SKILL.md'), 'two');
    expect(leaveCopy(copy)).toContain('removed');
    expect(existsSync(copy.workspace)).toBe(false);
  });

  it.each([
    ['an edit', 'SKILL.md', 'two'],
    ['a trace', 'run.skilltrace.jsonl', '{}'],
    ['an empty file', 'notes.md', ''],
  ])('is kept with %s, and it is said where', (_, file, text) => {
    const path = join(copy.workspace, 'one', file);
    writeFileSync(path, text);
    expect(leaveCopy(copy)).toContain(copy.workspace);
    expect(existsSync(path)).toBe(true);
  });

  it('is kept where a file was taken out of it', () => {
    rmSync(join(copy.workspace, 'one', 'SKILL.md'));
    expect(leaveCopy(copy)).toContain(copy.workspace);
    expect(existsSync(copy.workspace)).toBe(true);
  });
});
