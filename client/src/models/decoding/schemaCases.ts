/** What a state schema says of a value, as cases of which one has to hold; what can't be brought into that form is noted. */
import { formatPointer } from '../../../../schemas/json/jsonPointer';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import { listedValues, typesOf } from '../../../../schemas/state/boundKeywords';
import {
  BoundPlaces,
  type DialectWords,
  entryPlace,
  type ObjectPlace,
  type Place,
  schemaPlaces,
} from '../../../../schemas/state/boundPlaces';
import { filesKeyword } from '../../../../schemas/state/schemaBundle';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import { compilePattern } from '../../../../schemas/text/safePattern';
import { canonicalJson } from '../../runtime/jsonEquality';
import { Notes } from './notes';
import type { DroppedKeyword } from './replyConstraint';

/** Subschemas that hold together. */
export type Case = readonly ObjectPlace[];

const maxCases = 16;
const maxKeptKeys = 20_000;
/** How many subschemas are looked at for one schema. */
const maxWork = 60_000;

/** Thrown for a schema that has more to it than can be looked at. */
export class SchemaTooLarge extends Error {
  override readonly name: string = 'SchemaTooLarge';
}

/** Keywords that no case says anything of, and why. */
const unsaidKeywords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    $dynamicRef: 'leads to where it is reached from',
    contains: 'asks for an item among others',
    dependencies: 'depends on which keys there are',
    dependentRequired: 'depends on which keys there are',
    dependentSchemas: 'depends on which keys there are',
    if: 'depends on the rest of the value',
    not: 'says what is not allowed',
    unevaluatedItems: 'depends on what other subschemas say',
  }),
);

/** Looks a state schema up. */
export class SchemaCases {
  readonly words: DialectWords;
  readonly #places: BoundPlaces;
  readonly #schema: StateSchema;
  readonly #environments = new Map<string, boolean>();
  readonly #notes = new Notes();
  /** By pattern and text. */
  readonly #matches = new Map<string, boolean>();
  readonly #cases = new Map<string, readonly Case[]>();
  #work = 0;

  constructor(schema: StateSchema) {
    this.#schema = schema;
    this.#places = new BoundPlaces(schema);
    this.words = this.#places.words;
  }

  /** What has been left out so far. */
  get notes(): readonly DroppedKeyword[] {
    return this.#notes.all;
  }

  note(pointer: string, keyword: string, reason: string): void {
    this.#notes.add(pointer, keyword, reason);
  }

  /** The cases of a value that has to satisfy all of `starts`; none where nothing does. @throws SchemaTooLarge */
  of(starts: readonly Place[]): readonly Case[] {
    const key = placesKey(starts);
    let cases = this.#cases.get(key);
    if (cases === undefined) {
      cases = this.#casesOf(starts);
      this.#cases.set(key, cases);
    }
    return cases;
  }

  #casesOf(starts: readonly Place[]): readonly Case[] {
    const done: Case[] = [];
    // Choices are resolved one after the other: each gives its branches to the places that hold anyway.
    const pending: { places: readonly Place[]; resolved: readonly string[] }[] = [
      { places: starts, resolved: [] },
    ];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { places, resolved } = next;
      const { places: found, impossible, choices } = this.#places.conjunction(places);
      this.#work += found.length + 1;
      if (this.#work > maxWork) throw new SchemaTooLarge();
      if (impossible) continue;
      this.#noteUnsaid(found);
      const choice = choices.find(
        ({ pointer }) => /\/(?:anyOf|oneOf)$/.test(pointer) && !resolved.includes(pointer),
      );
      if (choice === undefined) {
        done.push(found);
        continue;
      }
      const after = [...resolved, choice.pointer];
      const keyword = choice.isExclusive ? 'oneOf' : 'anyOf';
      const owner = choice.pointer.slice(0, -keyword.length - 1);
      if (done.length + pending.length + choice.branches.length > maxCases) {
        this.note(owner, keyword, 'has too many branches');
        pending.push({ places, resolved: after });
        continue;
      }
      if (choice.isExclusive && !this.#areApart(choice.branches))
        this.note(owner, keyword, 'may hold only once, and its branches overlap');
      for (const branch of [...choice.branches].reverse())
        pending.push({ places: [...places, ...branch], resolved: after });
    }
    return done;
  }

  /** True where no value can satisfy two of the branches: for their types, their values, or those of a required key. */
  #areApart(branches: readonly (readonly Place[])[]): boolean {
    const cases = branches.map((branch) => this.#places.conjunction(branch).places);
    return cases.every((one, index) => cases.slice(0, index).every((other) => areTwoApart(one, other)));
  }

