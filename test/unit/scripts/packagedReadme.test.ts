/** The README that the package has leads nowhere that the package doesn't. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packagedReadme } from '../../../.scripts/package.mjs';

it('leaves out pictures and links to files, and keeps those to pages', () => {
  const text =
    'A\n\n![What it\nshows](.github/p.png)\n\nSee [the law](LICENSE), [a page](https://a.invalid/b) and [above](#a).\n';
  expect(packagedReadme(text)).toBe('A\n\nSee the law, [a page](https://a.invalid/b) and [above](#a).\n');
});

it('is so of the real one', () => {
  const packaged = packagedReadme(readFileSync('README.md', 'utf8'));
  expect(packaged).not.toMatch(/\]\((?!https?:|#)/);
  expect(packaged).toContain('# SKILL.state');
});
