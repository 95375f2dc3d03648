/** The debug adapter inside the extension host: one session object for each debug session, no process of its own. */
import * as vscode from 'vscode';
import type { Remedy } from '../../debug/debugHost';
import type { ExchangeSource } from '../../debug/exchangeSource';
import { isChosen, otherModelNote } from '../chosenModel';
import { debugType } from '../launchConfiguration';
import type { ModelAccess } from './modelAccess';

/** VS Code shows a button that opens it, where its own one would open launch.json. */
const chooseModel: Remedy = { label: 'Choose Model…', url: 'command:skill-state.chooseModel' };

/** Registers the adapter until the returned object is disposed; its code is loaded with the first session. */
export function registerDebugAdapter({
  context,
  log,
  models,
  onEnded,
}: {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly models: ModelAccess;
  /** A session is over: takes what is kept of its requests to the model. */
  readonly onEnded: (session: string, exchanges: ExchangeSource) => void;
}): vscode.Disposable {
  return vscode.debug.registerDebugAdapterDescriptorFactory(debugType, {
    async createDebugAdapterDescriptor(session) {
      // VS Code asks for trust before it starts a session; this holds also for who starts one another way.
      if (!vscode.workspace.isTrusted)
        throw new Error('This workspace is not trusted, so no skill is run in it.');
      const [{ SkillDebugSession }, { createDebugHost }, { stackText }] = await Promise.all([
        import('../../debug/skillDebugSession'),
        import('../node/debugHost'),
        import('../node/stackText'),
      ]);
      // Without a folder, a relative path has no meaning and traces have no place but the extension's own.
      const storage = (context.storageUri ?? context.globalStorageUri).fsPath;
      const folder =
        (session.workspaceFolder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath ?? storage;
      log.info(`Session "${session.name}": ${JSON.stringify(session.configuration.skill)} in ${folder}`);
      const { notes, ...settings } = models.forRuns(session.workspaceFolder?.uri);
      const note = otherModelNote(session.configuration, models.choice.current);
      return new vscode.DebugAdapterInlineImplementation(
        new SkillDebugSession({
          host: createDebugHost({
            folder,
            traceFolder: folder,
            ...settings,
            notes: [...(notes ?? []), ...(note === undefined ? [] : [note])],
            modelRemedy: isChosen(session.configuration, models.choice.current) ? chooseModel : undefined,
            onBug: (error, during) => log.error(`Session "${session.name}", ${during}: ${stackText(error)}`),
          }),
          onExchanges: (exchanges) => onEnded(session.id, exchanges),
        }),
      );
    },
  });
}
