/** Code spans that look like paths of the state and aren't in its schema. Only what is hardly anything else is reported. */
import { isJsonObject, type JsonValue, ownProperty } from '../../../../schemas/json/jsonValue';
import { nearestName } from '../../../../schemas/text/nearestName';
import type { IncludedPage, SkillPage } from '../documents';
import { editsOf, type Finding } from '../finding';
import type { SkillModel } from '../skillModels';
import { exampleBlocks } from '../state/exampleBlocks';
import type { CodeSpan, TextSpan } from './codeSpans';
import { fieldUsesOf } from './fieldUse';
import { isShortSlipOf, isSlipOf } from './nameSlip';
import { type PathSegment, type ProsePath, parseComparedPath, parseProsePath } from './prosePath';
import { type ProseProblemCode, proseProblems } from './proseProblems';
import type { SchemaGraph, SchemaNode } from './schemaGraph';
import { namesOf, pagesOf } from './skillProse';
import { resolvePath, type SkillNames } from './spanMeaning';

/** After that many there is something else wrong than single names. */
const maxFindings = 200;

/** How many different words are compared with all names. */
const maxCompared = 500;

/** Findings in some of the code spans of a page; none without a schema file. */
export function findInPaths(
  page: SkillPage | IncludedPage,
  spans: readonly CodeSpan[],
): Finding<ProseProblemCode>[] {
  const names = namesOf(page.model);
  const { graph } = names;
  if (
    graph === undefined ||
    page.model.skill.stateSchema.problems.some(({ severity }) => severity === 'error')
  )
    return [];
  const findings: Finding<ProseProblemCode>[] = [];
  const verdicts = new Map<string, Verdict | undefined>();
  const near = new NearNames(page, names, graph);
  for (const span of spans) {
    if (findings.length >= maxFindings) break;
    let verdict = verdicts.get(span.text);
    if (!verdicts.has(span.text)) {
      verdict = judge(span.text, { names, graph, near, model: page.model });
      verdicts.set(span.text, verdict);
    }
    if (verdict !== undefined) findings.push(findingOf(page, span, verdict));
  }
  return findings;
}

type PathProblemCode = Extract<ProseProblemCode, 'skill.unknown-state-path' | 'skill.doubtful-state-path'>;

interface Verdict {
  readonly code: PathProblemCode;
  /** The name that isn't in the schema, in the span's text. */
  readonly name: TextSpan;
  readonly message: string;
  readonly meant: string | undefined;
}

function findingOf(
  page: SkillPage | IncludedPage,
  span: CodeSpan,
  verdict: Verdict,
): Finding<ProseProblemCode> {
  const { code, name, message, meant } = verdict;
  const range = page.lines.rangeOf(span.start + name.start, span.start + name.end);
  return {
    code,
    severity: proseProblems[code],
    message,
    range,
    ...(meant !== undefined && {
      fixes: () => [
        { title: `Change to ${meant}`, edits: editsOf(page.uri, { range, text: meant }), preferred: true },
      ],
    }),
  };
}

interface Judged {
  readonly names: SkillNames;
  readonly graph: SchemaGraph;
  readonly near: NearNames;
  readonly model: SkillModel;
}

