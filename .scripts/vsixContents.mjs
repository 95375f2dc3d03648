/** What is in a .vsix: reads a zip archive's directory and compares it with what the package may hold. */

/** What the extension needs at run time, and what VS Code and its marketplace want beside it. */
const allowed = [
  /^\[Content_Types\]\.xml$/,
  /^extension\.vsixmanifest$/,
  /^extension\/package\.json$/,
  /^extension\/(readme|changelog)\.md$/i,
  /^extension\/LICENSE(\.txt)?$/i,
  /^extension\/dist\/(extension|server|tokenizer)\.js$/,
  /^extension\/dist\/o200k_base\.json\.br$/,
  /^extension\/dist\/libraries\/[a-z0-9-]+\.js$/,
  /^extension\/dist\/webview\/[A-Za-z]+\.(js|css)$/,
  /^extension\/dist\/schemas\/[A-Za-z]+\.schema\.json$/,
  /^extension\/client\/languages\/skillState(Schema|Initial|Report)?\.(configuration|tmLanguage)\.json$/,
  /^extension\/client\/media\/(icon\.png|walkthrough\/[A-Za-z]+\.md)$/,
];

/** Without one of these the package doesn't work. */
const required = [
  'extension/package.json',
  'extension/dist/extension.js',
  'extension/dist/server.js',
  'extension/dist/o200k_base.json.br',
  'extension/dist/webview/runPanel.js',
];

/** Bytes that a package may have. */
const sizeLimit = 2_000_000;

/**
 * @typedef {{ name: string, compressedSize: number, size: number }} ZipEntry
 */

/**
 * Lists a zip archive's files from its central directory (PKWARE APPNOTE 4.3.12), without unpacking it.
 *
 * @param {Buffer} archive
 * @returns {ZipEntry[]}
 */
export function listZipEntries(archive) {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0) throw new Error('not a zip archive');
  const count = archive.readUInt16LE(end + 10);
  let offset = archive.readUInt32LE(end + 16);
  const entries = [];
  for (let index = 0; index < count; index++) {
    if (archive.toString('latin1', offset, offset + 4) !== 'PK\x01\x02')
      throw new Error('broken zip archive');
    const nameLength = archive.readUInt16LE(offset + 28);
    entries.push({
      name: archive.toString('utf8', offset + 46, offset + 46 + nameLength),
      compressedSize: archive.readUInt32LE(offset + 20),
      size: archive.readUInt32LE(offset + 24),
    });
    offset += 46 + nameLength + archive.readUInt16LE(offset + 30) + archive.readUInt16LE(offset + 32);
  }
  return entries.filter(({ name }) => !name.endsWith('/'));
}

/**
 * Says what is wrong with a package: files that it shouldn't have, files that it lacks, its size.
 *
 * @param {readonly { name: string }[]} entries
 * @param {number} bytes the size of the package
 * @returns {string[]} one sentence a problem, none when it is as it should be
 */
export function packageProblems(entries, bytes) {
  const names = entries.map(({ name }) => name);
  const problems = names
    .filter((name) => !allowed.some((pattern) => pattern.test(name)))
    .map((name) => `${name} doesn't belong into the package.`);
  for (const name of required) if (!names.includes(name)) problems.push(`${name} is missing.`);
  if (bytes > sizeLimit) problems.push(`It has ${bytes} bytes; the limit is ${sizeLimit}.`);
  return problems;
}
