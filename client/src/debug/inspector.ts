/** What a client sees of where a run stands: scopes, variables, places of declarations, and values of expressions. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Skill } from '../../../schemas/skill/skill';
import type { ClientConventions } from './clientConventions';
import { dataBreakpointInfo, dataPath } from './dataBreakpoints';
import { failures } from './errors';
import { parseExpression, resolvePath } from './evaluation';
import type { RunSources } from './sources';
import { schemaPlace } from './stackFrames';
import type { Position } from './stepController';
import { typeName, valueText } from './valueText';
import { VariableStore } from './variables';
import { editableRoots, missingRoot, rootValue, scopesOf, valueAnnotator } from './view';

/** How much of a text the console and the clipboard get. */
const evaluatedLength = { repl: 20_000, clipboard: Number.POSITIVE_INFINITY, other: 2_000 } as const;

export interface RunInspectorOptions {
  readonly skill: Skill;
  readonly client: ClientConventions;
  readonly sources: RunSources;
  /** Where the run stands, running or not; undefined before its first observation. */
  readonly position: () => Position | undefined;
}

export class RunInspector {
  readonly #options: RunInspectorOptions;
  readonly #variables = new VariableStore();
  /** Counts what changed within a stop. */
  #changes = 0;

  constructor(options: RunInspectorOptions) {
    this.#options = options;
  }

  /** The run goes on: what was shown can't be opened any further. */
  expire(): void {
    this.#variables.reset();
  }

  /** What is shown from now on may differ, while the run stands where it stood. */
  changed(): void {
    this.#changes++;
  }

  scopes(position: Position): DebugProtocol.Scope[] {
    return scopesOf(position, this.#options.skill.stateSchema).map(({ name, hint, content, expensive }) => {
      const key = `${name} ${this.#changes} ${position.partialReply.length}`;
      const children = 'node' in content ? this.#variables.children(key, content.node) : undefined;
      const entries = 'node' in content ? [] : content.entries;
      const listed = children?.variablesReference
        ? children
        : { variablesReference: this.#variables.entries(key, entries), namedVariables: entries.length };
      return { name, ...(hint && { presentationHint: hint }), ...listed, expensive };
    });
  }

  variables({
    variablesReference,
    filter,
    start,
    count,
    format,
  }: DebugProtocol.VariablesArguments): DebugProtocol.Variable[] {
    return this.#variables
      .list(variablesReference, { filter, start, count, hex: format?.hex })
      .map(({ type, ...variable }) => ({
        ...variable,
        ...(this.#options.client.supportsVariableType && type !== undefined && { type }),
      }));
  }

  /** What a data breakpoint on a variable, or on an expression, would be; without an id where there can be none. */
  dataBreakpointInfo({
    variablesReference = 0,
    name,
  }: DebugProtocol.DataBreakpointInfoArguments): DebugProtocol.DataBreakpointInfoResponse['body'] {
    const { skill } = this.#options;
    const position = this.#options.position();
    if (variablesReference <= 0) {
      const parsed = dataPath(name);
      if ('problem' in parsed) return { dataId: null, description: parsed.problem };
      return dataBreakpointInfo(parsed.path, position?.run.state ?? {}, skill.stateSchema);
    }
    const node = this.#variables.find(variablesReference, name);
    const named = node === undefined || node.root === undefined ? undefined : dataPath(node.root);
    if (node === undefined || named === undefined || 'problem' in named) {
      return {
        dataId: null,
        description: `Data breakpoints go on Σ: ${JSON.stringify(name)} is no part of it.`,
      };
    }
    return dataBreakpointInfo(node.path, position?.run.state ?? {}, skill.stateSchema);
  }

  /** Where a location reference leads. */
  async location(reference: number): Promise<NonNullable<DebugProtocol.LocationsResponse['body']>> {
    const { skill, sources, client } = this.#options;
    const place = schemaPlace(this.#variables.schemaPointer(reference), skill);
    await sources.refresh();
    return { source: sources.of(place), ...client.range(place.range) };
  }

  /** Whether a text is an expression of something that there is. */
  knows(expression: string): boolean {
    const parsed = parseExpression(expression);
    const position = this.#options.position();
    return parsed.ok && position !== undefined && rootValue(parsed.expression.root, position) !== undefined;
  }

  evaluate({ expression, context }: DebugProtocol.EvaluateArguments): DebugProtocol.EvaluateResponse['body'] {
    const { skill, client } = this.#options;
    const parsed = parseExpression(expression);
    if (!parsed.ok) throw failures.evaluation(parsed.message);
    const { root } = parsed.expression;
    const position = this.#options.position();
    const value = position && rootValue(root, position);
    if (position === undefined || value === undefined) throw failures.evaluation(missingRoot(root));
    const resolved = resolvePath(parsed.expression, value);
    if (!resolved.ok) throw failures.evaluation(resolved.message);
    const { text, path } = resolved;
    const limit = evaluatedLength[context === 'repl' || context === 'clipboard' ? context : 'other'];
    const annotate = valueAnnotator(root, position, skill.stateSchema);
    const { note, schemaPointer } = annotate?.(path) ?? {};
    const editable = editableRoots.has(root);
    const node = { value: resolved.value, expression: text, root, path, editable, annotate };
    return {
      result: context === 'clipboard' ? clipboardText(resolved.value) : valueText(resolved.value, limit),
      ...(client.supportsVariableType && {
        type: [typeName(resolved.value), ...(note === undefined ? [] : [note])].join(', '),
      }),
      ...(schemaPointer !== undefined && { valueLocationReference: this.#variables.location(schemaPointer) }),
      ...this.#variables.children(
        `evaluated ${text} ${this.#changes} ${position.run.step} ${position.run.phase}`,
        node,
      ),
    };
  }
}

/** What is copied: a text as it is, anything else as JSON. */
function clipboardText(value: Parameters<typeof valueText>[0]): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}
