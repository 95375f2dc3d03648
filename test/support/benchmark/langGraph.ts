/** LangGraph.js, the peer of runs; the product knows nothing of it. */
import { requireFromPeer } from './peerPackage';

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
  const folder = `langgraph-${langGraphVersion}`;
  const peer = { title: 'LangGraph.js', version: langGraphVersion, folder, dependencies };
  return requireFromPeer(peer, log)('@langchain/langgraph') as LangGraph;
}
