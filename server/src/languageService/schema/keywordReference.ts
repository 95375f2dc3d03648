/** What each keyword of JSON Schema and each annotation of SKILL.state means, for hovers and completion. */
import type { Dialect } from '../../../../schemas/state/stateSchema';

/** What there is to say of a keyword. */
export interface KeywordEntry {
  /** Markdown, one or two sentences. */
  readonly text: string;
  /** What it means for Σ and the patches to it, in Markdown. */
  readonly state?: string;
  /** YAML. */
  readonly example?: string;
  /** The section of the specification, by dialect; undefined for the annotations, which are ours. */
  readonly spec?: Readonly<Partial<Record<Dialect, string>>>;
  /** The page of “Understanding JSON Schema” that introduces it. */
  readonly guide?: string;
}

const core = (section: string) => `https://json-schema.org/draft/2020-12/json-schema-core#section-${section}`;
const validation = (section: string) =>
  `https://json-schema.org/draft/2020-12/json-schema-validation#section-${section}`;
const core07 = (section: string) =>
  `https://json-schema.org/draft-07/draft-handrews-json-schema-01#rfc.section.${section}`;
const validation07 = (section: string) =>
  `https://json-schema.org/draft-07/draft-handrews-json-schema-validation-01#rfc.section.${section}`;
const guide = (page: string) => `https://json-schema.org/understanding-json-schema/${page}`;

/** Sections of both dialects. */
function both(
  section2020: string,
  section07: string,
): { readonly '2020-12': string; readonly 'draft-07': string } {
  return { '2020-12': section2020, 'draft-07': section07 };
}

