/** A language service over files in memory, for tests: the folder is `file:///skills/<name>/`, the cursor a mark in a text. */
import { URI, Utils } from 'vscode-uri';
import { createEnvironment, environmentNames } from '../../client/src/environments/registry';
import { loadTokenizer } from '../../client/src/models/o200kTokenizer';
import { LineIndex, type Position } from '../../schemas/text/position';
import {
  createLanguageService,
  type LanguageService,
} from '../../server/src/languageService/languageService';
import { defaultSettings, type Settings, type Workspace } from '../../server/src/languageService/workspace';

export interface SkillWorkspace {
  readonly service: LanguageService;
  readonly workspace: Workspace;
  /** The URI of a path in the skill's folder. */
  uri(path: string): string;
  /** The text of a path now. */
  text(path: string): string;
  /** Changes a file; `undefined` deletes it. */
  set(path: string, text: string | undefined): void;
}

/** Files by their path in the folder of a skill. */
export function skillWorkspace(
  files: Readonly<Record<string, string>>,
  options: {
    readonly name?: string;
    readonly settings?: Partial<Settings>;
    /** Between pieces of the service's work. */
    readonly pause?: () => Promise<void>;
  } = {},
): SkillWorkspace {
  const folder = URI.parse(`file:///skills/${options.name ?? 'sample'}`);
  const uri = (path: string) => Utils.joinPath(folder, ...path.split('/')).toString();
  const stored = new Map(Object.entries(files).map(([path, text]) => [uri(path), text]));
  const workspace: Workspace = {
    read: async (asked) => stored.get(asked),
    async list(folderUri) {
      const prefix = `${folderUri.replace(/\/$/, '')}/`;
      const entries = new Map<string, boolean>();
      for (const known of stored.keys()) {
        if (!known.startsWith(prefix)) continue;
        const [name = '', ...rest] = known.slice(prefix.length).split('/');
        entries.set(decodeURIComponent(name), rest.length > 0);
      }
      return [...entries]
        .map(([name, isFolder]) => ({ name, isFolder }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    findSkills: async () => [...stored.keys()].filter((known) => known.endsWith('/SKILL.md')),
  };
  const environments = {
    names: environmentNames,
    actionsOf: (name: string) =>
      environmentNames.includes(name)
        ? createEnvironment(name, { asker: { ask: async () => undefined } }).actions
        : undefined,
  };
  const settings = { ...defaultSettings, ...options.settings };
  const service = createLanguageService({
    workspace,
    environments,
    loadTokenizer,
    settings,
    ...(options.pause && { pause: options.pause }),
  });
  return {
    service,
    workspace,
    uri,
    text: (path) => stored.get(uri(path)) ?? '',
    set(path, text) {
      if (text === undefined) stored.delete(uri(path));
      else stored.set(uri(path), text);
      service.changed();
    },
  };
}

/** Takes the first `‸` out of a text and says where it was. */
export function cursorIn(marked: string): {
  readonly text: string;
  readonly offset: number;
  readonly position: Position;
} {
  const offset = marked.indexOf('‸');
  if (offset === -1) throw new Error('The text has no ‸ for the cursor.');
  const text = marked.slice(0, offset) + marked.slice(offset + 1);
  return { text, offset, position: new LineIndex(text).positionAt(offset) };
}
