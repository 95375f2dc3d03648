/** LangGraph.js, the peer: installed from npm once, into the cache outside the checkout; the product knows nothing of it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cacheFolder, Unavailable } from '../vscodeCache';

/** What is compared with. */
export const langGraphVersion = '1.7.3';
const dependencies = {
  '@langchain/core': '1.4.0',
  '@langchain/langgraph': langGraphVersion,
  zod: '^4.2.0',
} as const;

/** As much of the package as the peer run uses; its own types are not there when this is checked. */
export interface LangGraph {
  readonly START: string;
  readonly END: string;
  readonly Annotation: {
    <Value>(): Channel<Value>;
    Root(channels: Readonly<Record<string, unknown>>): StateDefinition;
  };
  readonly StateGraph: new (state: StateDefinition) => GraphBuilder;
  readonly MemorySaver: new () => object;
}

type Channel<Value> = { readonly valueType?: Value };
type StateDefinition = { readonly spec: unknown };

interface GraphBuilder {
  addNode<State>(name: string, node: (state: State) => Promise<Partial<State>>): GraphBuilder;
  addEdge(from: string, to: string): GraphBuilder;
  addConditionalEdges<State>(from: string, route: (state: State) => string): GraphBuilder;
  compile(options: { readonly checkpointer: object }): {
    invoke(
      input: object,
      options: {
        readonly recursionLimit: number;
        readonly configurable: { readonly thread_id: string };
      },
    ): Promise<unknown>;
  };
}

/**
 * Loads the package, installing it first when the cache lacks it (70 MB, some seconds).
 *
 * @throws Unavailable when npm can't install it
 */
export function loadLangGraph(log: (line: string) => void): LangGraph {
  const target = join(cacheFolder(), `langgraph-${langGraphVersion}`);
  if (!existsSync(target)) install(target, log);
  return createRequire(join(target, 'package.json'))('@langchain/langgraph') as LangGraph;
}

/** Renamed into place when complete, so that what is there is whole. */
function install(target: string, log: (line: string) => void): void {
  log(`Installing LangGraph.js ${langGraphVersion} into ${target}; this is done once.`);
  mkdirSync(cacheFolder(), { recursive: true });
  const incomplete = mkdtempSync(`${target}-incomplete-`);
  try {
    writeFileSync(join(incomplete, 'package.json'), JSON.stringify({ private: true, dependencies }));
    const settings = ['--no-audit', '--no-fund', '--ignore-scripts', '--omit=dev', '--loglevel=error'];
    execFileSync('npm', ['install', '--prefix', incomplete, ...settings], {
      cwd: incomplete,
      stdio: ['ignore', 'ignore', 'pipe'],
      shell: process.platform === 'win32',
    });
    renameSync(incomplete, target);
  } catch (cause) {
    rmSync(incomplete, { recursive: true, force: true });
    // Another process was faster.
    if (existsSync(target)) return;
    throw new Unavailable(`npm could not install LangGraph.js ${langGraphVersion}`, { cause });
  }
}
