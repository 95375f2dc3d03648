/**
 * `npm run manifest`: writes into package.json what is declared elsewhere and VS Code reads there: the attributes of
 * launch.json, from their JSON Schema. A test sees to it that this was run.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './install.mjs';

/**
 * The `configurationAttributes.launch` of the manifest. `additionalProperties` stays out: launch.json has attributes
 * of VS Code's own, `preLaunchTask` for one.
 *
 * @param {{ anyOf: readonly unknown[], properties: Readonly<Record<string, unknown>> }} schema
 */
export function launchAttributes({ anyOf, properties }) {
  return { anyOf, properties };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const path = join(root, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  const schema = JSON.parse(
    readFileSync(join(root, 'schemas', 'launch', 'launchConfiguration.schema.json'), 'utf8'),
  );
  manifest.contributes.debuggers[0].configurationAttributes.launch = launchAttributes(schema);
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}
