/** Which skill of the workspace a trace was recorded from, so that its frames stand in files. */
import type * as vscode from 'vscode';
import { folderOf } from './openSkill';
import { openTrace, traceUri } from './openTrace';
import { findSkills } from './skillFiles';

/**
 * The folder of the skill whose name the trace has, which by the standard is the folder's; of several the one that lies
 * nearest to the trace. Undefined where there is none, or the trace can't be read: who opens it says why.
 */
export async function skillOfTrace(trace: string): Promise<vscode.Uri | undefined> {
  const name = await skillName(trace);
  if (name === undefined) return undefined;
  const { path } = traceUri(trace);
  const folders = (await findSkills())
    .map(folderOf)
    .filter((folder) => folder.path.split('/').at(-1) === name);
  const [nearest] = folders.sort((a, b) => sharedLength(b.path, path) - sharedLength(a.path, path));
  return nearest;
}

/** Reads no more than the trace's first pages. */
async function skillName(trace: string): Promise<string | undefined> {
  const enough = new AbortController();
  try {
    const reader = await openTrace(trace);
    const stopListening = reader.onChange(() => {
      if (reader.header !== undefined) enough.abort();
    });
    await reader.read(enough.signal).catch((error: unknown) => {
      if (!enough.signal.aborted) throw error;
    });
    stopListening();
    return reader.header?.skill.name;
  } catch {
    // The session will say what is wrong with the trace.
    return undefined;
  }
}

/** How many characters two paths begin with alike. */
function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
