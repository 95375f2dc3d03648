/** JSON texts (RFC 8259) as source trees: strict, with duplicate keys and deep nesting reported instead of read. */
import {
  type Node,
  type ParseError,
  type ParseErrorCode,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { defineOwnProperty, type JsonValue } from '../json/jsonValue';
import {
  depthProblem,
  isExactNumber,
  lengthProblem,
  maxSourceDepth,
  nulProblem,
  type SourceDocument,
  type SourceNode,
  type SourceProblem,
  type SourceProperty,
} from './sourceTree';

/** Reads a JSON text; comments and trailing commas are syntax errors. */
export function parseJsonDocument(text: string): SourceDocument {
  const refusal = lengthProblem(text) ?? nulProblem(text) ?? tooDeep(text);
  if (refusal !== undefined) return { root: undefined, problems: [refusal] };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const problems: SourceProblem[] = [];
  const root = tree && convert(text, tree, problems);
  const [error] = errors;
  if (error !== undefined) {
    const last = Math.min(text.length, error.offset + Math.max(1, error.length));
    const end = isInsidePair(text, last) ? last + 1 : last;
    const start = Math.min(error.offset, end);
    return { root, problems: [{ kind: 'syntax', message: syntaxMessage(error.error), start, end }] };
  }
  return { root, problems };
}

/** Whether an offset lies between the two units of a character outside of the Basic Multilingual Plane. */
function isInsidePair(text: string, offset: number): boolean {
  return offset > 0 && (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}

function tooDeep(text: string): SourceProblem | undefined {
  let depth = 0;
  for (let offset = 0; offset < text.length; offset++) {
    const character = text[offset];
    if (character === '"') {
      for (offset++; offset < text.length && text[offset] !== '"' && text[offset] !== '\n'; offset++) {
        if (text[offset] === '\\') offset++;
      }
    } else if (character === '[' || character === '{') {
      depth++;
      if (depth > maxSourceDepth) return depthProblem(offset);
    } else if (character === ']' || character === '}') {
      depth--;
    }
  }
  return undefined;
}

function syntaxMessage(code: ParseErrorCode): string {
  const words = printParseErrorCode(code)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return `This is not valid JSON: ${words}.`;
}

function convert(text: string, node: Node, problems: SourceProblem[]): SourceNode {
  const start = node.offset;
  const end = node.offset + node.length;
  if (node.type === 'array') {
    const items = (node.children ?? []).map((child) => convert(text, child, problems));
    return { value: items.map((item) => item.value), start, end, items };
  }
  if (node.type === 'object') {
    const properties = new Map<string, SourceProperty>();
    const value: Record<string, JsonValue> = {};
    for (const member of node.children ?? []) {
      const [key, memberNode] = member.children ?? [];
      if (key === undefined || memberNode === undefined) continue;
      const name = String(key.value);
      const keyEnd = key.offset + key.length;
      if (properties.has(name)) {
        const message = `The key ${JSON.stringify(name)} stands here twice; keep one of them.`;
        problems.push({ kind: 'duplicate-key', message, start: key.offset, end: keyEnd });
        continue;
      }
      const child = convert(text, memberNode, problems);
      properties.set(name, { keyStart: key.offset, keyEnd, node: child });
      defineOwnProperty(value, name, child.value);
    }
    return { value, start, end, properties };
  }
  const value = (node.value ?? null) as JsonValue;
  if (typeof value === 'number' && !isExactNumber(value, text.slice(start, end))) {
    const message = 'This number is too large to be read exactly; write it as a string.';
    problems.push({ kind: 'inexact-number', message, start, end });
    return { value: Number.isFinite(value) ? value : null, start, end };
  }
  return { value, start, end };
}