const keywords: Readonly<Record<string, KeywordEntry>> = {
  $anchor: {
    text: 'Names this subschema, so that `$ref: "#name"` leads here wherever it moves.',
    example: '$anchor: item',
    spec: { '2020-12': core('8.2.2') },
    guide: guide('structuring#anchor'),
  },
  $comment: {
    text: 'A note to whoever edits the schema. Nothing reads it.',
    spec: both(core('8.3'), core07('9')),
    guide: guide('reference/comments'),
  },
  $defs: {
    text: 'Subschemas by name, to be used elsewhere through `$ref`. They have no effect by themselves.',
    example: '$defs:\n  shelf:\n    type: string\n    maxLength: 9',
    spec: { '2020-12': core('8.2.4') },
    guide: guide('structuring#defs'),
  },
  $dynamicAnchor: {
    text: 'Names this subschema as one that `$dynamicRef` may find in the outermost schema that uses it.',
    spec: { '2020-12': core('8.2.2') },
    guide: guide('structuring'),
  },
  $dynamicRef: {
    text: 'A reference that is resolved where the schema is used, so that a schema which extends this one can put its own in the place. A plain `$ref` is nearly always enough.',
    spec: { '2020-12': core('8.2.3.2') },
    guide: guide('structuring'),
  },
  $id: {
    text: 'The URI of this schema, which the references in it are resolved against. It is a name; nothing is fetched from there.',
    spec: both(core('8.2.1'), core07('8.2')),
    guide: guide('structuring#id'),
  },
  $ref: {
    text: 'The value also has to be valid against the schema that this leads to.',
    state: 'By draft-07 a validator may pass over the keywords beside `$ref`; put both into `allOf` there.',
    example: "$ref: '#/$defs/shelf'",
    spec: both(core('8.2.3.1'), core07('8.3')),
    guide: guide('structuring#dollarref'),
  },
  $schema: {
    text: 'The dialect that the schema is written in. Without it, 2020-12 is assumed.',
    example: '$schema: https://json-schema.org/draft/2020-12/schema',
    spec: both(core('8.1.1'), core07('7')),
    guide: guide('reference/schema#schema'),
  },
  $vocabulary: {
    text: 'In a meta-schema: which vocabularies the schemas written in it use. It means nothing in a state schema.',
    spec: { '2020-12': core('8.1.2') },
  },
  additionalItems: {
    text: 'The schema of the items behind those that `items` lists one by one; `false` allows none.',
    spec: { 'draft-07': validation07('6.4.2') },
    guide: guide('reference/array#additionalitems'),
  },
  additionalProperties: {
    text: 'The schema of the properties that neither `properties` nor `patternProperties` of the same subschema describes; `false` allows none.',
    state:
      'Where it is left out, a patch may add any key with anything in it. `false` turns a misspelt key into a rejection that names it.',
    example: 'additionalProperties: false',
    spec: both(core('10.3.2.3'), validation07('6.5.6')),
    guide: guide('reference/object#additionalproperties'),
  },
  allOf: {
    text: 'The value has to be valid against every schema of the list.',
    state:
      '`additionalProperties: false` sees only the properties of its own subschema; use `unevaluatedProperties` to close a combination.',
    spec: both(core('10.2.1.1'), validation07('6.7.1')),
    guide: guide('reference/combining#allof'),
  },
  anyOf: {
    text: 'The value has to be valid against at least one schema of the list.',
    spec: both(core('10.2.1.2'), validation07('6.7.2')),
    guide: guide('reference/combining#anyof'),
  },
  const: {
    text: 'The value has to be exactly this one.',
    example: 'const: 1',
    spec: both(validation('6.1.3'), validation07('6.1.3')),
    guide: guide('reference/const'),
  },
  contains: {
    text: 'At least one item of the array has to be valid against this schema; the others are free.',
    example: 'contains:\n  const: start',
    spec: both(core('10.3.1.3'), validation07('6.4.6')),
    guide: guide('reference/array#contains'),
  },
  contentEncoding: {
    text: 'How the string encodes binary data, such as `base64`. It is a note; nothing checks it.',
    spec: both(validation('8.3'), validation07('8.3')),
    guide: guide('reference/non_json_data'),
  },
  contentMediaType: {
    text: 'The media type of what the string holds, such as `application/json`. It is a note; nothing checks it.',
    spec: both(validation('8.4'), validation07('8.4')),
    guide: guide('reference/non_json_data'),
  },
  contentSchema: {
    text: 'The schema of what the string holds once it is decoded by `contentMediaType`. Nothing checks it.',
    spec: { '2020-12': validation('8.5') },
    guide: guide('reference/non_json_data'),
  },
  default: {
    text: 'The value that is meant where none is given. Validation adds nothing.',
    state:
      'It fills the initial state Σ₀ alone, where the skill has no file for it. What a patch deletes doesn’t come back by its default.',
    example: 'type: array\ndefault: []',
    spec: both(validation('9.2'), validation07('10.2')),
    guide: guide('reference/annotations'),
  },
  definitions: {
    text: 'Subschemas by name, to be used elsewhere through `$ref`. 2020-12 calls them `$defs` and still reads this name.',
    spec: both(core('8.2.4'), validation07('9')),
    guide: guide('structuring#defs'),
  },
  dependencies: {
    text: 'By the name of a property: what has to hold once it is there, as a list of required names or a schema. 2020-12 splits it into `dependentRequired` and `dependentSchemas`.',
    example: 'dependencies:\n  carrying: [position]',
    spec: both(validation('6.5.4'), validation07('6.5.7')),
    guide: guide('reference/conditionals#dependentRequired'),
  },
  dependentRequired: {
    text: 'By the name of a property: which others have to be there once it is.',
    state: 'A patch that deletes one of those others, and leaves the first, is rejected.',
    example: 'dependentRequired:\n  carrying: [position]',
    spec: { '2020-12': validation('6.5.4') },
    guide: guide('reference/conditionals#dependentRequired'),
  },
  dependentSchemas: {
    text: 'By the name of a property: a schema that the whole object has to fit once it is there.',
    spec: { '2020-12': core('10.2.2.4') },
    guide: guide('reference/conditionals#dependentschemas'),
  },
  deprecated: {
    text: 'Says that the property is on its way out. It is a note; patches may still write it.',
    spec: { '2020-12': validation('9.3') },
    guide: guide('reference/annotations'),
  },
  description: {
    text: 'What the value is and how it is to be used, in words.',
    state: 'Editors and views show it beside the field.',
    example: 'description: The item on the shelf.',
    spec: both(validation('9.1'), validation07('10.1')),
    guide: guide('reference/annotations'),
  },
  else: {
    text: 'What has to hold where the schema of `if` doesn’t.',
    spec: both(core('10.2.2.3'), validation07('6.6.3')),
    guide: guide('reference/conditionals#ifthenelse'),
  },
  enum: {
    text: 'The value has to be one of these.',
    state: 'The surest bound of a text: a model can’t invent a status that isn’t listed.',
    example: 'enum: [todo, doing, done]',
    spec: both(validation('6.1.2'), validation07('6.1.2')),
    guide: guide('reference/enum'),
  },
  examples: {
    text: 'Values that show what is meant. Nothing checks them.',
    example: 'examples: [shelf_12]',
    spec: both(validation('9.5'), validation07('10.4')),
    guide: guide('reference/annotations'),
  },
  exclusiveMaximum: {
    text: 'The number has to be below this one.',
    spec: both(validation('6.2.3'), validation07('6.2.3')),
    guide: guide('reference/numeric#range'),
  },
  exclusiveMinimum: {
    text: 'The number has to be above this one.',
    spec: both(validation('6.2.5'), validation07('6.2.5')),
    guide: guide('reference/numeric#range'),
  },
  format: {
    text: 'The string has to be of a known form, such as a date.',
    state:
      'The formats of the standard are checked with every patch, though the standard lets a validator pass over them.',
    example: 'format: date-time',
    spec: both(validation('7'), validation07('7')),
    guide: guide('reference/string#format'),
  },
  if: {
    text: 'A condition: where its schema fits, that of `then` has to fit too, else that of `else`. It rejects nothing by itself.',
    example: 'if:\n  required: [carrying]\nthen:\n  required: [position]',
    spec: both(core('10.2.2.1'), validation07('6.6.1')),
    guide: guide('reference/conditionals#ifthenelse'),
  },
  items: {
    text: 'The schema of the items: of all that `prefixItems` doesn’t describe. In draft-07 also a list of schemas, one for each place.',
    example: 'items:\n  type: string\n  maxLength: 80',
    spec: both(core('10.3.1.2'), validation07('6.4.1')),
    guide: guide('reference/array#items'),
  },
  maxContains: {
    text: 'How many items may be valid against `contains` at most.',
    spec: { '2020-12': validation('6.4.4') },
    guide: guide('reference/array#mincontains-maxcontains'),
  },
  maximum: {
    text: 'The number has to be this one or below.',
    spec: both(validation('6.2.2'), validation07('6.2.2')),
    guide: guide('reference/numeric#range'),
  },
  maxItems: {
    text: 'How many items the array may have at most.',
    state:
      'Without it the list can grow for as long as the run goes on, and each prompt with it. Together with `x-merge` and `x-evict: oldest` the oldest items give way; without `x-evict` a patch that exceeds it is rejected.',
    example: 'maxItems: 20',
    spec: both(validation('6.4.1'), validation07('6.4.3')),
    guide: guide('reference/array#length'),
  },
  maxLength: {
    text: 'How many characters (Unicode code points) the string may have at most.',
    state: 'Without it, or an `enum`, a text has no bound and neither has Σ.',
    example: 'maxLength: 200',
    spec: both(validation('6.3.1'), validation07('6.3.1')),
    guide: guide('reference/string#length'),
  },
  maxProperties: {
    text: 'How many properties the object may have at most.',
    state: 'It bounds a map whose keys aren’t listed; a patch that would add one more is rejected.',
    example: 'maxProperties: 50',
    spec: both(validation('6.5.1'), validation07('6.5.1')),
    guide: guide('reference/object#size'),
  },
  minContains: {
    text: 'How many items have to be valid against `contains` at least; 1 without it.',
    spec: { '2020-12': validation('6.4.5') },
    guide: guide('reference/array#mincontains-maxcontains'),
  },
  minimum: {
    text: 'The number has to be this one or above.',
    spec: both(validation('6.2.4'), validation07('6.2.4')),
    guide: guide('reference/numeric#range'),
  },
  minItems: {
    text: 'How many items the array has to have at least.',
    spec: both(validation('6.4.2'), validation07('6.4.4')),
    guide: guide('reference/array#length'),
  },
  minLength: {
    text: 'How many characters (Unicode code points) the string has to have at least.',
    spec: both(validation('6.3.2'), validation07('6.3.2')),
    guide: guide('reference/string#length'),
  },
  minProperties: {
    text: 'How many properties the object has to have at least.',
    state: 'A patch that deletes one too many is rejected.',
    spec: both(validation('6.5.2'), validation07('6.5.2')),
    guide: guide('reference/object#size'),
  },
  multipleOf: {
    text: 'The number has to be a multiple of this one, which is above 0.',
    example: 'multipleOf: 0.01',
    spec: both(validation('6.2.1'), validation07('6.2.1')),
    guide: guide('reference/numeric#multiples'),
  },
  not: {
    text: 'The value must not be valid against this schema.',
    spec: both(core('10.2.1.4'), validation07('6.7.4')),
    guide: guide('reference/combining#not'),
  },
  oneOf: {
    text: 'The value has to be valid against exactly one schema of the list.',
    state: 'Where the branches can’t overlap, `anyOf` says the same and costs less.',
    spec: both(core('10.2.1.3'), validation07('6.7.3')),
    guide: guide('reference/combining#oneof'),
  },
  pattern: {
    text: 'A regular expression (ECMA-262) that has to match somewhere in the string; write `^` and `$` to match it as a whole.',
    state: 'It runs without backtracking, so look-around and numbered back-references aren’t available.',
    example: 'pattern: ^shelf_\\d{1,3}$',
    spec: both(validation('6.3.3'), validation07('6.3.3')),
    guide: guide('reference/string#regexp'),
  },
  patternProperties: {
    text: 'Schemas by regular expression: each property whose name matches has to be valid against it.',
    example: "patternProperties:\n  '^shelf_\\d+$':\n    type: string\n    maxLength: 24",
    spec: both(core('10.3.2.2'), validation07('6.5.5')),
    guide: guide('reference/object#patternProperties'),
  },
  prefixItems: {
    text: 'The schemas of the first items, one for each place; `items` describes those behind them.',
    example: 'prefixItems:\n  - type: string\n  - type: integer\nitems: false',
    spec: { '2020-12': core('10.3.1.1') },
    guide: guide('reference/array#tupleValidation'),
  },
  properties: {
    text: 'The properties that the object may have, each with its schema. None of them is required by being listed.',
    example: 'properties:\n  position:\n    type: string\n    maxLength: 9',
    spec: both(core('10.3.2.1'), validation07('6.5.4')),
    guide: guide('reference/object#properties'),
  },
  propertyNames: {
    text: 'A schema that every property’s name has to be valid against.',
    state: 'With `maxLength` it bounds the keys of a map.',
    example: 'propertyNames:\n  pattern: ^shelf_\\d+$\n  maxLength: 9',
    spec: both(core('10.3.2.4'), validation07('6.5.8')),
    guide: guide('reference/object#propertyNames'),
  },
  readOnly: {
    text: 'Says that the value isn’t meant to be written by who uses it. Nothing checks it.',
    state: 'To keep the model from writing a field, use `x-writer: environment`.',
    spec: both(validation('9.4'), validation07('10.3')),
    guide: guide('reference/annotations'),
  },
  required: {
    text: 'The names of the properties that have to be there.',
    state: 'A patch that deletes one of them (sets it to `null`) is rejected.',
    example: 'required: [position]',
    spec: both(validation('6.5.3'), validation07('6.5.3')),
    guide: guide('reference/object#required'),
  },
  // biome-ignore lint/suspicious/noThenProperty: the keyword's name
  then: {
    text: 'What has to hold where the schema of `if` does.',
    spec: both(core('10.2.2.2'), validation07('6.6.2')),
    guide: guide('reference/conditionals#ifthenelse'),
  },
  title: {
    text: 'A short name for the value, for people.',
    spec: both(validation('9.1'), validation07('10.1')),
    guide: guide('reference/annotations'),
  },
  type: {
    text: 'Which of JSON’s types the value has: one of them, or a list of those allowed. An `integer` is a number without a fraction.',
    state:
      'The root has to be an `object`. A patch can’t set a property to `null`: that deletes it, even where `null` is an allowed type.',
    example: 'type: string',
    spec: both(validation('6.1.1'), validation07('6.1.1')),
    guide: guide('reference/type'),
  },
  unevaluatedItems: {
    text: 'The schema of the items that no other keyword describes, those in `allOf`, `$ref` and the like included; `false` allows none.',
    spec: { '2020-12': core('11.2') },
    guide: guide('reference/array#unevaluateditems'),
  },
  unevaluatedProperties: {
    text: 'The schema of the properties that no other keyword describes, those in `allOf`, `$ref` and the like included; `false` allows none.',
    example: "$ref: '#/$defs/base'\nunevaluatedProperties: false",
    spec: { '2020-12': core('11.3') },
    guide: guide('reference/object#unevaluatedproperties'),
  },
  uniqueItems: {
    text: 'Where it is `true`, no two items of the array may be equal.',
    state: '`x-merge: union` leaves out what is there already instead of rejecting the patch.',
    spec: both(validation('6.4.3'), validation07('6.4.5')),
    guide: guide('reference/array#uniqueItems'),
  },
  writeOnly: {
    text: 'Says that the value is written and not read back. Nothing checks it.',
    spec: { '2020-12': validation('9.4') },
    guide: guide('reference/annotations'),
  },
};

