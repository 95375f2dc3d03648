/** What is found wrong with a state schema, by file. Offsets are those of the bundle, which begin with the schema's own. */
import type { LineIndex, Position } from '../text/position';
import type { Problem } from '../text/problem';
import type { SchemaBundle } from './schemaBundle';
import { type StateSchemaProblemCode, stateSchemaProblems } from './stateProblems';

export type SchemaProblem = Problem<StateSchemaProblemCode>;

/** The schema's own file. */
interface OwnFile {
  readonly path: string;
  readonly text: string;
  readonly lines: LineIndex;
}

/** After these a text is read on by guessing. */
const breaking: ReadonlySet<StateSchemaProblemCode> = new Set([
  'state.syntax',
  'state.tab-indentation',
  'state.too-deep',
  'state.unquoted-colon',
]);

/** How much white space is looked through before a break. */
const farthestGuess = 1_000;

export class SchemaReport {
  readonly #own: OwnFile;
  readonly #byFile = new Map<string, SchemaProblem[]>();
  /** The files with errors, each with where it is broken, if it is. */
  readonly #breaks = new Map<string, Position | undefined>();
  #bundle: SchemaBundle | undefined;

  constructor(own: OwnFile) {
    this.#own = own;
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

  /** From now on `isGuess` knows where the texts are broken, by what has been found so far. */
  noteBreaks(): void {
    for (const path of this.#byFile.keys()) {
      const errors = this.of(path).filter(({ severity }) => severity === 'error');
      const [first] = errors.filter(({ code }) => breaking.has(code));
      if (errors.length > 0) this.#breaks.set(path, first?.range.start);
    }
  }

  /** True for what is only a guess: what a broken text seems to have as keys, and what reaches up to its first break. */
  isGuess(code: StateSchemaProblemCode, start: number, end: number): boolean {
    const path = this.pathAt(start);
    if (!this.#breaks.has(path)) return false;
    if (code === 'state.unknown-keyword') return true;
    const from = this.#breaks.get(path);
    if (from === undefined) return false;
    const place = this.#bundle?.place(end, end);
    const { text, lines } = place?.file ?? this.#own;
    const ends = place === undefined ? end : lines.offsetAt(place.range.start);
    const breaks = lines.offsetAt(from);
    // A key without a value has its colon between.
    return breaks - ends < farthestGuess && /^:?\s*$/.test(text.slice(ends, breaks));
  }
}
