/** What `$ref` can lead to in the other files of a schema's folder: their roots and their definitions. */
import { URI, Utils } from 'vscode-uri';
import { parseSourceFile } from '../../../../schemas/text/sourceFile';
import type { SourceNode } from '../../../../schemas/text/sourceTree';
import type { Workspace } from '../workspace';
import { fragmentOf } from './writtenSchema';

/** A subschema of another file. */
export interface OtherDefinition {
  /** As `$ref` names it: `parts.yaml#/$defs/item`, or `parts.yaml` for the whole. */
  readonly reference: string;
  readonly description: string | undefined;
}

const maxFiles = 30;
const maxFolders = 10;
/** Longer files are data. */
const maxLength = 200_000;
const maxDefinitions = 200;

/** The definitions of the YAML and JSON files in a file's folder, in the folders inside, and in the skill's folder around it. */
export async function definitionsElsewhere(
  uri: string,
  workspace: Workspace,
): Promise<readonly OtherDefinition[]> {
  const files = await filesAround(uri, workspace);
  const found = await Promise.all(
    files.slice(0, maxFiles).map(async ({ uri: other, path }) => {
      const text = await workspace.read(other).catch(() => undefined);
      return text === undefined || text.length > maxLength ? [] : definitionsIn(path, text);
    }),
  );
  return found.flat().slice(0, maxDefinitions);
}

interface OtherFile {
  readonly uri: string;
  /** Relative to the folder of the schema. */
  readonly path: string;
}

async function filesAround(uri: string, workspace: Workspace): Promise<readonly OtherFile[]> {
  const folder = Utils.dirname(URI.parse(uri));
  const inFolder = async (at: URI, prefix: string) => {
    const entries = await workspace.list(at.toString());
    const files = entries
      .filter(({ name, isFolder }) => !isFolder && isPart(name))
      .map(({ name }) => ({ uri: Utils.joinPath(at, name).toString(), path: prefix + name }))
      .filter((file) => file.uri !== uri);
    const folders = entries.filter(
      ({ name, isFolder }) => isFolder && !name.startsWith('.') && name !== 'node_modules',
    );
    return { files, folders, isSkill: entries.some(({ name }) => name === 'SKILL.md') };
  };
  const own = await inFolder(folder, '');
  const below = await Promise.all(
    own.folders.slice(0, maxFolders).map(({ name }) => inFolder(Utils.joinPath(folder, name), `${name}/`)),
  );
  const files = [...own.files, ...below.flatMap((one) => one.files)];
  // References may not leave the skill's folder.
  const around = own.isSkill ? undefined : await inFolder(Utils.dirname(folder), '../');
  return around?.isSkill === true ? [...files, ...around.files] : files;
}

function isPart(name: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(name) && !/^state\.initial\./i.test(name) && !name.endsWith('.jsonl');
}

/** Keywords by which a file shows that it is a schema as a whole. */
const schemaKeywords = ['type', 'properties', 'items', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref'];

function definitionsIn(path: string, text: string): readonly OtherDefinition[] {
  const { root } = parseSourceFile({ path, text });
  const properties = root?.properties;
  if (root === undefined || properties === undefined) return [];
  const file = path.split('/').map(encodeURIComponent).join('/');
  const whole = schemaKeywords.some((keyword) => properties.has(keyword))
    ? [{ reference: file, description: descriptionOf(root) }]
    : [];
  const named = ['$defs', 'definitions'].flatMap((keyword) =>
    [...(properties.get(keyword)?.node.properties ?? [])].map(([name, { node }]) => ({
      reference: `${file}#/${keyword}/${fragmentOf(name)}`,
      description: descriptionOf(node),
    })),
  );
  return [...whole, ...named];
}

function descriptionOf({ properties }: SourceNode): string | undefined {
  const text = properties?.get('description')?.node.value ?? properties?.get('title')?.node.value;
  return typeof text === 'string' ? text : undefined;
}
