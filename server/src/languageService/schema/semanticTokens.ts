/** Highlighting that the grammar can't do: what is a keyword, an annotation, a property of Σ, a reference. */
import type { SemanticTokensLegend } from 'vscode-languageserver-types';
import type { KeywordKind } from '../../../../schemas/state/schemaKeywords';
import { isKnownKeyword } from '../../../../schemas/state/schemaRole';
import { type SchemaVisitor, walkSchema } from '../../../../schemas/state/schemaWalk';
import type { SourceNode, SourceProperty } from '../../../../schemas/text/sourceTree';
import type { Page, SchemaPage } from '../documents';

/** LSP's standard types alone, so that every theme has colours for them. */
const tokenTypes = ['keyword', 'decorator', 'property', 'type', 'class', 'enumMember', 'regexp'] as const;
const tokenModifiers = ['declaration', 'readonly'] as const;

type TokenType = (typeof tokenTypes)[number];
type TokenModifier = (typeof tokenModifiers)[number];

export const semanticTokensLegend: SemanticTokensLegend = {
  tokenTypes: [...tokenTypes],
  tokenModifiers: [...tokenModifiers],
};

/** A part of the text on one line. */
export interface SemanticToken {
  readonly start: number;
  readonly end: number;
  readonly type: TokenType;
  readonly modifiers: readonly TokenModifier[];
}

/** LSP's encoding: five numbers a token, relative to the token before. */
export function semanticTokensOf(page: Page): readonly number[] {
  return page.kind === 'state-schema' ? encoded(page, schemaTokens(page)) : [];
}

/** The tokens of a state schema, in the order of the text. */
function schemaTokens({ schema: { source, dialect } }: SchemaPage): SemanticToken[] {
  if (source === undefined) return [];
  const found: SemanticToken[] = [];
  const add = (start: number, end: number, type: TokenType, ...modifiers: TokenModifier[]) => {
    if (end > start) found.push({ start, end, type, modifiers });
  };
  const addValue = ({ value, start, end }: SourceNode, type: TokenType) => {
    if (typeof value === 'string') add(start, end, type);
  };
  const visitor: SchemaVisitor = {
    keyword(keyword, { keyStart, keyEnd, node }, kind) {
      const isAnnotation = keyword.startsWith('x-') && isKnownKeyword(keyword, dialect);
      if (isAnnotation) add(keyStart, keyEnd, 'decorator');
      else if (kind !== undefined) add(keyStart, keyEnd, 'keyword');
      if (kind !== undefined)
        for (const { part, type } of valueTokens(keyword, kind, node)) addValue(part, type);
      else if (isAnnotation) addValue(node, 'enumMember');
    },
    name(mapKeyword, _name, property) {
      const { keyStart, keyEnd } = property;
      if (mapKeyword === '$defs' || mapKeyword === 'definitions')
        add(keyStart, keyEnd, 'class', 'declaration');
      else if (mapKeyword === 'patternProperties') add(keyStart, keyEnd, 'regexp', 'declaration');
      else if (mapKeyword !== 'properties') add(keyStart, keyEnd, 'property');
      else if (isEnvironments(property)) add(keyStart, keyEnd, 'property', 'declaration', 'readonly');
      else add(keyStart, keyEnd, 'property', 'declaration');
    },
  };
  walkSchema(source, dialect, visitor);
  return found.sort((a, b) => a.start - b.start);
}

/** What the values of a keyword are, as far as they are names. */
function valueTokens(
  keyword: string,
  kind: KeywordKind,
  node: SourceNode,
): { readonly part: SourceNode; readonly type: TokenType }[] {
  switch (kind) {
    case 'type':
      return (node.items ?? [node]).map((part) => ({ part, type: 'type' }));
    case 'reference':
      return [{ part: node, type: 'class' }];
    case 'pattern':
      return [{ part: node, type: 'regexp' }];
    case 'string-array':
      return (node.items ?? []).map((part) => ({ part, type: 'property' }));
    default:
      return keyword === 'format' ? [{ part: node, type: 'enumMember' }] : [];
  }
}

/** Only tool facts are written there. */
function isEnvironments({ node }: SourceProperty): boolean {
  return node.properties?.get('x-writer')?.node.value === 'environment';
}

function encoded({ lines }: SchemaPage, tokens: readonly SemanticToken[]): number[] {
  const data: number[] = [];
  let line = 0;
  let character = 0;
  let end = 0;
  for (const token of tokens) {
    const { start: from, end: to } = lines.rangeOf(token.start, token.end);
    // A token ends on its line, and an alias has the places of its anchor.
    if (from.line !== to.line || token.start < end) continue;
    const modifiers = token.modifiers.reduce((bits, name) => bits | (1 << tokenModifiers.indexOf(name)), 0);
    const sameLine = from.line === line;
    data.push(
      from.line - line,
      sameLine ? from.character - character : from.character,
      token.end - token.start,
      tokenTypes.indexOf(token.type),
      modifiers,
    );
    line = from.line;
    character = from.character;
    end = token.end;
  }
  return data;
}