const annotations: Readonly<Record<string, KeywordEntry>> = {
  'x-evict': {
    text: 'What gives way when `x-merge: append` or `union` would exceed `maxItems`: `oldest` drops items from the array’s start.',
    state: 'Without it a patch that would exceed `maxItems` is rejected.',
    example: 'type: array\nmaxItems: 20\nx-merge: append\nx-evict: oldest',
  },
  'x-invariants': {
    text: 'Expressions over `state` in [CEL](https://cel.dev) that have to be true of every state, for what types can’t say. Stands at the root only.',
    state:
      'A patch after which one is not true is rejected, and the model is told its `message`. `values(map)` and `unique(list)` come on top of CEL.',
    example:
      'x-invariants:\n  - expression: unique(values(state.inventory))\n    message: No item is on two shelves.',
  },
  'x-merge': {
    text: 'How an array in a patch meets the array in the state: `replace` (the default) puts it in its place, `append` adds its items at the end, `union` adds those that aren’t there yet.',
    state: '`null` deletes the array in any case.',
    example: 'type: array\nmaxItems: 20\nx-merge: append',
  },
  'x-writer': {
    text: 'Who may write this value and everything below it: the `model` (the default), or the `environment` alone.',
    state: 'A model’s patch to a field of the environment is rejected.',
    example: 'x-writer: environment',
  },
};

