/** What is declared once and repeated in package.json, because VS Code reads it there. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { launchAttributes } from '../../../.scripts/manifest.mjs';
import { commandTable } from '../../../client/src/commands/commandTable';
import { debugType } from '../../../client/src/hosts/launchConfiguration';
import manifest from '../../../package.json';
import launchSchema from '../../../schemas/launch/launchConfiguration.schema.json';

describe('package.json', () => {
  it('contributes exactly the commands of the table', () => {
    const expected = Object.entries(commandTable).map(([command, { title, ...rest }]) => ({
      command,
      title,
      category: 'Skill',
      ...rest,
    }));
    expect(manifest.contributes.commands).toEqual(expected);
  });

  it('puts only known commands into menus', () => {
    const inMenus = Object.values(manifest.contributes.menus)
      .flat()
      .map(({ command }) => command);
    expect(inMenus.filter((command) => !(command in commandTable))).toEqual([]);
  });

  it('contributes the debugger under the type that the code uses', () => {
    expect(manifest.contributes.debuggers.map(({ type }) => type)).toEqual([debugType]);
  });

  it('has the launch attributes of their JSON Schema; `npm run manifest` writes them', () => {
    const attributes = manifest.contributes.debuggers.map(
      ({ configurationAttributes }) => configurationAttributes.launch,
    );
    expect(attributes).toEqual([launchAttributes(launchSchema)]);
  });

  it('offers breakpoints only where they can bind, not in every YAML or Markdown file', () => {
    const languages = manifest.contributes.breakpoints.map(({ language }) => language);
    expect(languages).toEqual(['skill', 'skill-state-schema']);
    expect(manifest.contributes.debuggers.flatMap(({ languages }) => languages)).toEqual(languages);
  });

  it('names files that exist', () => {
    const [language] = manifest.contributes.languages;
    const [grammar] = manifest.contributes.grammars;
    for (const path of [manifest.icon, language?.configuration, grammar?.path]) {
      expect(readFileSync(path ?? '').length).toBeGreaterThan(0);
    }
  });

  it('asks of VS Code what the types describe, and no less', () => {
    const types = Number(/\d+\.(\d+)/.exec(manifest.devDependencies['@types/vscode'])?.[1]);
    const engine = Number(/\d+\.(\d+)/.exec(manifest.engines.vscode)?.[1]);
    expect(types).toBeLessThanOrEqual(engine);
  });
});
