/** What a client sees of where a run stands: scopes, variables, places of declarations, and values of expressions. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import type { ExchangeArguments, ExchangeBody } from '../../../schemas/messages/exchangeMessages';
import type { Skill } from '../../../schemas/skill/skill';
import { declaredKeysAt } from '../../../schemas/state/declaredKeys';
import { LineIndex } from '../../../schemas/text/position';
import type { EditRefusal, StateEdit } from '../runtime/edits';
import type { ClientConventions } from './clientConventions';
import { completionsAt } from './completions';
import type { Moment } from './conditions';
import { commandHint, consoleCommands, parseCommand } from './consoleCommands';
import { dataBreakpointInfo, dataPath } from './dataBreakpoints';
import { deletion, type EditTarget, type ReadEdit, readEdit, refusalText } from './editing';
import { failures } from './errors';
import { asksForRoot, evaluateAt, parseExpression } from './evaluation';
import { describeExchange } from './exchangeNodes';
import type { Position } from './position';
import type { RunSources } from './sources';
import { schemaPlace } from './stackFrames';
import { typeName, valueText } from './valueText';
import { VariableStore } from './variables';
import { missingRoot, rootValue, scopesOf } from './view';
import { describeWrites, type ToldWrites } from './whoWrote';

/** How much of a text the console and the clipboard get. */
const evaluatedLength = { repl: 20_000, clipboard: Number.POSITIVE_INFINITY, other: 2_000 } as const;

export interface RunInspectorOptions {
  readonly skill: Skill;
  readonly client: ClientConventions;
  readonly sources: RunSources;
  /** Where the run stands, running or not; undefined before its first observation. */
  readonly position: () => Position | undefined;
  /** What expressions can name just now beside the roots. */
  readonly extra: () => Moment['extra'];
  /** Changes the run. */
  readonly edit: (edit: StateEdit) => Promise<{ readonly ok: true } | EditRefusal>;
  /** Who wrote what stands at a path of Σ. */
  readonly writesTo: (path: JsonPath) => Promise<ToldWrites>;
  /** A request to the model and its answer. @throws RequestFailure that says why there is none */
  readonly exchange: (which: Pick<ExchangeArguments, 'attempt' | 'request'>) => ExchangeBody;
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
      const { partialReply, soFar } = position;
      const growth = [partialReply.length, soFar?.thinking.length, soFar?.failures.length].join(' ');
      const key = `${name} ${this.#changes} ${growth}`;
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
        description: `${JSON.stringify(name)} is no part of Σ, where data breakpoints go.`,
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

  /** Whether a text asks for something that there is, or is a command: it is then no answer to a question that waits. */
  knows(text: string): boolean {
    const position = this.#options.position();
    if (position === undefined) return false;
    return parseCommand(text) !== undefined || asksForRoot(text, position);
  }

