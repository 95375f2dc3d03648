/** Reads a YAML or JSON file by its name into a source tree. */
import { parseJsonDocument } from './jsonDocument';
import type { SourceDocument } from './sourceTree';
import { parseYamlDocument } from './yamlDocument';

/** A file's text under its path, relative to the skill's folder. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** JSON where the name ends in `.json`, YAML otherwise. A byte order mark is skipped. */
export function parseSourceFile({ path, text }: TextFile): SourceDocument {
  if (!path.toLowerCase().endsWith('.json')) return parseYamlDocument(text);
  return parseJsonDocument(text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text);
}
