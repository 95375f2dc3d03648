/** Runs of the warehouse sample on a real model server, in a folder of their own: what the `live` tests share. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json/jsonValue';
import { readTrace, type TraceRecord } from '../../schemas/trace/trace';
import { type BigramOptions, writeBigramModel } from './bigramModel';
import { type CommandProcess, type CommandResult, endOf, startCommand, temporaryFolder } from './commandLine';
import { endWithUs } from './endedWithUs';
import { type LlamaServer, type LlamaServerOptions, startLlamaServer } from './llamaServer';
import { repository } from './memoryRun';

/** The learned model's name, which is its folder's and its file's, too. */
export const learnedName = 'warehouse-tiny';
/** The name of the model of random quality. */
export const randomName = 'bigram';

export interface LiveRuns {
  readonly folder: string;
  /** A file of the model of random quality. */
  randomModel(options?: BigramOptions): string;
  serve(options: Omit<LlamaServerOptions, 'command'>): Promise<LlamaServer>;
  /** The command line to its end, in the folder. */
  run(...args: readonly string[]): Promise<CommandResult>;
  /** Runs the sample; `flags` beside model, server and trace. */
  runSample(
    server: LlamaServer,
    model: string,
    trace: string,
    ...flags: readonly string[]
  ): Promise<SampleRun>;
  /** The same, not waiting for its end. */
  startSample(server: LlamaServer, model: string, trace: string, ...flags: readonly string[]): StartedSample;
  recordsIn(trace: string): readonly TraceRecord[];
  /** Ends every server that still runs, and removes the folder. */
  end(): Promise<void>;
}

export interface SampleRun extends CommandResult {
  /** What `--json` gives; without members where the command gave none. */
  readonly report: JsonObject;
}

export interface StartedSample {
  readonly child: CommandProcess;
  readonly end: Promise<CommandResult>;
}

/** @param command what `installLlamaServer` gave */
export function openLiveRuns(command: string): LiveRuns {
  const folder = temporaryFolder();
  const running = new Set<LlamaServer>();
  // What probes find stays here: ports come again.
  const variables = { SKILL_STATE_CACHE: join(folder.path, 'cache') };
  const sampleArguments = (server: LlamaServer, model: string, trace: string, flags: readonly string[]) => [
    ...['run', join(repository, 'samples', 'warehouse'), '--model', `openai:${model}`],
    ...['--base-url', server.baseUrl, '--trace', trace, '--json', ...flags],
  ];
  const start = (args: readonly string[]): StartedSample => {
    const child = startCommand(args, folder.path, variables);
    endWithUs(child);
    child.stdin.end();
    return { child, end: endOf(child) };
  };
  return {
    folder: folder.path,
    randomModel: (options = {}) => {
      const { endChance = 'usual', isWide = false } = options;
      const path = join(folder.path, `${randomName}-${endChance}-${isWide}.gguf`);
      const texts = ['LICENSE', 'README.md', 'CONTRIBUTING.md'].map((name) =>
        readFileSync(join(repository, name)),
      );
      writeBigramModel(path, texts, options);
      return path;
    },
    serve: async (options) => {
      const server = await startLlamaServer({ command, ...options });
      running.add(server);
      return server;
    },
    run: (...args) => start(args).end,
    runSample: async (server, model, trace, ...flags) => {
      const result = await start(sampleArguments(server, model, trace, flags)).end;
      return { ...result, report: reportIn(result.stdout) };
    },
    startSample: (server, model, trace, ...flags) => start(sampleArguments(server, model, trace, flags)),
    recordsIn: (trace) => readTrace(readFileSync(join(folder.path, trace))).records,
    end: async () => {
      for (const server of running) await server.kill();
      folder.remove();
    },
  };
}

function reportIn(output: string): JsonObject {
  const report: JsonValue = output === '' ? {} : JSON.parse(output);
  return isJsonObject(report) ? report : {};
}

/** The records of a kind. */
export function recordsOf<Kind extends TraceRecord['kind']>(records: readonly TraceRecord[], kind: Kind) {
  return records.filter((record): record is Extract<TraceRecord, { kind: Kind }> => record.kind === kind);
}

/** How often each value occurs. */
export function countsOf(values: readonly (string | undefined)[]): Readonly<Record<string, number>> {
  const result: Record<string, number> = {};
  for (const value of values) result[value ?? 'none'] = (result[value ?? 'none'] ?? 0) + 1;
  return result;
}
