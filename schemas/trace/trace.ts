/**
 * The trace format, `*.skilltrace.jsonl`: one JSON record a line, appended as things happen. trace.schema.json
 * says what each record holds; this module writes lines and reads them back, however broken the file is.
 */
import Ajv2020 from 'ajv/dist/2020';
import { isDeeperThan } from '../json/jsonDepth';
import { isJsonObject, type JsonValue } from '../json/jsonValue';
import { joinedBytes } from '../text/joinedBytes';
import { fitsNewerRecord, fitsRecord, maxRecordDepth } from './recordShape';
import type { TraceRecord } from './trace.generated';
import schema from './trace.schema.json';

export type * from './trace.generated';

/** The version this module writes, and the highest that it reads. */
export const traceVersion = 1;

type WithoutChain<Kind extends TraceRecord> = Kind extends { id: number }
  ? Omit<Kind, 'id' | 'parent' | 'branch' | 'time'>
  : never;

/** A record before it gets its place in the chain and its time. */
export type RecordBody = WithoutChain<TraceRecord>;

/** The records of the chain: all but `resumed`. */
export type ChainedRecord = Extract<TraceRecord, { id: number }>;

/** The closed set of what can be wrong in a trace. */
export type TraceProblemCode =
  | 'trace.torn-record'
  | 'trace.not-utf8'
  | 'trace.not-json'
  | 'trace.invalid-record'
  | 'trace.missing-header'
  | 'trace.foreign-format'
  | 'trace.newer-version'
  | 'trace.broken-chain'
  | 'trace.second-run'
  | 'trace.too-long'
  | 'trace.wrong-hash'
  | 'trace.changed';

/** A finding in a trace: lines count from 1, offsets are bytes. */
export interface TraceProblem {
  readonly code: TraceProblemCode;
  readonly line: number;
  readonly offset: number;
  readonly message: string;
}

/** One complete line: where it stands and the record it holds, or why it holds none. */
export type TraceLine = { readonly line: number; readonly start: number; readonly end: number } & (
  | { readonly ok: true; readonly record: TraceRecord }
  | { readonly ok: false; readonly problem: TraceProblem }
);

/** A whole trace as far as it can be read. */
export interface TraceContent {
  readonly records: readonly TraceRecord[];
  readonly problems: readonly TraceProblem[];
  /** Bytes up to the end of the last complete line; what follows is a torn record. */
  readonly completeBytes: number;
}

/** The record as its line, LF included. */
export function formatRecord(record: TraceRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** A record in its place: `kind`, `id`, `parent`, `branch` first, `time` last, so that equal runs give equal bytes. */
export function chainRecord(
  body: RecordBody,
  chain: {
    readonly id: number;
    readonly parent: number | undefined;
    readonly branch: number;
    readonly time: number;
  },
): ChainedRecord {
  const { kind, ...rest } = body;
  const parent = chain.parent === undefined ? {} : { parent: chain.parent };
  // The parts make up a record of the body's kind; a union of spreads is more than the compiler follows.
  return {
    kind,
    id: chain.id,
    ...parent,
    branch: chain.branch,
    ...rest,
    time: chain.time,
  } as unknown as ChainedRecord;
}

let compiled: ReturnType<Ajv2020['compile']> | undefined;

/** Why a value is not a record of this format, as ajv has it; undefined where it is one. {@link readRecord} is faster. */
export function recordProblem(value: JsonValue): string | undefined {
  if (isDeeperThan(value, maxRecordDepth)) {
    return `The record nests more than ${maxRecordDepth} objects and arrays in each other.`;
  }
  compiled ??= compileKinds();
  if (!isJsonObject(value)) return 'A record is a JSON object.';
  if (compiled(value)) return undefined;
  const error = compiled.errors?.[0];
  if (!error) return 'The record does not fit the trace format.';
  if (error.keyword === 'discriminator')
    return `There is no record of kind ${cut(JSON.stringify(value.kind))} in version ${traceVersion}.`;
  return `${cut(error.instancePath) || 'The record'} ${error.message ?? 'does not fit the trace format'}.`;
}

/** What a trace says inside a message, never at length. */
function cut(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function compileKinds() {
  // With a discriminator only the schema of the record's own kind is tried, so that errors name what is wrong in it.
  const { tsType: _, ...root } = schema as Record<string, unknown>;
  return new Ajv2020({ strict: false, discriminator: true, ownProperties: true }).compile({
    ...root,
    type: 'object',
    required: ['kind'],
    discriminator: { propertyName: 'kind' },
  });
}

/** A record, or why a line's text holds none. */
export type ReadRecord =
  | { readonly ok: true; readonly record: TraceRecord }
  | {
      readonly ok: false;
      readonly code: TraceProblemCode;
      readonly message: string;
      /** What the text is, where it is JSON at all. */
      readonly value: JsonValue | undefined;
    };

/**
 * Reads the text of a line.
 *
 * @param lenient for traces of a newer version: keys that this one doesn't know are no matter
 */
export function readRecord(text: string, lenient = false): ReadRecord {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, code: 'trace.not-json', message: 'The line is not JSON.', value: undefined };
  }
  if (lenient ? fitsNewerRecord(value, text.length) : fitsRecord(value, text.length))
    return { ok: true, record: value as unknown as TraceRecord };
  const header = headerProblem(value);
  if (header) return { ok: false, ...header, value };
  const message = recordProblem(value) ?? 'The record does not fit the trace format.';
  return { ok: false, code: 'trace.invalid-record', message, value };
}

