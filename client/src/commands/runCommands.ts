/** Commands about the Run view and the editor of trace files. */
import type { ExportFormat } from '../../../schemas/messages/runPanelMessages';
import { isExportFormat } from '../../../schemas/messages/runPanelMessages';
import type { RunViews } from '../views/runPanel/runPanel';
import { fileArgument, textAnswer } from './commandArguments';
import { stepArgument } from './stepArgument';

/** The handlers by the identifiers of their commands. */
export function runCommands({ runs }: { readonly runs: RunViews }) {
  return {
    'skill-state.openRunPanel': (argument?: unknown) => runs.openPanel(stepArgument(argument)),
    'skill-state.openRunInEditor': () => runs.openEditor(),
    'skill-state.exportRun': (argument?: unknown) => runs.export(formatAnswer(argument)),
    'skill-state.openTraceAsText': (argument?: unknown) => runs.openText(fileArgument(argument)),
  };
}

function formatAnswer(argument: unknown): ExportFormat | undefined {
  const format = textAnswer(argument, 'format');
  return isExportFormat(format) ? format : undefined;
}
