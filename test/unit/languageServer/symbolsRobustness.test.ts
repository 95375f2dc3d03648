import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WorkspaceEdit } from 'vscode-languageserver-types';
import { LineIndex } from '../../../schemas/text/position';
import { pageOf } from '../../../server/src/languageService/documents';
import { SkillModels } from '../../../server/src/languageService/skillModels';
import { RenameFailure } from '../../../server/src/languageService/symbols/navigation';
import { findInPaths } from '../../../server/src/languageService/symbols/pathFindings';
import { findInProse } from '../../../server/src/languageService/symbols/proseFindings';
import { spansOf } from '../../../server/src/languageService/symbols/skillProse';
import { defaultSettings } from '../../../server/src/languageService/workspace';
import { type SkillWorkspace, skillWorkspace } from '../../support/skillWorkspace';
import { filesBelow, sharedFolder } from '../schemas/sharedData';

const pieces = [
  ...[
    '`',
    '``',
    '\n',
    '\n\n',
    '- ',
    '> ',
    '    ',
    '```json\n',
    '```\n',
    '<!--',
    '-->',
    '<a b="',
    '# Actions\n',
  ],
  ...[
    'inventory',
    'tasks',
    '[0]',
    '[]',
    '.',
    'title',
    '/',
    '~1',
    'Store',
    ' ',
    '<x>',
    '<',
    '>',
    '(',
    ')',
    ',',
  ],
  ...[
    '"',
    "'",
    '{',
    '}',
    ':',
    'state.',
    '| ',
    '|---|\n',
    '\\',
    '😀',
    '\r\n',
    '\r',
    '\t',
    '__proto__',
    '\uFEFF',
    '\0',
  ],
  ...[
    '{"state_patch":{"tasks":[{"title":1}]},"action":"Store a"}',
    '$ref',
    '#/$defs/x',
    'properties:',
    '&a ',
    '*a',
  ],
];

/** Numbers that look random and are the same in every run (a linear congruential generator). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

const front =
  '---\nname: sample\ndescription: d\nmetadata:\n  environment: warehouse\n  terminal-actions: Store\n---\n# Actions\n\n- `Store <x>`\n';
const schema =
  'type: object\nproperties:\n  tasks: {type: array, items: {properties: {title: {}}}}\n  inventory: {additionalProperties: {type: string}}\n';

function textOf(next: (below: number) => number, most: number): string {
  return Array.from({ length: next(most) }, () => pieces[next(pieces.length)] ?? '').join('');
}

/** Edits of one document may touch, but not overlap. */
function overlaps(work: SkillWorkspace, edit: WorkspaceEdit | undefined): boolean {
  return Object.entries(edit?.changes ?? {}).some(([uri, edits]) => {
    const lines = new LineIndex(work.text(uri.slice(work.uri('').length).replace(/^\//, '')));
    const places = edits
      .map(({ range }) => [lines.offsetAt(range.start), lines.offsetAt(range.end)] as const)
      .sort(([a], [b]) => a - b);
    return places.some(([start], index) => start < (places[index - 1]?.[1] ?? 0));
  });
}

describe('any text', () => {
  it('gets answers, and renames whose edits fit together', async () => {
    const next = numbers(7);
    let renames = 0;
    for (let round = 0; round < 60; round++) {
      const work = skillWorkspace({
        'SKILL.md': front + textOf(next, 60),
        'state.schema.yaml': next(2) === 0 ? schema : schema + textOf(next, 20),
        'state.initial.yaml': `tasks: []\n${next(3) === 0 ? '' : textOf(next, 10)}`,
      });
      for (const path of ['SKILL.md', 'state.schema.yaml', 'state.initial.yaml']) {
        const text = work.text(path);
        const uri = work.uri(path);
        await work.service.findings(uri);
        for (let tries = 0; tries < 6; tries++) {
          const position = new LineIndex(text).positionAt(next(text.length + 1));
          await work.service.definition(uri, position);
          await work.service.references(uri, position, { includeDeclaration: true });
          await work.service.hover(uri, position);
          if (path === 'SKILL.md') await work.service.completion(uri, position);
          if ((await work.service.prepareRename(uri, position)) === undefined) continue;
          const edit = await work.service.rename(uri, position, 'renamed').catch((error: unknown) => {
            if (error instanceof RenameFailure) return undefined;
            throw error;
          });
          if (edit !== undefined) renames++;
          expect(overlaps(work, edit), text).toBe(false);
        }
      }
    }
    expect(renames).toBeGreaterThan(20);
  });
});

const corpus = sharedFolder('skills-corpus');

describe.skipIf(corpus === undefined)('public skills', () => {
  it('have no findings in their prose: they have no schemas', async () => {
    const paths = filesBelow(corpus, 'SKILL.md');
    const environments = { names: [], actionsOf: () => undefined };
    let read = 0;
    for (const path of paths) {
      const work = skillWorkspace(
        { 'SKILL.md': readFileSync(path, 'utf8') },
        { name: basename(dirname(path)) },
      );
      const models = new SkillModels(work.workspace);
      const located = await models.locate(work.uri('SKILL.md'));
      const page = located && pageOf(located, models);
      if (page?.kind !== 'skill') continue;
      read++;
      const tools = {
        workspace: work.workspace,
        environments,
        settings: defaultSettings,
        pause: async () => undefined,
        tokenizer: () => Promise.reject(new Error('Nothing is counted here.')),
      };
      expect(await findInProse(page, tools), path).toEqual([]);
    }
    expect(read).toBe(paths.length);
  }, 60_000);

  it('hardly have any with a schema whose fields have everyday names', async () => {
    const names = [
      ...['account', 'app', 'branch', 'client', 'color', 'commit', 'config', 'content', 'context', 'count'],
      ...[
        'data',
        'email',
        'error',
        'event',
        'file',
        'files',
        'history',
        'input',
        'items',
        'level',
        'message',
      ],
      ...['metadata', 'mode', 'model', 'name', 'note', 'output', 'owner', 'package', 'page', 'path', 'plan'],
      ...[
        'project',
        'query',
        'request',
        'response',
        'result',
        'role',
        'server',
        'session',
        'source',
        'status',
      ],
      ...['step', 'summary', 'target', 'task', 'title', 'total', 'type', 'url', 'user', 'value', 'version'],
    ];
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    const schema = JSON.stringify({ type: 'object', properties, additionalProperties: false });
    const found: string[] = [];
    for (const path of filesBelow(corpus, 'SKILL.md')) {
      const work = skillWorkspace(
        { 'SKILL.md': readFileSync(path, 'utf8'), 'state.schema.json': schema },
        { name: basename(dirname(path)) },
      );
      const models = new SkillModels(work.workspace);
      const located = await models.locate(work.uri('SKILL.md'));
      const page = located && pageOf(located, models);
      if (page?.kind === 'skill')
        found.push(...findInPaths(page, spansOf(page)).map(({ message }) => `${path}: ${message}`));
    }
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(2);
  }, 60_000);
});
