/** The names of a skill and where they occur. */
import type { LineIndex } from '../../../../schemas/text/position';

/** What has a name. `id` tells those of a kind apart. */
export interface SkillSymbol {
  readonly kind: 'field' | 'action' | 'parameter' | 'definition' | 'anchor';
  readonly id: string;
}

/** What a place would hold with another name, or why that can't be written there. */
export type Writing = string | { readonly refusal: string };

/** A place where a name is written. Offsets are UTF-16, into the file at `uri`. */
export interface Occurrence {
  readonly symbol: SkillSymbol;
  readonly uri: string;
  readonly start: number;
  readonly end: number;
  readonly role: 'declaration' | 'reference';
  /** How another name is written between `start` and `end`. */
  written(name: string): Writing;
  /** Keys of the same object, where the name is one. */
  readonly siblings?: { has(key: string): boolean };
}

/** A place that leads to another without being a name. */
export interface Link {
  readonly uri: string;
  readonly start: number;
  readonly end: number;
  readonly target: { readonly uri: string; readonly start: number; readonly end: number };
}

/** A text that names occur in. */
export interface SymbolFile {
  readonly uri: string;
  readonly text: string;
  readonly lines: LineIndex;
}

/** Takes what a reader of one file finds. */
export interface SymbolSink {
  occurrence(occurrence: Occurrence): void;
  link(link: Link): void;
}

/** A symbol as the key of a map. */
export function symbolKey({ kind, id }: SkillSymbol): string {
  return `${kind} ${id}`;
}
