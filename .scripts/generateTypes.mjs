/**
 * Writes the TypeScript types of every schemas/**\/<name>.schema.json beside it as <name>.generated.ts, so that
 * a format's types can't drift from its JSON Schema. The files are not in git; `npm install`, the build and the
 * tests each bring them up to date, which costs nothing when no schema changed.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { root } from './install.mjs';

const suffix = '.schema.json';

/** @returns {string[]} the paths of all JSON Schema files of the formats */
export function schemaFiles() {
  const folder = join(root, 'schemas');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(suffix))
    .map((path) => join(folder, path))
    .sort();
}

/**
 * Brings the generated types up to date.
 *
 * @returns {Promise<string[]>} the files that were written
 */
export async function generateTypes() {
  const files = schemaFiles();
  const digest = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  for (const file of files) digest.update(file.slice(root.length)).update(readFileSync(file));
  const stamp = `// ${digest.digest('hex').slice(0, 16)}`;

  const outdated = files.filter((file) => {
    const target = targetOf(file);
    return !existsSync(target) || !readFileSync(target, 'utf8').startsWith(stamp);
  });
  if (outdated.length === 0) return [];

  const { compile } = await import('json-schema-to-typescript');
  for (const file of outdated) {
    // Of "one of these has to be there" a type would make an intersection that nothing can be picked from.
    const { anyOf: _, ...schema } = JSON.parse(readFileSync(file, 'utf8'));
    const name = schema.title ?? basename(file, suffix);
    const text = await compile(schema, name, {
      cwd: dirname(file),
      additionalProperties: false,
      unreachableDefinitions: true,
      $refOptions: { resolve: { http: standardSchemas } },
      bannerComment: `${stamp}\n// Generated from ${basename(file)} by .scripts/generateTypes.mjs; edit the schema.`,
      style: { singleQuote: true, printWidth: 110 },
    });
    writeFileSync(targetOf(file), text);
  }
  return outdated.map(targetOf);
}

/**
 * References to JSON Schema's own meta-schemas are not followed: a build needs no network, and "any schema" is all
 * that a type can say of them.
 */
const standardSchemas = {
  order: 1,
  canRead: /^https?:/,
  /** @param {{ url: string }} file */
  read({ url }) {
    if (new URL(url).hostname !== 'json-schema.org')
      throw new Error(`${url}: schemas refer to files of this repository`);
    return '{ "type": ["object", "boolean"], "additionalProperties": true }';
  },
};

/** @param {string} file */
function targetOf(file) {
  return `${file.slice(0, -suffix.length)}.generated.ts`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (existsSync(join(root, 'node_modules', 'json-schema-to-typescript'))) {
    for (const file of await generateTypes()) console.log(`wrote ${relative(root, file)}`);
  } else {
    // npm runs `prepare` also when development dependencies were left out on purpose.
    console.log('Types are not generated: the development dependencies are not installed.');
  }
}
