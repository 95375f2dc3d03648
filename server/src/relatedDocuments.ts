/** Which documents may belong to the same skill, by their URIs alone. */

/** How many folders above a document may be that of its skill. */
const maxParents = 4;

/** Whether one folder above both documents may be that of a skill that they belong to. */
export function mayShareSkill(a: string, b: string): boolean {
  const above = new Set(foldersAbove(a));
  return foldersAbove(b).some((folder) => above.has(folder));
}

function foldersAbove(uri: string): string[] {
  const folders: string[] = [];
  let end = uri.length;
  for (let level = 0; level < maxParents; level++) {
    end = uri.lastIndexOf('/', end - 1);
    if (end <= 0 || uri[end - 1] === '/') break;
    folders.push(uri.slice(0, end));
  }
  return folders;
}
