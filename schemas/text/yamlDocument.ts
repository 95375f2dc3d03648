/** YAML texts (1.2, core schema) as source trees of JSON values: one document, no merge keys, aliases within bounds. */
import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
  type Scalar,
  type YAMLMap,
  type YAMLParseError,
  type YAMLSeq,
} from 'yaml';
import { defineOwnProperty, type JsonValue } from '../json/jsonValue';
import { isBlank } from './plainScalars';
import { plainTree } from './plainYaml';
import {
  depthProblem,
  isExactNumber,
  lengthProblem,
  maxSourceDepth,
  maxSourceValues,
  nulProblem,
  type SourceDocument,
  type SourceNode,
  type SourceProblem,
  type SourceProblemKind,
  type SourceProperty,
} from './sourceTree';
import { maskUnquotedColons } from './unquotedColon';
import { YamlDepth } from './yamlDepth';

export interface YamlOptions {
  /** The offset of `text` in its file, added to every offset. */
  readonly offset?: number;
  /** Read `key: some text: more` as the string that was meant (and report it) instead of giving up there. */
  readonly recoverUnquotedColons?: boolean;
  /** How many UTF-16 units the text may have. */
  readonly maxLength?: number;
  /** How many values it may have once its aliases are written out. */
  readonly maxValues?: number;
}

/** Recovering reads the text once more for every such value. */
const maxRecoveryLength = 50_000;

/** Reads a YAML text. Never throws; what JSON can't hold is reported and read as null or as its text. */
export function parseYamlDocument(text: string, options: YamlOptions = {}): SourceDocument {
  const { offset = 0, maxValues = maxSourceValues } = options;
  const shifted = (problem: SourceProblem): SourceProblem => ({
    ...problem,
    start: problem.start + offset,
    end: problem.end + offset,
  });
  const refused = (problem: SourceProblem): SourceDocument => ({
    root: undefined,
    problems: [shifted(problem)],
  });
  const tooLong = lengthProblem(text, options.maxLength);
  if (tooLong !== undefined) return refused(tooLong);
  const plain = plainTree(text, offset);
  if (plain !== undefined && plain.size <= maxValues) return { root: plain.root, problems: [] };
  const { tokens, tooDeepAt } = readTokens(text);
  if (tooDeepAt !== undefined) return refused(depthProblem(tooDeepAt));
  const nul = nulProblem(text);
  const before = nul === undefined ? [] : [nul];
  const { root, size, problems } = composedDocument(tokens, text, options);
  const found = [...before, ...problems];
  if (size > maxValues) {
    const message = `With its aliases written out, the text has more than ${maxValues} values; use fewer aliases.`;
    found.push({ kind: 'too-large', message, start: 0, end: 1 });
    return { root: undefined, problems: found.map(shifted) };
  }
  return { root, problems: found.map(shifted) };
}

/** The same without the short way for plain texts; for tests, which hold one against the other. */
export function parseYamlByComposer(text: string): SourceDocument {
  const { root, problems } = composedDocument(readTokens(text).tokens, text, {});
  return { root, problems };
}

/** A tree with how many values there are in it, aliases written out; problems without the offset of the text. */
interface ReadDocument {
  readonly root: SourceNode | undefined;
  readonly size: number;
  readonly problems: readonly SourceProblem[];
}

function composedDocument(tokens: readonly CST.Token[], text: string, options: YamlOptions): ReadDocument {
  const problems: SourceProblem[] = [];
  let composed = compose(tokens, text.length);
  let masked: ReadonlyMap<number, string> = new Map();
  const recover = options.recoverUnquotedColons === true && text.length <= maxRecoveryLength;
  if (recover && composed.error?.code === 'BLOCK_AS_IMPLICIT_KEY') {
    const mask = maskUnquotedColons(text, (candidate) => {
      const { error } = compose(readTokens(candidate).tokens, candidate.length);
      return error?.code === 'BLOCK_AS_IMPLICIT_KEY' ? error.pos[0] : undefined;
    });
    composed = compose(readTokens(mask.text).tokens, mask.text.length);
    masked = mask.values;
    for (const problem of mask.problems) problems.push(problem);
  }
  const { document, error, secondDocument } = composed;
  const found: SourceProblem[] = [];
  const builder = new TreeBuilder(text, options.offset ?? 0, masked, found);
  const root = document?.contents ? builder.build(document.contents, 0) : undefined;
  if (error !== undefined) {
    problems.push(syntaxProblem(text, error));
  } else {
    for (const problem of [...tagProblems(document), ...found].slice(0, maxProblems)) problems.push(problem);
    if (secondDocument !== undefined) problems.push(secondDocumentProblem(text, secondDocument));
  }
  return { root, size: builder.size, problems };
}

interface Composition {
  readonly document: Document.Parsed | undefined;
  /** The first error; those after it are mostly its consequences. */
  readonly error: YAMLParseError | undefined;
  /** Where a second document begins. */
  readonly secondDocument: number | undefined;
}

