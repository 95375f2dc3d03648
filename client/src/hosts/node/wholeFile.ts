/** A file that is there as a whole or as it was before, however long writing it takes. */
import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/**
 * Writes texts one after the other into a file beside the wanted one, which then takes its place.
 *
 * @param isCancelled asked between texts; what was written until then is removed
 * @returns false where it was cancelled
 */
export async function writeWhole(
  path: string,
  texts: Iterable<string>,
  isCancelled: () => boolean,
): Promise<boolean> {
  const partial = `${path}.${randomUUID()}.part`;
  const file = await open(partial, 'wx');
  try {
    try {
      for (const text of texts) {
        if (isCancelled()) return false;
        await file.write(text);
      }
    } finally {
      await file.close();
    }
    await rename(partial, path);
    return true;
  } finally {
    await rm(partial, { force: true });
  }
}