/** Splits bytes into lines and lines into records; feed it a file in pieces of any size. */
export class TraceDecoder {
  #rest: Uint8Array[] = [];
  #offset = 0;
  #line = 0;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

  /** The complete lines that `chunk` finishes. */
  *push(chunk: Uint8Array): Generator<TraceLine> {
    let from = 0;
    for (let end = chunk.indexOf(10, from); end !== -1; end = chunk.indexOf(10, from)) {
      this.#rest.push(chunk.subarray(from, end));
      const bytes = joinedBytes(this.#rest);
      this.#rest = [];
      const start = this.#offset;
      this.#offset += bytes.length + 1;
      this.#line += 1;
      from = end + 1;
      const line = this.#decode(bytes, start);
      if (line) yield line;
    }
    if (from < chunk.length) this.#rest.push(chunk.slice(from));
  }

  /** What follows the last line end: a record that was being written when its writer died. Undefined where nothing does. */
  finish(): TraceProblem | undefined {
    const rest = joinedBytes(this.#rest);
    if (rest.length === 0) return undefined;
    return {
      code: 'trace.torn-record',
      line: this.#line + 1,
      offset: this.#offset,
      message: `The last record is incomplete (${rest.length} bytes without a line end): its writer was interrupted. It is left out.`,
    };
  }

  /** Bytes up to the end of the last complete line. */
  get completeBytes(): number {
    return this.#offset;
  }

  #decode(bytes: Uint8Array, start: number): TraceLine | undefined {
    const place = { line: this.#line, start, end: start + bytes.length };
    const fail = (code: TraceProblemCode, message: string): TraceLine => ({
      ...place,
      ok: false,
      problem: { code, line: this.#line, offset: start, message },
    });
    let text: string;
    try {
      text = this.#decoder.decode(bytes);
    } catch {
      return fail('trace.not-utf8', 'The line is not UTF-8 text.');
    }
    if (text.trim() === '') return undefined;
    const read = readRecord(text);
    return read.ok ? { ...place, ...read } : fail(read.code, read.message);
  }
}

function headerProblem(value: JsonValue): Pick<TraceProblem, 'code' | 'message'> | undefined {
  if (!isJsonObject(value) || value.kind !== 'run') return undefined;
  if (value.format !== 'skill-state-trace') {
    return {
      code: 'trace.foreign-format',
      message: `This is not a SKILL.state trace: its format is ${typeof value.format === 'string' ? cut(JSON.stringify(value.format)) : 'not named'}.`,
    };
  }
  if (typeof value.version === 'number' && value.version > traceVersion) {
    return {
      code: 'trace.newer-version',
      message: `The trace has version ${value.version}, and this program reads up to ${traceVersion}: use a newer SKILL.state.`,
    };
  }
  return undefined;
}

/** The place of a trace's records in their chain: one run record, then ids in file order, each after a record that is there. */
class ChainCheck {
  readonly #ids = new Set<number>();
  #nextId = 0;
  #hasHeader = false;

  /** What is wrong with the place of the next record; undefined where nothing is. */
  add(record: TraceRecord): string | undefined {
    if (record.kind === 'resumed') return undefined;
    const problem = this.#problemOf(record);
    if (record.kind === 'run') this.#hasHeader = true;
    this.#ids.add(record.id);
    this.#nextId = Math.max(this.#nextId, record.id + 1);
    return problem;
  }

  #problemOf(record: ChainedRecord): string | undefined {
    if (record.kind === 'run') {
      if (this.#hasHeader) return 'A second run record: two runs were written to this file.';
    } else if (!this.#ids.has(record.parent)) {
      return `Record ${record.id} follows record ${record.parent}, which is missing.`;
    }
    if (record.id === this.#nextId) return undefined;
    return this.#ids.has(record.id)
      ? `There is another record ${record.id}: two programs have written to this file.`
      : `Record ${record.id} stands where record ${this.#nextId} has to be.`;
  }
}

/** Reads a whole trace. Whatever is wrong in it is told in `problems`; records that can be read are returned. */
export function readTrace(bytes: Uint8Array): TraceContent {
  const decoder = new TraceDecoder();
  const records: TraceRecord[] = [];
  const problems: TraceProblem[] = [];
  const chain = new ChainCheck();
  for (const line of decoder.push(bytes)) {
    if (!line.ok) {
      problems.push(line.problem);
      continue;
    }
    const { record } = line;
    if (records.length === 0 && record.kind !== 'run') {
      problems.push({
        code: 'trace.missing-header',
        line: line.line,
        offset: line.start,
        message: 'The trace does not begin with a run record.',
      });
    }
    const broken = chain.add(record);
    if (broken !== undefined) {
      problems.push({
        code: 'trace.broken-chain',
        line: line.line,
        offset: line.start,
        message: broken,
      });
    }
    records.push(record);
  }
  const torn = decoder.finish();
  if (torn) problems.push(torn);
  if (
    records.length === 0 &&
    !problems.some(({ code }) => code === 'trace.foreign-format' || code === 'trace.newer-version')
  ) {
    problems.unshift({
      code: 'trace.missing-header',
      line: 1,
      offset: 0,
      message: 'The file holds no complete run record, so it is no trace that can be read.',
    });
  }
  return { records, problems, completeBytes: decoder.completeBytes };
}