/**
 * What yaml's `parseDocument` does with the tokens of a text. The version and the schema are fixed, so that no
 * `%YAML 1.1` in a text turns `yes` into a boolean or a date into a Date.
 */
function compose(tokens: readonly CST.Token[], length: number): Composition {
  const stackTraceLimit = stackTraces.stackTraceLimit;
  stackTraces.stackTraceLimit = 0;
  try {
    return composeQuickly(tokens, length);
  } finally {
    stackTraces.stackTraceLimit = stackTraceLimit;
  }
}

/** yaml makes an Error of each mistake, a million of them from a megabyte of commas; their stack traces take seconds. */
const stackTraces: ErrorConstructor & { stackTraceLimit?: number | undefined } = Error;

function composeQuickly(tokens: readonly CST.Token[], length: number): Composition {
  const composer = new Composer({
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    uniqueKeys: false, // found here in linear time
    prettyErrors: false,
    logLevel: 'silent',
  });
  let document: Document.Parsed | undefined;
  let secondDocument: number | undefined;
  for (const next of composer.compose(tokens, true, length)) {
    if (document === undefined) {
      document = next;
    } else {
      secondDocument = next.range[0];
      break;
    }
  }
  const errors = document?.errors ?? [];
  const error = errors.reduce<YAMLParseError | undefined>(
    (first, candidate) => (first === undefined || candidate.pos[0] < first.pos[0] ? candidate : first),
    undefined,
  );
  return { document, error, secondDocument };
}

/** After that many errors the rest of a text is not looked at. */
const maxErrorTokens = 100;

interface ReadTokens {
  readonly tokens: readonly CST.Token[];
  /** Where the text nests too deep; it is not read further then. */
  readonly tooDeepAt: number | undefined;
}

/** The parser works without recursion and gives a document once it is whole; what is too deep is never made of it. */
function readTokens(text: string): ReadTokens {
  const depth = new YamlDepth(maxSourceDepth);
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let errors = 0;
  for (const lexeme of new Lexer().lex(text)) {
    depth.add(lexeme);
    if (depth.tooDeepAt !== undefined) return { tokens, tooDeepAt: depth.tooDeepAt };
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') errors++;
      tokens.push(token);
    }
    if (errors > maxErrorTokens) return { tokens, tooDeepAt: undefined };
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens, tooDeepAt: undefined };
}

/** More findings of one kind in one text help nobody. */
const maxProblems = 1_000;

/** The tags that the core schema doesn't resolve. */
function tagProblems(document: Document.Parsed | undefined): SourceProblem[] {
  return (document?.warnings ?? [])
    .filter(({ code }) => code === 'TAG_RESOLVE_FAILED')
    .map(({ pos: [start, end] }) => {
      const message = 'This YAML tag has no meaning in JSON; remove it.';
      return { kind: 'unsupported-yaml', message, start, end };
    });
}

function secondDocumentProblem(text: string, start: number): SourceProblem {
  const content = start + Math.max(0, text.slice(start).search(/\S/));
  const message = 'A second YAML document begins here and is never read; keep one document.';
  return { kind: 'multiple-documents', message, start: content, end: Math.min(text.length, content + 1) };
}

function syntaxProblem(text: string, error: YAMLParseError): SourceProblem {
  const [start, end] = error.pos;
  const at = Math.min(start, text.length);
  const place = { start: at, end: Math.min(text.length, Math.max(end, at + 1)) };
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return { kind: 'tab-indentation', message: 'YAML is not indented with tabs; use spaces.', ...place };
    case 'BLOCK_AS_IMPLICIT_KEY':
      return {
        kind: 'unquoted-colon',
        message:
          'A colon and a space begin a mapping, which cannot stand here; quote the value, or begin it on the next line.',
        ...place,
      };
    default:
      return {
        kind: 'syntax',
        message: `This is not valid YAML: ${adviceOn(error, text) ?? `${clipped(error.message)}.`}`,
        ...place,
      };
  }
}

/** What to do about the commonest mistakes, by yaml's code; its own words speak of how it reads. Undefined for others. */
function adviceOn({ code, pos }: YAMLParseError, text: string): string | undefined {
  switch (code) {
    case 'MULTILINE_IMPLICIT_KEY':
      return 'a colon is missing after the key here, or the space after its colon; write key: value.';
    case 'MISSING_CHAR':
      // Quotes that are never closed run to the end of the text.
      return pos[0] >= text.trimEnd().length
        ? 'a text in quotes never ends; close it with the quotation mark that it begins with.'
        : 'a colon is missing after the key here, or the space after its colon; write key: value.';
    case 'BAD_INDENT':
      return 'this line does not fit those above it; close every { with } and every [ with ], and begin all keys of one map in the same column.';
    case 'UNEXPECTED_TOKEN':
      return 'this cannot stand here; look for a bracket or quotation mark too many, and begin all keys of one map in the same column.';
    case 'BLOCK_IN_FLOW':
      return 'inside of braces or brackets a comma is missing before this, or the } or ] that closes them.';
    case 'BAD_SCALAR_START':
      return 'a value does not begin with this character unless it is in quotes; quote it.';
    case 'BAD_DQ_ESCAPE':
      return 'a backslash in double quotes begins an escape, and there is none like this; double it, or use single quotes.';
    default:
      return undefined;
  }
}

