/** Opens the recordings that `replay:<path>` answers from. */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { ModelFailure } from '../../runtime/model';
import { quoted } from '../../runtime/quotation';
import type { TraceReader } from '../../runtime/traceReader';
import { openTraceReader } from './traceBytes';

export interface RecordingPlaces {
  /** Where a relative path begins, in the order in which they are tried: the current folder, or that of a workspace. */
  readonly folders: readonly string[];
  /** The trace of a run that goes on. Its own trace is no recording, though it may have the same name. */
  readonly resumed?: string | undefined;
}

/** Of a run that goes on, or is replayed: its own folder comes first. */
export function placesBeside(trace: string, folders: readonly string[] = ['.']): RecordingPlaces {
  return { folders: [dirname(trace), ...folders], resumed: trace };
}

/** Opens without reading. Failures are {@link ModelFailure}s, whose messages name no folder, since they may be recorded. */
export function recordingOpener({
  folders,
  resumed,
}: RecordingPlaces): (path: string) => Promise<TraceReader> {
  return async (path) => {
    const own = resumed === undefined ? undefined : await realpath(resumed).catch(() => undefined);
    for (const folder of new Set(folders)) {
      const file = resolve(folder, path);
      if (!(await isFile(file))) continue;
      if (own !== undefined && (await realpath(file).catch(() => undefined)) === own) continue;
      return openTraceReader(file);
    }
    const name = quoted(basename(path), 120);
    const message =
      resumed === undefined
        ? `There is no recording ${name} to answer from: look at the path after replay:.`
        : `The recording ${name}, from which this run's model answers, is neither beside its trace nor in the current folder: put it beside the trace and resume again.`;
    throw new ModelFailure(message, { class: 'no-reply', retryable: false });
  };
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    // Whatever keeps it from being looked at, there is none that could be read here.
    return false;
  }
}
