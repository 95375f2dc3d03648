/** How the client counts and what it understands, as it said in `initialize`. Inside the adapter lines and columns count from 0. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Range } from '../../../schemas/text/position';

export class ClientConventions {
  readonly #firstLine: number;
  readonly #firstColumn: number;
  readonly supportsVariableType: boolean;
  readonly supportsProgress: boolean;
  readonly supportsInvalidated: boolean;

  constructor(client: Partial<DebugProtocol.InitializeRequestArguments> = {}) {
    this.#firstLine = client.linesStartAt1 === false ? 0 : 1;
    this.#firstColumn = client.columnsStartAt1 === false ? 0 : 1;
    this.supportsVariableType = client.supportsVariableType === true;
    this.supportsProgress = client.supportsProgressReporting === true;
    this.supportsInvalidated = client.supportsInvalidatedEvent === true;
  }

  /** A 0-based line as the client counts. */
  line(line: number): number {
    return line + this.#firstLine;
  }

  /** A client's line, counted from 0. */
  fromLine(line: number): number {
    return line - this.#firstLine;
  }

  /** A 0-based column, in UTF-16 units, as the client counts. */
  column(column: number): number {
    return column + this.#firstColumn;
  }

  /** A client's column, counted from 0. */
  fromColumn(column: number): number {
    return column - this.#firstColumn;
  }

  /** A range as DAP's four numbers; an empty one has no end. */
  range({ start, end }: Range): { line: number; column: number; endLine?: number; endColumn?: number } {
    const from = { line: this.line(start.line), column: start.character + this.#firstColumn };
    if (start.line === end.line && start.character === end.character) return from;
    return { ...from, endLine: this.line(end.line), endColumn: end.character + this.#firstColumn };
  }
}