/** yaml's messages quote the text, of any length. */
function clipped(message: string): string {
  const plain = message.replace(/\.$/, '');
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
}

class TreeBuilder {
  /** How many values there are, aliases written out. */
  size = 0;
  readonly #text: string;
  readonly #offset: number;
  readonly #masked: ReadonlyMap<number, string>;
  readonly #problems: SourceProblem[];
  readonly #anchors = new Map<string, { node: SourceNode; size: number }>();

  constructor(text: string, offset: number, masked: ReadonlyMap<number, string>, problems: SourceProblem[]) {
    this.#text = text;
    this.#offset = offset;
    this.#masked = masked;
    this.#problems = problems;
  }

  build(node: ParsedNode, depth: number): SourceNode {
    const before = this.size;
    this.size++;
    const [start, valueEnd] = node.range;
    let end = valueEnd;
    while (end > start && isBlank(this.#text.charCodeAt(end - 1))) end--;
    if (depth > maxSourceDepth) {
      this.#problems.push(depthProblem(start));
      return this.#leaf(null, start, end);
    }
    if (isAlias(node)) return this.#alias(node, start, end);
    let built: SourceNode;
    if (isMap(node)) built = this.#map(node, start, end, depth);
    else if (isSeq(node)) built = this.#sequence(node, start, end, depth);
    else built = this.#scalar(node, start, end);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, { node: built, size: this.size - before });
    return built;
  }

  #leaf(value: JsonValue, start: number, end: number): SourceNode {
    return { value, start: start + this.#offset, end: end + this.#offset };
  }

  #report(kind: SourceProblemKind, message: string, start: number, end: number): void {
    if (this.#problems.length < maxProblems) this.#problems.push({ kind, message, start, end });
  }

  #alias(node: Alias, start: number, end: number): SourceNode {
    const target = this.#anchors.get(node.source);
    if (target === undefined) {
      const message = `The alias *${node.source} has no anchor &${node.source} that ends before it; write the value here.`;
      this.#report('unsupported-yaml', message, start, end);
      return this.#leaf(null, start, end);
    }
    this.size += target.size - 1;
    return { ...target.node, start: start + this.#offset, end: end + this.#offset };
  }

  #scalar(node: Scalar, start: number, end: number): SourceNode {
    const meant = this.#masked.get(start);
    if (meant !== undefined) return this.#leaf(meant, start, end);
    const { value } = node;
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) {
      return this.#leaf(value, start, end);
    }
    if (typeof value !== 'number') return this.#leaf(String(value), start, end);
    const source = node.source ?? this.#text.slice(start, end);
    if (Number.isFinite(value)) {
      if (!isExactNumber(value, source)) {
        this.#report('inexact-number', 'This number is too large to be read exactly; quote it.', start, end);
      }
      return this.#leaf(value, start, end);
    }
    this.#report(
      'unsupported-yaml',
      `${source} is no number in JSON; write a finite number or quote it.`,
      start,
      end,
    );
    return this.#leaf(null, start, end);
  }

  #sequence(node: YAMLSeq, start: number, end: number, depth: number): SourceNode {
    const items = (node.items as readonly ParsedNode[]).map((item) => this.build(item, depth + 1));
    const value = items.map((item) => item.value);
    return { value, start: start + this.#offset, end: end + this.#offset, items };
  }

  #map(node: YAMLMap, start: number, end: number, depth: number): SourceNode {
    const properties = new Map<string, SourceProperty>();
    const value: Record<string, JsonValue> = {};
    for (const pair of node.items) {
      const key = pair.key as ParsedNode | null;
      if (key === null || !isScalar(key)) {
        const [keyStart, keyEnd] = key?.range ?? [start, start + 1];
        this.#report('unsupported-yaml', 'A key has to be a plain text; quote it.', keyStart, keyEnd);
        continue;
      }
      const [keyStart, keyEnd] = key.range;
      const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
      if (properties.has(name)) {
        const message = `The key ${JSON.stringify(name)} stands here twice; keep one of them.`;
        this.#report('duplicate-key', message, keyStart, keyEnd);
        continue;
      }
      if (name === '<<' && key.type === 'PLAIN') {
        const message = 'Merge keys are not part of YAML 1.2; write the keys out.';
        this.#report('unsupported-yaml', message, keyStart, keyEnd);
      }
      const valueNode = pair.value as ParsedNode | null;
      const child = valueNode === null ? this.#leaf(null, keyEnd, keyEnd) : this.build(valueNode, depth + 1);
      properties.set(name, { keyStart: keyStart + this.#offset, keyEnd: keyEnd + this.#offset, node: child });
      defineOwnProperty(value, name, child.value);
    }
    return { value, start: start + this.#offset, end: end + this.#offset, properties };
  }
}
