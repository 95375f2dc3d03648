/** The bound of Σ, on the root and on each field: its bytes, about how many tokens that is, and what takes most of it. */
import {
  type CodeLens,
  type InlayHint,
  InlayHintKind,
  type MarkupContent,
  MarkupKind,
  type Position,
  type Range,
} from 'vscode-languageserver-types';
import type { Tokenizer } from '../../../../client/src/runtime/tokens';
import { BoundTokens } from '../../../../schemas/state/boundTokens';
import {
  type Bound,
  largestPart,
  stateBound,
  type UnboundedPlace,
  unboundedPlaces,
} from '../../../../schemas/state/stateBound';
import { stateFieldName } from '../../../../schemas/state/stateFieldName';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import type { SchemaPage, Tools } from '../documents';
import { codeSpan } from '../markdownText';

/** A bound in words. */
export interface BoundLabel {
  /** `≤ 19.4 kB, ≈ 7,100 tokens (inventory 99 %)`. */
  readonly label: string;
  /** Markdown: how it is computed, what takes most, what makes it unbounded. */
  readonly explanation: string;
}

/** A label and the place in the text that it belongs to. */
interface PlacedBound {
  readonly position: Position;
  readonly range: Range;
  readonly bound: Bound;
  readonly pointer: string;
}

const estimates = new WeakMap<Tokenizer, BoundTokens>();

/** The estimates of a tokenizer, which remember what they counted. */
function boundTokensOf(tokenizer: Tokenizer): BoundTokens {
  let known = estimates.get(tokenizer);
  if (known === undefined) {
    known = new BoundTokens((text) => tokenizer.count(text));
    estimates.set(tokenizer, known);
  }
  return known;
}

/** Hints within a range. */
export async function boundInlayHints(
  page: SchemaPage,
  range: Range,
  tools: Tools,
): Promise<readonly InlayHint[]> {
  const places = placedBounds(page, range);
  if (places.length === 0) return [];
  const tokens = await tokensFrom(tools);
  return places.map(({ position, bound, pointer }) => {
    const { label, explanation } = describeBound(bound, pointer, tokens);
    const tooltip: MarkupContent = { kind: MarkupKind.Markdown, value: explanation };
    return { position, label, kind: InlayHintKind.Type, paddingLeft: true, tooltip };
  });
}

/** The same as lenses, which can't be clicked. */
export async function boundCodeLenses(page: SchemaPage, tools: Tools): Promise<readonly CodeLens[]> {
  const places = placedBounds(page, undefined);
  if (places.length === 0) return [];
  const tokens = await tokensFrom(tools);
  return places.map(({ range, bound, pointer }) => ({
    range,
    command: { title: describeBound(bound, pointer, tokens).label, command: '' },
  }));
}

/** Undefined where the token table is missing: bytes are known without it. */
async function tokensFrom(tools: Tools): Promise<BoundTokens | undefined> {
  try {
    return boundTokensOf(await tools.tokenizer());
  } catch {
    return undefined; // the installation lacks the table, and says so where tokens are asked for
  }
}

/** True where bounds can be told: the text is a schema without errors. */
function isSound({ problems, source }: StateSchema): boolean {
  return source !== undefined && problems.every(({ severity }) => severity !== 'error');
}

function placedBounds(
  { schema, lines, text }: SchemaPage,
  within: Range | undefined,
): readonly PlacedBound[] {
  if (!isSound(schema)) return [];
  const isWithin = (range: Range): boolean =>
    within === undefined || (range.start.line >= within.start.line && range.start.line <= within.end.line);
  const places: PlacedBound[] = [];
  const taken = new Set<number>();
  const add = (range: Range, bound: Bound, pointer: string): void => {
    const { line } = range.start;
    // Only the first on a line has the place at its end.
    const position = taken.has(line) ? range.end : endOfLine(text, lines.offsetAt(range.end), lines);
    taken.add(line);
    places.push({ position, range, bound, pointer });
  };
  // Behind `type: object` there is room; the first line is often a long `$schema`.
  const properties = schema.source?.properties;
  const shown = properties?.get('type') ?? properties?.get('properties') ?? properties?.values().next().value;
  if (shown !== undefined) {
    const range = lines.rangeOf(shown.keyStart, shown.keyEnd);
    const bound = boundOfRoot(schema);
    if (bound !== undefined && isWithin(range)) add(range, bound, '');
  }
  for (const { pointer, range } of schema.declaredProperties) {
    if (!isWithin(range)) continue;
    const bound = stateBound(schema).at(pointer);
    if (bound !== undefined) add(range, bound, pointer);
  }
  return places;
}

/** Keywords that say nothing of a value. */
const silent = ['$schema', '$id', '$anchor', '$comment', '$defs', 'definitions', 'title', 'description'];

/** A part's root is any value, and nothing where the file only defines what others refer to. */
function boundOfRoot(schema: StateSchema): Bound | undefined {
  if (!schema.isPart) return stateBound(schema).root;
  const keywords = [...(schema.source?.properties?.keys() ?? [])];
  return keywords.every((keyword) => silent.includes(keyword)) ? undefined : stateBound(schema).at('');
}

