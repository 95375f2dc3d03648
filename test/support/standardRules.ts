/**
 * The rules of the Agent Skills standard (agentskills.io/specification), written once more for tests: with another YAML
 * reader and without a line of the product's.
 */
import { load } from 'js-yaml';

/** What can be breached. */
export type StandardRule =
  | 'front matter'
  | 'keys'
  | 'name'
  | 'folder'
  | 'description'
  | 'license'
  | 'compatibility'
  | 'metadata'
  | 'allowed-tools';

const keys = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];

/** The rules that a `SKILL.md` in a folder breaches, sorted. */
export function breachedRules(text: string, folderName: string): readonly StandardRule[] {
  const yaml = /^\uFEFF?---[ \t]*\r?\n((?:.*\r?\n)*?)---[ \t]*(?:\r?\n|$)/.exec(text)?.[1];
  if (yaml === undefined) return ['front matter'];
  let values: unknown;
  try {
    values = load(yaml);
  } catch {
    return ['front matter'];
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return ['front matter'];
  const of = new Map<string, unknown>(Object.entries(values));
  const breached = new Set<StandardRule>();
  const check = (rule: StandardRule, holds: boolean) => {
    if (!holds) breached.add(rule);
  };
  check(
    'keys',
    [...of.keys()].every((key) => keys.includes(key)),
  );
  const name = of.get('name');
  check('name', typeof name === 'string' && name.length <= 64 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name));
  check('folder', typeof name !== 'string' || name === folderName);
  check('description', isText(of.get('description'), 1, 1024));
  check('license', !of.has('license') || typeof of.get('license') === 'string');
  check('compatibility', !of.has('compatibility') || isText(of.get('compatibility'), 1, 500));
  const metadata = of.get('metadata');
  const isMap = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  check(
    'metadata',
    metadata === undefined ||
      metadata === null ||
      (isMap && Object.values(metadata).every((value) => typeof value === 'string')),
  );
  check('allowed-tools', !of.has('allowed-tools') || typeof of.get('allowed-tools') === 'string');
  return [...breached].sort();
}

function isText(value: unknown, least: number, most: number): boolean {
  if (typeof value !== 'string' || value.trim() === '') return false;
  const length = [...value].length;
  return length >= least && length <= most;
}
