/** What is found wrong with a state schema, by file. Offsets are those of the bundle, which begin with the schema's own. */
import type { LineIndex } from '../text/position';
import type { Problem } from '../text/problem';
import type { SchemaBundle } from './schemaBundle';
import { type StateSchemaProblemCode, stateSchemaProblems } from './stateProblems';

export type SchemaProblem = Problem<StateSchemaProblemCode>;

export class SchemaReport {
  readonly #own: { readonly path: string; readonly lines: LineIndex };
  readonly #byFile = new Map<string, SchemaProblem[]>();
  #bundle: SchemaBundle | undefined;

  constructor(path: string, lines: LineIndex) {
    this.#own = { path, lines };
  }

  /** From now on offsets may lie in the other files of a bundle. */
  use(bundle: SchemaBundle): void {
    this.#bundle = bundle;
  }

  add(code: StateSchemaProblemCode, message: string, start: number, end: number): void {
    const place = this.#bundle?.place(start, end);
    const { path } = place?.file ?? this.#own;
    const range = place?.range ?? this.#own.lines.rangeOf(start, end);
    const problems = this.#byFile.get(path) ?? [];
    this.#byFile.set(path, problems);
    problems.push({ code, severity: stateSchemaProblems[code], message, range });
  }

  /** The file that an offset lies in. */
  pathAt(offset: number): string {
    return this.#bundle?.place(offset, offset).file.path ?? this.#own.path;
  }

  /** In the order of the text. */
  of(path: string): readonly SchemaProblem[] {
    return [...(this.#byFile.get(path) ?? [])].sort(
      ({ range: { start: a } }, { range: { start: b } }) => a.line - b.line || a.character - b.character,
    );
  }

  hasErrors(path: string): boolean {
    return this.#byFile.get(path)?.some(({ severity }) => severity === 'error') === true;
  }
}
