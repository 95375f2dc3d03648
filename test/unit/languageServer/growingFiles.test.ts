/** A file that grows while it is read is refused as any other large one. */
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { diskFiles } from '../../../server/src/diskFiles';
import { maxFileBytes, UnreadableFile } from '../../../server/src/storedFiles';
import { temporaryFolder } from '../../support/commandLine';

const disk = vi.hoisted(() => ({ afterLook: (): void => {} }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    async stat(path: string) {
      const information = await real.stat(path);
      disk.afterLook();
      return information;
    },
  };
});

const folder = temporaryFolder();
afterAll(() => folder.remove());
afterEach(() => {
  disk.afterLook = () => {};
});

it.each([
  ['before it is looked at', true],
  ['between the look and the reading', false],
])('that grows %s', async (_when, isBefore) => {
  const path = join(folder.path, 'SKILL.md');
  writeFileSync(path, 'small');
  const uri = pathToFileURL(path).href;
  expect(await diskFiles.read(uri)).toBe('small');
  // Without taking room on the disk.
  const grow = () => truncateSync(path, maxFileBytes + 1);
  if (isBefore) grow();
  else disk.afterLook = grow;
  const failure = await diskFiles.read(uri).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UnreadableFile);
  expect(failure).toMatchObject({
    uri,
    message: `SKILL.md has ${maxFileBytes + 1} bytes; at most ${maxFileBytes} are read.`,
  });
});
