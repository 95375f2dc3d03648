/** What is declared once and repeated in package.json, because VS Code reads it there. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { launchAttributes } from '../../../.scripts/manifest.mjs';
import { commandTable } from '../../../client/src/commands/commandTable';
import {
  contextKeys,
  runEditorType,
  runViewId,
  stepsViewId,
  traceEditorType,
} from '../../../client/src/hosts/contextKeys';
import {
  initialStateLanguage,
  reportLanguage,
  stateSchemaLanguage,
} from '../../../client/src/hosts/languageIds';
import { debugType, traceSuffix } from '../../../client/src/hosts/launchConfiguration';
import {
  attributeOf,
  modelSettingNames,
  type RequestSetting,
} from '../../../client/src/hosts/modelConfiguration';
import manifest from '../../../package.json';
import launchSchema from '../../../schemas/launch/launchConfiguration.schema.json';
import { type ClientSettings, settingsSection } from '../../../schemas/messages/messages';
import { defaultSettings } from '../../../server/src/languageService/workspace';

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

  it('binds only known commands to keys, welcomes with known ones, and shows only its own views', () => {
    const { keybindings, viewsWelcome, views } = manifest.contributes;
    const linked = viewsWelcome.flatMap(({ contents }) =>
      [...contents.matchAll(/\]\(command:([\w.-]+)/g)].map((match) => match[1] ?? ''),
    );
    const named = [...keybindings.map(({ command }) => command), ...linked];
    expect(named.filter((command) => !(command in commandTable))).toEqual([]);
    const ids = Object.values(views)
      .flat()
      .map(({ id }) => id);
    expect(ids).toEqual([stepsViewId, runViewId]);
    expect(viewsWelcome.filter(({ view }) => !ids.includes(view))).toEqual([]);
  });

  it('asks in "when" clauses only for context keys that the code sets', () => {
    const { menus, keybindings, views, viewsWelcome } = manifest.contributes;
    const clauses = [
      ...Object.values(menus).flat(),
      ...keybindings,
      ...Object.values(views).flat(),
      ...viewsWelcome,
    ];
    const asked = clauses.flatMap((clause) =>
      'when' in clause ? [...clause.when.matchAll(/(?<![\w-])skill-state\.\w+/g)].map(([key]) => key) : [],
    );
    const known: readonly string[] = [
      ...Object.values(contextKeys),
      ...ownIds(views),
      traceEditorType,
      runEditorType,
    ];
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((key) => !known.includes(key))).toEqual([]);
  });

  it('offers to run, debug and compare what lies on disk, which a remote window calls vscode-remote, and nothing else', () => {
    const { menus, keybindings } = manifest.contributes;
    const entries: readonly { readonly command: string; readonly when?: string }[] = [
      ...Object.entries(menus).flatMap(([menu, all]) => (menu === 'commandPalette' ? [] : [...all])),
      ...keybindings,
    ];
    const offered = entries.filter(
      ({ command, when }) =>
        /^skill-state\.(run|debug|debugTrace|compareRuns)$/.test(command) &&
        when?.includes('resourceFilename'),
    );
    expect(new Set(offered.map(({ command }) => command)).size).toBe(4);
    for (const { command, when } of offered)
      expect([command, when]).toEqual([
        command,
        expect.stringContaining('resourceScheme =~ /^(file|vscode-remote)$/'),
      ]);
    expect(
      entries.filter((clause) => 'when' in clause && /resourceScheme == file\b/.test(clause.when)),
    ).toEqual([]);
  });

  it('opens traces in an editor of ours, which can be left for the text, and wakes up for a panel that was open', () => {
    const { customEditors, viewsContainers, views } = manifest.contributes;
    expect(customEditors.map(({ viewType, selector }) => [viewType, selector])).toEqual([
      [traceEditorType, [{ filenamePattern: `*${traceSuffix}` }]],
    ]);
    expect(viewsContainers.panel.map(({ id }) => id).filter((id) => !(id in views))).toEqual([]);
    expect(manifest.activationEvents).toContain(`onWebviewPanel:${runEditorType}`);
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
    const { languages, grammars, walkthroughs } = manifest.contributes;
    const paths = [
      manifest.icon,
      ...languages.flatMap(({ configuration }) => configuration ?? []),
      ...grammars.map(({ path }) => path),
      ...walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.markdown)),
    ];
    for (const path of paths) expect(readFileSync(path).length).toBeGreaterThan(0);
  });

  it('contributes the languages that the code knows, each with a grammar', () => {
    const ids = manifest.contributes.languages.map(({ id }) => id);
    expect(ids).toEqual([stateSchemaLanguage, initialStateLanguage, reportLanguage]);
    expect(manifest.contributes.grammars.map(({ language }) => language)).toEqual(ids);
    expect(Object.keys(manifest.contributes.configurationDefaults)).toEqual(ids.map((id) => `[${id}]`));
  });

  it('wakes up for its own documents and no others', () => {
    const languages = manifest.activationEvents
      .filter((event) => event.startsWith('onLanguage:'))
      .map((event) => event.slice('onLanguage:'.length));
    expect(languages).toEqual(['skill', stateSchemaLanguage, initialStateLanguage]);
    expect(manifest.activationEvents).not.toContain('onStartupFinished');
    expect(manifest.activationEvents).not.toContain('*');
  });

  it('has the settings that the server and the client read', () => {
    const { properties } = manifest.contributes.configuration;
    expect(Object.keys(properties)).toEqual(
      [
        ...['profile', 'stateBound', 'diagnostics.repeatBuiltIn', 'answerInEditor'],
        ...modelSettingNames,
        'trace.server',
      ].map((name) => `${settingsSection}.${name}`),
    );
    const settings = {
      profile: properties['skill-state.profile'].enum,
      stateBound: properties['skill-state.stateBound'].enum,
    };
    const known: { [Key in keyof typeof settings]: readonly Required<ClientSettings>[Key][] } = {
      profile: ['standard', 'vscode', 'claude'],
      stateBound: ['inlayHints', 'codeLenses', 'off'],
    };
    expect(settings).toEqual(known);
    expect(properties['skill-state.stateBound'].default).toBe(defaultSettings.stateBound);
  });

  it('bounds what a setting has for launch.json as the attribute of that name is bounded', () => {
    const settings: Readonly<Record<string, object>> = manifest.contributes.configuration.properties;
    const attributes: Readonly<Record<string, object>> = launchSchema.properties;
    const names = modelSettingNames.filter((name): name is RequestSetting => name.startsWith('model.'));
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const setting = boundsOf(settings[`${settingsSection}.${name}`]);
      expect([name, setting]).toEqual([name, boundsOf(attributes[attributeOf(name)])]);
    }
  });

  it('takes from a workspace that is not trusted no address, lets none turn off redaction, and has no place for a key', () => {
    const settings = Object.entries(manifest.contributes.configuration.properties);
    const { untrustedWorkspaces } = manifest.capabilities;
    expect(untrustedWorkspaces.supported).toBe('limited');
    const withAddress = settings.filter(([, setting]) => JSON.stringify(setting).includes('baseUrl'));
    expect(withAddress.map(([name]) => name)).toEqual(untrustedWorkspaces.restrictedConfigurations);
    expect(manifest.contributes.configuration.properties['skill-state.redact'].scope).toBe('application');
    const names = [...settings.map(([name]) => name), ...Object.keys(launchSchema.properties)];
    expect(names.filter((name) => /key|token$|secret|password|credential/i.test(name))).toEqual([]);
  });

  it('leads through commands that there are', () => {
    const steps = manifest.contributes.walkthroughs.flatMap(({ steps }) => steps);
    for (const { description, completionEvents } of steps) {
      const linked = [...description.matchAll(/\]\(command:([\w.-]+)/g)].map((match) => match[1] ?? '');
      const awaited = completionEvents.flatMap((event) => event.match(/^onCommand:(.*)$/)?.[1] ?? []);
      expect(linked.length).toBeGreaterThan(0);
      const ours = [...linked, ...awaited].filter((id) => id.startsWith('skill-state.'));
      expect(ours.filter((id) => !(id in commandTable))).toEqual([]);
      expect(completionEvents.length).toBeGreaterThan(0);
    }
  });

  it('asks of VS Code what the types describe, and no less', () => {
    const types = Number(/\d+\.(\d+)/.exec(manifest.devDependencies['@types/vscode'])?.[1]);
    const engine = Number(/\d+\.(\d+)/.exec(manifest.engines.vscode)?.[1]);
    expect(types).toBeLessThanOrEqual(engine);
  });
});

/** What a value has to be; null, by which a setting says nothing, is no type of it. */
function boundsOf(schema: object = {}) {
  const given = new Map(Object.entries(schema));
  const types = [given.get('type')].flat().filter((type) => type !== 'null');
  const bounds = ['enum', 'minimum', 'exclusiveMinimum', 'maximum', 'minLength'];
  return { types, ...Object.fromEntries(bounds.map((name) => [name, given.get(name)])) };
}

/** The ids of views and custom editors, which clauses compare with. */
function ownIds(views: Readonly<Record<string, readonly { readonly id: string }[]>>): string[] {
  return Object.values(views)
    .flat()
    .map(({ id }) => id);
}