function judge(text: string, { names, graph, near, model }: Judged): Verdict | undefined {
  if (names.meaningOf(text) !== undefined) return undefined;
  const whole = parseProsePath(text);
  const path = whole ?? parseComparedPath(text);
  if (path === undefined || isFileName(path)) return undefined;
  const { failure, segments } = resolvePath(graph, path);
  if (failure === undefined) return undefined;
  const { segment, index, owner } = failure;
  const { name, start, end, kind } = segment;
  const isBeyondDoubt = path.prefixLength > 0 || (index > 0 && (segments[0]?.properties.length ?? 0) > 0);
  if (isBeyondDoubt && kind === 'name') {
    if (isOpen(owner) || sizeWords.has(name)) return undefined;
    const value = hasParts(owner) ? undefined : valueName(owner);
    const code =
      path.prefixLength === 0 && index === 1 && value !== undefined
        ? memberCode(path, segment, whole !== undefined, model)
        : 'skill.unknown-state-path';
    if (code === undefined) return undefined;
    const known = owner.declared.size > 0 ? owner : owner.item();
    const meant = nearestName(name, known?.declared.keys() ?? []);
    // `settings.colour = x` may be any program's line.
    if (whole === undefined && path.prefixLength === 0 && meant === undefined) return undefined;
    const where = index === 0 ? 'the state' : `\`${text.slice(0, start).replace(/(?:\[["']?|[./])$/, '')}\``;
    const what = `The state schema has no ${name} in ${where}`;
    const message =
      meant !== undefined
        ? `${what}; did you mean ${meant}?`
        : value !== undefined
          ? `${what}, which is ${value} and has no members; name the field itself, or make it an object.`
          : `${what}; correct the path, or declare the field.`;
    return { code, name: { start, end }, message, meant };
  }
  if (whole === undefined || path.form !== 'dotted' || path.segments.length !== 1 || path.prefixLength > 0)
    return undefined;
  const meant = near.of(name);
  if (meant === undefined) return undefined;
  const message = `The state schema has no ${name}; did you mean ${meant.name}?`;
  return { code: meant.code, name: { start, end }, message, meant: meant.name };
}

/**
 * How a member of a text or number is reported, as in `note.title`; undefined for what may be a word of some programming
 * language: `model.solver` beside a text `model`.
 */
function memberCode(
  { form, segments }: ProsePath,
  { name }: PathSegment,
  isWhole: boolean,
  model: SkillModel,
): PathProblemCode | undefined {
  const [root] = segments;
  // `name[0]` is a character, `Math.abs` and `note.Title` have to do with classes, `/model/solver` leads anywhere.
  const isLower = (text: string) => /^[\p{Ll}_]/u.test(text);
  if (root === undefined || !isWhole || form !== 'dotted' || !isLower(root.name) || !isLower(name))
    return undefined;
  const { isOfState, isOfProgram, isOnlyInPaths, members } = fieldUsesOf(model).of(root.name);
  if (isOfProgram) return undefined;
  if (isOfState) return 'skill.unknown-state-path';
  // A field has to be named somewhere. What is named nowhere else may be meant by this.
  const isPlain = segments.length === 2 && members <= 2 && name === name.toLowerCase();
  return isPlain && isOnlyInPaths ? 'skill.doubtful-state-path' : undefined;
}

/** What a value without parts is, by the types that the schema gives it. */
function valueName(owner: SchemaNode): string {
  const types = new Map([
    ['string', 'a text'],
    ['number', 'a number'],
    ['integer', 'a number'],
    ['boolean', 'true or false'],
    ['null', 'null'],
  ]);
  const found = [...types].filter(([type]) => owner.hasType(type)).map(([, what]) => what);
  return [...new Set(found)].join(' or ') || 'no object';
}

/** What is asked of lists and texts in many languages. */
const sizeWords: ReadonlySet<string> = new Set([
  'length',
  'size',
  'count',
  'keys',
  'values',
  'items',
  'entries',
]);

/** True for lists, maps and objects. */
function hasParts(owner: SchemaNode): boolean {
  return (
    owner.declared.size > 0 ||
    owner.hasType('array', 'object') ||
    (owner.item() ?? owner.anyKey()) !== undefined
  );
}

/** True where the schema doesn't say what a value holds. */
function isOpen(owner: SchemaNode): boolean {
  if (owner.declared.size > 0) return false;
  if (owner.hasType('array')) return (owner.item()?.declared.size ?? 0) === 0;
  const isClosed = owner.places.some(
    ({ schema }) => isJsonObject(schema) && ownProperty(schema, 'additionalProperties') === false,
  );
  if (isClosed || owner.anyKey() !== undefined) return false;
  return owner.hasType('object') || !owner.hasType('string', 'number', 'integer', 'boolean', 'null');
}