function endOfLine(text: string, offset: number, lines: SchemaPage['lines']): Position {
  let end = offset;
  while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end++;
  return lines.positionAt(end);
}

/** A bound in words; without `tokens` in bytes alone. */
export function describeBound(bound: Bound, pointer: string, tokens: BoundTokens | undefined): BoundLabel {
  const isRoot = pointer === '';
  const name = isRoot ? 'the state' : codeSpan(shortName(stateFieldName(pointer)));
  const largest = largestPart(bound);
  if (!Number.isFinite(bound.bytes)) return describeUnbounded(bound, pointer, tokens);
  const estimate = tokens === undefined ? '' : `, ≈ ${tokenCount(tokens.of(bound))}`;
  const share =
    largest !== undefined && bound.parts.length > 0 && largest.part.key !== undefined
      ? ` (${shortName(largest.part.key)} ${percent(largest.share)})`
      : '';
  const explanation = [
    `The largest that ${name} can be: **${bytes(bound.bytes)}** as JSON without spaces, in UTF-8.`,
    ...shares(bound),
    ...(holdsText(bound)
      ? [
          'A character counts as six bytes (`\\u0001`) unless a pattern, anchored at both ends, excludes such.',
        ]
      : []),
    ...(tokens === undefined
      ? []
      : [
          'Tokens are an estimate: a sample of each largest part is counted, made by its pattern or else of plain words.',
        ]),
  ];
  return {
    label: `≤ ${bytes(bound.bytes)}${estimate}${share}`,
    explanation: explanation.join('\n\n'),
  };
}

function describeUnbounded(bound: Bound, pointer: string, tokens: BoundTokens | undefined): BoundLabel {
  const places = unboundedPlaces(bound, 50);
  const [first] = places;
  const what = (place: UnboundedPlace, name: string): string =>
    place.missing === '$ref'
      ? `${name} contains itself`
      : place.pointer === pointer
        ? `needs ${place.missing}`
        : `${name} needs ${place.missing}`;
  const nameOf = (place: UnboundedPlace): string => shortName(stateFieldName(place.pointer));
  const more = places.length > 1 ? `, and ${places.length - 1} more` : '';
  const label = first === undefined ? 'unbounded' : `unbounded: ${what(first, nameOf(first))}${more}`;
  const rest = `Besides that, it takes at most **${bytes(bound.boundedBytes)}**`;
  const estimate = tokens === undefined ? '' : `, about ${tokenCount(tokens.of(bound))}`;
  const explanation = [
    'Nothing bounds the size of this value, and so of the prompt at each step. What is missing:',
    places
      .slice(0, 10)
      .map((place) => `- ${what(place, codeSpan(nameOf(place)))}`)
      .join('\n'),
    ...(bound.parts.length > 0 ? [`${rest}${estimate}.`] : []),
  ];
  return { label, explanation: explanation.join('\n\n') };
}

/** True where characters count: for texts, and for what may hold them. */
function holdsText({ parts, scalar }: Bound): boolean {
  return parts.length > 0 || scalar?.sample().text.startsWith('"') === true;
}

/** The largest parts as a Markdown list. */
function shares(bound: Bound): readonly string[] {
  const largest = [...bound.parts].sort((a, b) => b.bytes - a.bytes).slice(0, 5);
  if (largest.length === 0) return [];
  const lines = largest.map((part) => {
    const name =
      part.key === undefined
        ? part.keySample() === undefined
          ? 'items'
          : 'entries'
        : codeSpan(shortName(part.key));
    const times = part.count > 1 ? `${count(part.count)} × ${bytes(part.bytes / part.count)} = ` : '';
    return `- ${name}: ${times}${bytes(part.bytes)} (${percent(part.bytes / bound.bytes)})`;
  });
  return [lines.join('\n')];
}

/** Names are as long as their authors like. */
function shortName(name: string): string {
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name;
}

const maxNameLength = 60;

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

/** `900 B`, `19.4 kB`, `3.1 MB`: thousands, as file sizes are given. */
export function bytes(size: number): string {
  if (size < 1_000) return `${Math.ceil(size)} B`;
  const [unit, scaled] = size < 1_000_000 ? ['kB', size / 1_000] : ['MB', size / 1_000_000];
  if (scaled >= 1e6) return `${scaled.toExponential(1)} MB`;
  return `${scaled < 100 ? scaled.toFixed(1) : count(Math.round(scaled))} ${unit}`;
}

function tokenCount(number: number): string {
  return `${count(number)} ${number === 1 ? 'token' : 'tokens'}`;
}

/** A number with two significant digits beyond a thousand, and commas. */
function count(number: number): string {
  const digits = Math.max(0, Math.floor(Math.log10(Math.max(1, number))) - 1);
  const rounded = number < 1_000 ? Math.round(number) : Math.round(number / 10 ** digits) * 10 ** digits;
  return String(rounded).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
