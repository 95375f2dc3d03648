/** Public data that tests may read but the project doesn't carry: `SKILL_STATE_DATA`, or `../shared/data` beside it. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(
  process.env.SKILL_STATE_DATA ?? fileURLToPath(new URL('../../../../shared/data', import.meta.url)),
);

/** A folder of the data; undefined, with a line that says so, where this machine doesn't have it. */
export function sharedFolder(name: string): string | undefined {
  const folder = join(root, name);
  if (existsSync(folder)) return folder;
  console.info(`Skipped: no ${name} in SKILL_STATE_DATA or ../shared/data.`);
  return undefined;
}

/** The paths of all files below a folder whose names end in `ending`; none without a folder. */
export function filesBelow(folder: string | undefined, ending: string): string[] {
  if (folder === undefined) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .sort()
    .map((path) => join(folder, path));
}