const fileEndings: ReadonlySet<string> = new Set(
  (
    'md mdx markdown txt yaml yml json jsonl ndjson json5 toml ini cfg conf env lock log csv tsv xml html htm css scss ' +
    'js mjs cjs ts mts cts tsx jsx vue py ipynb rb go rs java kt c h cc cpp hpp cs php sh bash zsh ps1 bat sql db sqlite pdf ' +
    'doc docx xls xlsx ppt pptx png jpg jpeg gif svg webp mp3 mp4 wav zip tar gz tgz bin exe dll so wasm bak tmp ' +
    'astro bib bicep csproj dart dot drawio excalidraw exs fasta fastq gql gradle graphql kts lockb lua mod mplstyle npy ' +
    'onnx parquet pem pkl plist proto razor rst safetensors scala sln sty svelte swift tex tf tfvars tsp xaml xcassets xcprivacy ' +
    'com org net io dev ai app schema initial'
  ).split(' '),
);

/** True for `state.schema.yaml`, `/tmp/state.json`, `example.org`. */
function isFileName({ segments, prefixLength, form }: ProsePath): boolean {
  const last = segments.at(-1);
  if (last === undefined) return false;
  if (form === 'pointer') return fileEndings.has(/\.(\w+)$/.exec(last.name)?.[1]?.toLowerCase() ?? '');
  return (segments.length > 1 || prefixLength > 0) && fileEndings.has(last.name.toLowerCase());
}

/** The fields that single words are near to. */
class NearNames {
  readonly #page: SkillPage | IncludedPage;
  readonly #names: SkillNames;
  readonly #graph: SchemaGraph;
  #known: ReadonlySet<string> | undefined;
  #compared = 0;

  constructor(page: SkillPage | IncludedPage, names: SkillNames, graph: SchemaGraph) {
    this.#page = page;
    this.#names = names;
    this.#graph = graph;
  }

  /** The field that a word is a slip for; undefined for a word that may well be what it is. */
  of(word: string): { readonly name: string; readonly code: PathProblemCode } | undefined {
    if (!/[\p{L}]/u.test(word) || word.length > 100 || this.#compared >= maxCompared) return undefined;
    this.#compared++;
    for (const name of this.#graph.propertyNames) {
      if (isSlipOf(word, name)) {
        return this.#isKnown(word) ? undefined : { name, code: 'skill.unknown-state-path' };
      }
      // Of short words few are slips; those that code has too are none.
      if (isShortSlipOf(word, name)) {
        const isOther = this.#isKnown(word) || fieldUsesOf(this.#page.model).isInCode(word);
        return isOther ? undefined : { name, code: 'skill.doubtful-state-path' };
      }
    }
    return undefined;
  }

  #isKnown(word: string): boolean {
    this.#known ??= knownWords(this.#page, this.#names, this.#graph);
    return this.#known.has(word);
  }
}

/** Words that have a meaning: actions, arguments, values and keys of the schema, of the initial state and of examples. */
function knownWords(page: SkillPage | IncludedPage, names: SkillNames, graph: SchemaGraph): Set<string> {
  const known = new Set<string>([...names.actions.keys(), ...names.parameters]);
  addStrings(graph.schema.schema, known);
  addStrings(page.model.skill.initialState, known);
  for (const other of pagesOf(page.model)) {
    for (const { source } of exampleBlocks(other))
      if (source.root !== undefined) addStrings(source.root.value, known);
  }
  return known;
}

function addStrings(value: JsonValue, known: Set<string>): void {
  const pending: JsonValue[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') known.add(next);
    else if (Array.isArray(next)) for (const item of next as readonly JsonValue[]) pending.push(item);
    else if (isJsonObject(next)) {
      for (const [key, child] of Object.entries(next)) {
        known.add(key);
        pending.push(child);
      }
    }
  }
}
