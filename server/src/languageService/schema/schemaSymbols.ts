/** The outline of a state schema: its properties and definitions. */
import { type DocumentSymbol, SymbolKind, SymbolTag } from 'vscode-languageserver-types';
import { isJsonObject } from '../../../../schemas/json/jsonValue';
import { holdsItsChildren } from '../../../../schemas/state/schemaWalk';
import type { LineIndex, Position } from '../../../../schemas/text/position';
import type { SourceNode, SourceProperty } from '../../../../schemas/text/sourceTree';
import type { SchemaPage } from '../documents';
import { describeSchema } from './schemaDetail';

/** Names longer than this are cut: they are shown in one line of a narrow view. */
const maxNameLength = 120;

/** The outline, in the order of the text. Every symbol lies within its parent, as VS Code demands. */
export function symbolsOfSchema(page: SchemaPage): readonly DocumentSymbol[] {
  const { source } = page.schema;
  return source === undefined ? [] : new Outline(page.lines).inSchema(source);
}

/** Keywords whose value is one subschema that gets a line of its own. */
const singleKeywords: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'items',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/** Keywords that say more of the same value; shown where they declare something. */
const branchKeywords: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'dependentSchemas',
  'else',
  'if',
  'not',
  'oneOf',
  'prefixItems',
  'then',
]);

const kindOfType: Readonly<Record<string, SymbolKind>> = {
  array: SymbolKind.Array,
  boolean: SymbolKind.Boolean,
  integer: SymbolKind.Number,
  null: SymbolKind.Null,
  number: SymbolKind.Number,
  object: SymbolKind.Object,
  string: SymbolKind.String,
};

/** The depth of a source tree is bounded by its reader, and with it this recursion. */
class Outline {
  readonly #lines: LineIndex;

  constructor(lines: LineIndex) {
    this.#lines = lines;
  }

  inSchema(schema: SourceNode): DocumentSymbol[] {
    if (schema.properties === undefined || !holdsItsChildren(schema)) return [];
    const symbols: DocumentSymbol[] = [];
    for (const [keyword, property] of schema.properties) {
      for (const symbol of this.#ofKeyword(keyword, property, schema)) symbols.push(symbol);
    }
    return symbols;
  }

  #ofKeyword(keyword: string, property: SourceProperty, schema: SourceNode): DocumentSymbol[] {
    const { node } = property;
    switch (keyword) {
      case 'properties':
      case 'patternProperties':
        return this.#named(property, requiredOf(schema));
      case '$defs':
      case 'definitions':
        return [this.#symbol(keyword, SymbolKind.Namespace, '', property, this.#named(property))];
      case 'x-invariants':
        return [this.#symbol(keyword, SymbolKind.Namespace, '', property, this.#invariants(node))];
      default:
    }
    if (singleKeywords.has(keyword) && isJsonObject(node.value))
      return [this.#ofSubschema(keyword, property, false)];
    if (branchKeywords.has(keyword) || (keyword === 'items' && node.items !== undefined))
      return this.#branches(keyword, property);
    return [];
  }

  #named({ node }: SourceProperty, required?: ReadonlySet<string>): DocumentSymbol[] {
    if (!holdsItsChildren(node)) return [];
    return [...(node.properties ?? [])].map(([name, property]) =>
      this.#ofSubschema(name, property, required?.has(name) === true),
    );
  }

  #ofSubschema(name: string, property: SourceProperty, isRequired: boolean): DocumentSymbol {
    const { node } = property;
    const detail = [describeSchema(node.value), isRequired ? 'required' : '']
      .filter((part) => part !== '')
      .join(', ');
    const symbol = this.#symbol(name, kindOf(node), detail, property, this.inSchema(node));
    const isDeprecated = node.properties?.get('deprecated')?.node.value === true;
    return isDeprecated ? { ...symbol, tags: [SymbolTag.Deprecated] } : symbol;
  }

  /** One group for the keyword, if anything in its branches is worth a line. */
  #branches(keyword: string, property: SourceProperty): DocumentSymbol[] {
    const { node } = property;
    if (!holdsItsChildren(node)) return [];
    const children: DocumentSymbol[] = [];
    if (node.items === undefined) {
      const inside = keyword === 'dependentSchemas' ? this.#named(property) : this.inSchema(node);
      for (const symbol of inside) children.push(symbol);
    } else {
      node.items.forEach((item, index) => {
        const inside = this.inSchema(item);
        if (inside.length === 0) return;
        const place = { keyStart: item.start, keyEnd: item.start, node: item };
        children.push(this.#symbol(`${keyword} ${index + 1}`, SymbolKind.Struct, '', place, inside));
      });
    }
    return children.length === 0 ? [] : [this.#symbol(keyword, SymbolKind.Struct, '', property, children)];
  }

  #invariants(list: SourceNode): DocumentSymbol[] {
    if (!holdsItsChildren(list)) return [];
    return (list.items ?? []).map((item) => {
      const expression = item.properties?.get('expression')?.node.value;
      const message = item.properties?.get('message')?.node.value;
      const name = typeof expression === 'string' ? expression : 'invariant';
      const detail = typeof message === 'string' ? oneLine(message) : '';
      const place = { keyStart: item.start, keyEnd: item.start, node: item };
      return this.#symbol(name, SymbolKind.Boolean, detail, place, []);
    });
  }

  #symbol(
    name: string,
    kind: SymbolKind,
    detail: string,
    { keyStart, keyEnd, node }: SourceProperty,
    children: DocumentSymbol[],
  ): DocumentSymbol {
    const own = this.#lines.rangeOf(keyStart, Math.max(keyEnd, node.end));
    // In a broken text what is inside of a value may end after it.
    const inside = children.filter(({ range }) => !isBefore(range.start, own.start));
    const end = inside.reduce((last, { range }) => (isBefore(last, range.end) ? range.end : last), own.end);
    return {
      name: oneLine(name) || '(empty)',
      kind,
      ...(detail !== '' && { detail }),
      range: { start: own.start, end },
      selectionRange: this.#lines.rangeOf(keyStart, keyEnd),
      ...(inside.length > 0 && { children: inside }),
    };
  }
}

function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}

function requiredOf(schema: SourceNode): ReadonlySet<string> {
  const required = schema.properties?.get('required')?.node.value;
  return new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []);
}

function kindOf({ value, properties }: SourceNode): SymbolKind {
  if (!isJsonObject(value)) return SymbolKind.Property;
  const written = properties?.get('type')?.node.value;
  const types = Array.isArray(written) ? written.filter((type) => type !== 'null') : [written];
  const [type] = types;
  const known = types.length === 1 && typeof type === 'string' && Object.hasOwn(kindOfType, type);
  if (known) return kindOfType[type] ?? SymbolKind.Property;
  if (properties?.has('enum') === true) return SymbolKind.Enum;
  if (properties?.has('properties') === true) return SymbolKind.Object;
  return properties?.has('$ref') === true ? SymbolKind.Interface : SymbolKind.Property;
}

/** Without line ends and cut to what a view shows; the ends of surrogate pairs stay together. */
function oneLine(text: string): string {
  const plain = text
    .slice(0, maxNameLength * 2)
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...plain];
  return characters.length > maxNameLength ? `${characters.slice(0, maxNameLength).join('')}…` : plain;
}