  #noteUnsaid(places: Case): void {
    for (const { pointer, schema } of places) {
      for (const keyword of Object.keys(schema)) {
        const reason = unsaidKeywords.get(keyword);
        if (reason !== undefined) this.note(pointer, keyword, reason);
      }
    }
  }

  /** True where what `starts` describe belongs to the environment. */
  isEnvironments(starts: readonly Place[]): boolean {
    return this.of(starts).some((places) =>
      places.some(({ schema }) => ownProperty(schema, 'x-writer') === 'environment'),
    );
  }

  /**
   * True where a field of the environment is at what `starts` describe or below: then only objects may be written there,
   * and nothing is deleted, as `environmentWriteIn` has it.
   */
  touchesEnvironment(starts: readonly Place[]): boolean {
    if (!this.#schema.hasWriters) return false;
    const key = placesKey(starts);
    let answer = this.#environments.get(key);
    if (answer === undefined) {
      answer = this.#hasEnvironments(starts);
      this.#environments.set(key, answer);
    }
    return answer;
  }

  #hasEnvironments(starts: readonly Place[]): boolean {
    const pending: Place[] = [...starts];
    const seen = new Set<JsonValue>();
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      const { pointer, schema } = place;
      if (typeof schema !== 'object' || schema === null || seen.has(schema)) continue;
      seen.add(schema);
      if (++this.#work > maxWork) throw new SchemaTooLarge();
      if (isJsonObject(schema) && ownProperty(schema, 'x-writer') === 'environment') return true;
      for (const [key, child] of Object.entries(schema))
        if (key !== filesKeyword) pending.push({ pointer: pointer + formatPointer([key]), schema: child });
      for (const target of this.#schema.references.get(pointer) ?? []) {
        const found = this.#places.at(target);
        if (found !== undefined) pending.push(found);
      }
    }
    return false;
  }

  /** The subschemas for the value of a key. */
  property(parents: Case, key: string): readonly Place[] {
    return parents.flatMap(({ pointer, schema }) => {
      const found: Place[] = [];
      const own = entryPlace(pointer, schema, 'properties', key);
      if (own !== undefined) found.push(own);
      for (const source of patternsIn(schema)) {
        const place = this.occurs(source, key)
          ? entryPlace(pointer, schema, 'patternProperties', source)
          : undefined;
        if (place !== undefined) found.push(place);
      }
      return found.length > 0 ? found : schemaPlaces(pointer, schema, 'additionalProperties');
    });
  }

  /** The subschemas for the value of a key that isn't declared and matches some patterns. */
  undeclared(parents: Case, matches: ReadonlySet<string>): readonly Place[] {
    return parents.flatMap(({ pointer, schema }) => {
      const found = patternsIn(schema).flatMap((source) =>
        matches.has(source) ? (entryPlace(pointer, schema, 'patternProperties', source) ?? []) : [],
      );
      return found.length > 0 ? found : schemaPlaces(pointer, schema, 'additionalProperties');
    });
  }

  /** What `unevaluatedProperties` says of keys that nothing else describes: of several the last, which is the innermost. */
  unevaluated(parents: Case): readonly Place[] {
    if (!this.words.hasUnevaluated) return [];
    return parents
      .flatMap(({ pointer, schema }) => schemaPlaces(pointer, schema, 'unevaluatedProperties'))
      .slice(-1);
  }

  /** Whether a pattern occurs in a text. Answers are kept, since the same keys are asked for at every step. */
  occurs(source: string, text: string): boolean {
    const key = `${source}\n${text}`;
    let answer = this.#matches.get(key);
    if (answer === undefined) {
      const pattern = compilePattern(source);
      answer = pattern.ok && pattern.test(text);
      if (this.#matches.size >= maxKeptKeys) this.#matches.clear();
      this.#matches.set(key, answer);
    }
    return answer;
  }
}

function areTwoApart(one: Case, other: Case): boolean {
  const [a, b] = [one, other].map((places) => places.map(({ schema }) => schema));
  if (a === undefined || b === undefined) return false;
  if (typesOf([...a, ...b], undefined).length === 0 || haveOtherValues(a, b)) return true;
  const required = namesIn(other, 'required');
  return [...namesIn(one, 'required')].some((key) => {
    if (!required.has(key)) return false;
    return haveOtherValues(declarationsOf(a, key), declarationsOf(b, key));
  });
}

function declarationsOf(schemas: readonly JsonObject[], key: string): readonly JsonObject[] {
  return schemas.flatMap((schema) => {
    const properties = ownProperty(schema, 'properties');
    const declared = isJsonObject(properties) ? ownProperty(properties, key) : undefined;
    return isJsonObject(declared) ? [declared] : [];
  });
}

function haveOtherValues(a: readonly JsonObject[], b: readonly JsonObject[]): boolean {
  const values = listedValues(a);
  const others = new Set(listedValues(b)?.map(canonicalJson));
  return values !== undefined && others.size > 0 && !values.some((value) => others.has(canonicalJson(value)));
}

/** The same for the same subschemas; that of none isn't that of the root, whose pointer is empty. */
export function placesKey(places: readonly Place[]): string {
  const [only] = places;
  if (only !== undefined && places.length === 1) return `#${only.pointer}`;
  return [...new Set(places.map(({ pointer }) => `#${pointer}`))].join('\n');
}

export function patternsIn(schema: JsonObject): readonly string[] {
  const patterns = ownProperty(schema, 'patternProperties');
  return isJsonObject(patterns) ? Object.keys(patterns) : [];
}

/** The numbers that subschemas have for a keyword. */
export function numbersIn(places: Case, keyword: string): readonly number[] {
  return places.flatMap(({ schema }) => {
    const value = ownProperty(schema, keyword);
    return typeof value === 'number' ? [value] : [];
  });
}

/** The texts that subschemas have for a keyword, each once. */
export function textsIn(places: Case, keyword: string): readonly string[] {
  const texts = places.flatMap(({ schema }) => {
    const value = ownProperty(schema, keyword);
    return typeof value === 'string' ? [value] : [];
  });
  return [...new Set(texts)];
}

/** The names in the lists that subschemas have for a keyword. */
export function namesIn(places: Case, keyword: string): ReadonlySet<string> {
  const names = places.flatMap(({ schema }): readonly JsonValue[] => {
    const value = ownProperty(schema, keyword);
    return Array.isArray(value) ? value : [];
  });
  return new Set(names.filter((name) => typeof name === 'string'));
}

/** The subschema that has a keyword, or else the first one. */
export function pointerOf(places: Case, ...keywords: readonly string[]): string {
  const found = keywords.flatMap(
    (keyword) => places.find(({ schema }) => Object.hasOwn(schema, keyword)) ?? [],
  )[0];
  return (found ?? places[0])?.pointer ?? '';
}