/** Every keyword and annotation by its name. */
export const keywordReference: ReadonlyMap<string, KeywordEntry> = new Map(
  Object.entries({ ...keywords, ...annotations }),
);

/** What the values of the annotations mean, and which one holds by default. */
export const annotationValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'x-merge': {
    replace: 'The patch’s array takes the place of the one in the state. This is the default.',
    append: 'The patch’s items are added at the end.',
    union: 'Those of the patch’s items are added that aren’t in the state’s array yet.',
  },
  'x-evict': { oldest: 'Items are dropped from the array’s start until `maxItems` is kept.' },
  'x-writer': {
    model: 'The model’s patches write it. This is the default.',
    environment: 'Facts from the environment write it; a model’s patch to it is rejected.',
  },
};

/** The formats of the standard, and what a string of each is. */
export const formats: ReadonlyMap<string, string> = new Map([
  ['date-time', 'A date and time with its offset: `2026-01-31T12:00:00Z`.'],
  ['date', 'A day: `2026-01-31`.'],
  ['time', 'A time of day with its offset: `12:00:00Z`.'],
  ['duration', 'A length of time (ISO 8601): `PT1H30M`. New in 2019-09.'],
  ['email', 'An e-mail address.'],
  ['hostname', 'A name of a host.'],
  ['ipv4', 'An IPv4 address.'],
  ['ipv6', 'An IPv6 address.'],
  ['uri', 'A full URI: `https://example.com/a`.'],
  ['uri-reference', 'A URI or a relative reference.'],
  ['uri-template', 'A URI with placeholders (RFC 6570): `/items/{id}`.'],
  ['uuid', 'A UUID. New in 2019-09.'],
  ['json-pointer', 'A JSON Pointer (RFC 6901): `/inventory/shelf_1`.'],
  ['relative-json-pointer', 'A JSON Pointer that begins somewhere: `1/name`.'],
  ['regex', 'A regular expression (ECMA-262).'],
]);

/** The entry of a keyword as Markdown. */
export function keywordMarkdown(keyword: string, dialect: Dialect): string | undefined {
  const entry = keywordReference.get(keyword);
  if (entry === undefined) return undefined;
  const parts = [entry.text];
  if (entry.state !== undefined) parts.push(entry.state);
  if (entry.example !== undefined) parts.push(`\`\`\`yaml\n${entry.example}\n\`\`\``);
  const spec = entry.spec?.[dialect];
  const links = [
    ...(spec === undefined ? [] : [`[Specification](${spec})`]),
    ...(entry.guide === undefined ? [] : [`[Guide](${entry.guide})`]),
  ];
  if (links.length > 0) parts.push(links.join(' · '));
  return parts.join('\n\n');
}