  /**
   * The value of an expression; in the console also what a command does.
   *
   * @throws RequestFailure that says what is wrong with the expression, or why a change is refused
   */
  async evaluate({ expression, context, format }: DebugProtocol.EvaluateArguments): Promise<{
    readonly body: DebugProtocol.EvaluateResponse['body'];
    /** True where the run was changed. */
    readonly edited: boolean;
  }> {
    const command = (context ?? 'repl') === 'repl' ? parseCommand(expression) : undefined;
    if (command?.kind === 'delete') {
      const target = editTarget(command.path);
      await this.#edit(deletion(target));
      return { body: { result: `Deleted ${target.name}.`, variablesReference: 0 }, edited: true };
    }
    if (command?.kind === 'set') {
      const target = editTarget(command.path);
      await this.#edit(this.#readEdit(target, command.value));
      return { body: this.#evaluated(command.path, context, format), edited: true };
    }
    if (command?.kind === 'blame') return { body: await this.#blamed(command.path), edited: false };
    if (command?.kind === 'request' || command?.kind === 'response')
      return { body: this.#exchanged(command.kind, this.#options.exchange(command)), edited: false };
    return { body: this.#evaluated(expression, context, format), edited: false };
  }

  /** Who wrote what an expression names, newest first. @throws RequestFailure where it is no path of Σ */
  blame(expression: string): Promise<ToldWrites> {
    const parsed = dataPath(expression);
    if ('problem' in parsed) throw failures.evaluation(parsed.problem);
    return this.#options.writesTo(parsed.path);
  }

  async #blamed(expression: string): Promise<DebugProtocol.EvaluateResponse['body']> {
    const { text, nodes } = describeWrites(expression.trim(), await this.blame(expression));
    const key = `blame ${expression} ${this.#changes}`;
    return {
      result: text,
      variablesReference: nodes.length > 0 ? this.#variables.entries(key, nodes) : 0,
      namedVariables: nodes.length,
    };
  }

  #exchanged(part: 'request' | 'response', exchange: ExchangeBody): DebugProtocol.EvaluateResponse['body'] {
    const { text, nodes } = describeExchange(part, exchange);
    const key = `${part} ${text} ${this.#changes} ${JSON.stringify(exchange.exchange.summary)}`;
    return {
      result: text,
      variablesReference: nodes.length > 0 ? this.#variables.entries(key, nodes) : 0,
      namedVariables: nodes.length,
    };
  }

  /** Gives a variable another value. @throws RequestFailure that says why not */
  async setVariable({
    variablesReference,
    name,
    value,
    format,
  }: DebugProtocol.SetVariableArguments): Promise<DebugProtocol.SetVariableResponse['body']> {
    const node = this.#variables.find(variablesReference, name);
    if (node === undefined) throw failures.unknownVariable(name);
    const { root, path, expression } = node;
    await this.#edit(this.#readEdit({ root, path, name: expression ?? name }, value));
    const { result, ...described } = this.#evaluated(expression ?? '', 'variables', format);
    return { value: result, ...described };
  }

  /** Gives what an expression names another value. @throws RequestFailure that says why not */
  async setExpression({
    expression,
    value,
    format,
  }: DebugProtocol.SetExpressionArguments): Promise<DebugProtocol.SetExpressionResponse['body']> {
    await this.#edit(this.#readEdit(editTarget(expression), value));
    const { result, ...described } = this.#evaluated(expression, 'watch', format);
    return { value: result, ...described };
  }

  completions({
    text,
    column,
    line,
  }: DebugProtocol.CompletionsArguments): DebugProtocol.CompletionsResponse['body'] {
    const { client, skill } = this.#options;
    const position = this.#options.position();
    const lines = new LineIndex(text);
    const lineNumber = line === undefined ? 0 : client.fromLine(line);
    const offset = lines.offsetAt({ line: lineNumber, character: client.fromColumn(column) });
    const targets = completionsAt(text, offset, {
      valueOfRoot: (root) => position && rootValue(root, position),
      declaredKeys: (path) => declaredKeysAt(skill.stateSchema, path).map(({ name }) => name),
      commands: consoleCommands,
    });
    return {
      targets: targets.map(({ kind, start, ...target }, index) => ({
        ...target,
        type: kind,
        start: client.column(start),
        // In this order: keys before functions, as they stand in Σ.
        sortText: String(index).padStart(4, '0'),
        // The cursor goes between the parentheses of what takes arguments.
        ...(takesArguments(target.label) && { selectionStart: target.label.length - 1 }),
      })),
    };
  }

  #readEdit(target: EditTarget, text: string): ReadEdit {
    const { skill } = this.#options;
    return readEdit(target, text, skill.stateSchema, (source) => {
      const evaluated = evaluateAt(source, this.#options.position(), skill.stateSchema);
      return evaluated.ok ? evaluated.node.value : undefined;
    });
  }

  async #edit(read: ReadEdit): Promise<void> {
    if (!read.ok) throw failures.editRefused(read.message);
    const { edit, skill, client } = this.#options;
    const result = await edit(read.edit);
    if (!result.ok) {
      const text = refusalText(result, skill, (line) => client.line(line));
      throw result.liftedBy === undefined ? failures.editRefused(text) : failures.rewindMissing(text);
    }
    this.changed();
  }

  #evaluated(
    expression: string,
    context: string | undefined,
    format: DebugProtocol.ValueFormat | undefined,
  ): DebugProtocol.EvaluateResponse['body'] {
    const { skill, client, extra } = this.#options;
    const position = this.#options.position();
    const evaluated = evaluateAt(expression, position, skill.stateSchema, extra());
    if (!evaluated.ok) {
      const hint = (context ?? 'repl') === 'repl' ? commandHint(expression) : '';
      throw failures.evaluation(`${evaluated.message}${hint}`);
    }
    if (position === undefined) throw failures.evaluation(missingRoot('state'));
    const { node } = evaluated;
    const limit = evaluatedLength[context === 'repl' || context === 'clipboard' ? context : 'other'];
    const { note, schemaPointer } = node.annotate?.(node.path) ?? {};
    return {
      result: context === 'clipboard' ? clipboardText(node.value) : valueText(node.value, limit, format),
      ...(client.supportsVariableType && {
        type: [typeName(node.value), ...(note === undefined ? [] : [note])].join(', '),
      }),
      ...(schemaPointer !== undefined && { valueLocationReference: this.#variables.location(schemaPointer) }),
      ...this.#variables.children(
        `evaluated ${node.expression} ${this.#changes} ${position.run.step} ${position.run.phase}`,
        node,
      ),
    };
  }
}

function takesArguments(label: string): boolean {
  return label.endsWith('()') && label !== 'size()' && label !== 'lowerAscii()';
}

/** What an expression names, as something to be changed. @throws RequestFailure where it is no path */
function editTarget(expression: string): EditTarget {
  const parsed = parseExpression(expression);
  if (!parsed.ok) throw failures.editRefused(parsed.message);
  const { root, path } = parsed.expression;
  return { root, path: path.map(String), name: expression.trim() };
}

/** What is copied: a text as it is, anything else as JSON. */
function clipboardText(value: Parameters<typeof valueText>[0]): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}
