/** The names in a skill's instructions and front matter, and the files that the front matter names. */
import type { ActionSignature } from '../../../../schemas/skill/actionSignature';
import { normalizeRelativePath } from '../../../../schemas/skill/fileMentions';
import { parseJsonDocument } from '../../../../schemas/text/jsonDocument';
import type { SourceNode } from '../../../../schemas/text/sourceTree';
import type { IncludedPage, SkillPage } from '../documents';
import { exampleBlocks } from '../state/exampleBlocks';
import type { CodeSpan, TextSpan } from './codeSpans';
import { readData } from './dataOccurrences';
import type { SkillSymbol, SymbolSink, Writing } from './occurrence';
import { isDottedName, type PathSegment } from './prosePath';
import { scalarTextOf } from './scalarText';
import { signatureAt, spansOf } from './skillProse';
import type { SkillNames } from './spanMeaning';

/** Finds the names in a page of instructions. */
export function readProseNames(page: SkillPage | IncludedPage, names: SkillNames, sink: SymbolSink): void {
  for (const span of spansOf(page)) readSpan(page, span, names, sink);
  readExamples(page, names, sink);
  if (page.kind === 'skill') readFrontMatter(page, names, sink);
}

function readSpan(page: SkillPage | IncludedPage, span: CodeSpan, names: SkillNames, sink: SymbolSink): void {
  const { text, start } = span;
  if (text.startsWith('{') && text.includes('"') && names.graph !== undefined) {
    const { root, problems } = parseJsonDocument(text);
    if (root !== undefined && problems.length === 0)
      readValue(page, { source: root, offset: start, names }, sink);
    return;
  }
  const meaning = names.meaningOf(text);
  switch (meaning?.kind) {
    case 'field':
      for (const { segment, properties } of meaning.segments) {
        const place = { start: start + segment.start, end: start + segment.end };
        for (const id of properties) {
          add(page, sink, { kind: 'field', id }, place, (name) => segmentText(segment, name));
        }
      }
      break;
    case 'action': {
      const signature = signatureAt(page, span);
      const place = { start, end: start + meaning.name.length };
      add(page, sink, actionSymbol(meaning.name), place, (name) => name, signature !== undefined);
      readParameters(page, span, { from: meaning.name.length, signature, names }, sink);
      break;
    }
    case 'parameter': {
      const place = { start: start + 1, end: start + 1 + meaning.name.length };
      add(page, sink, parameterSymbol(meaning.name), place, (name) => name);
      break;
    }
    case undefined:
      break;
  }
}

function readParameters(
  page: SkillPage | IncludedPage,
  span: CodeSpan,
  action: {
    /** Where the name ends in the span. */
    readonly from: number;
    readonly signature: ActionSignature | undefined;
    readonly names: SkillNames;
  },
  sink: SymbolSink,
): void {
  const { from, signature, names } = action;
  if (signature !== undefined) {
    let at = from;
    for (const { name } of signature.parameters) {
      const found = span.text.indexOf(name, at);
      if (found === -1) return;
      at = found + name.length;
      const place = { start: span.start + found, end: span.start + at };
      add(page, sink, parameterSymbol(name), place, (text) => text, true);
    }
    return;
  }
  for (const { 1: name = '', index } of span.text.matchAll(/<([^<>]+?)(?:\.\.\.|…)?>/g)) {
    if (!names.parameters.has(name)) continue;
    const start = span.start + index + 1;
    add(page, sink, parameterSymbol(name), { start, end: start + name.length }, (text) => text);
  }
}

function segmentText({ form, name: old }: PathSegment, name: string): Writing {
  const shown = JSON.stringify(name);
  switch (form) {
    case 'dotted':
      return isDottedName(name)
        ? name
        : {
            refusal: `The instructions name ${old} in a code span, where ${shown} can't be told from other text; use letters, digits, _ and -.`,
          };
    case 'quoted':
      return /["'\\\]`\r\n]/.test(name)
        ? { refusal: `The instructions name ${old} in quotes, which ${shown} can't stand in.` }
        : name;
    case 'pointer':
      return /[\s`<{*]/.test(name)
        ? { refusal: `The instructions name ${old} in a JSON Pointer, which ${shown} can't stand in.` }
        : name.replaceAll('~', '~0').replaceAll('/', '~1');
  }
}

function readExamples(page: SkillPage | IncludedPage, names: SkillNames, sink: SymbolSink): void {
  for (const block of exampleBlocks(page)) {
    const { root } = block.source;
    if (root === undefined) continue;
    readValue(page, { source: root, offset: block.start, format: block.format, names }, sink);
  }
}

interface ExampleValue {
  readonly source: SourceNode;
  readonly offset: number;
  readonly format?: 'yaml' | 'json';
  readonly names: SkillNames;
}

/** A reply holds a patch and an action; everything else is a state or a patch. */
function readValue(
  page: SkillPage | IncludedPage,
  { source, offset, format = 'json', names }: ExampleValue,
  sink: SymbolSink,
): void {
  const { graph } = names;
  const patch = source.properties?.get('state_patch')?.node;
  const isReply = patch !== undefined && graph?.root.declared.has('state_patch') !== true;
  const state = isReply ? patch : source;
  if (graph !== undefined)
    readData({ file: page, offset, source: state, format, graph, node: graph.root }, sink);
  const action = isReply ? source.properties?.get('action')?.node : undefined;
  if (typeof action?.value !== 'string') return;
  const place = { start: action.start + offset, end: action.end + offset };
  const scalar = scalarTextOf(page.text, place);
  const meaning = names.meaningOf(scalar.text);
  if (meaning?.kind !== 'action') return;
  add(page, sink, actionSymbol(meaning.name), scalar.placeOf(0, meaning.name.length), scalar.written);
}

function readFrontMatter(page: SkillPage, names: SkillNames, sink: SymbolSink): void {
  const { model, document } = page;
  const metadata = document.source?.properties?.get('metadata')?.node;
  const terminal = metadata?.properties?.get('terminal-actions')?.node;
  if (typeof terminal?.value === 'string') {
    const scalar = scalarTextOf(page.text, terminal);
    for (const { 0: word, index } of scalar.text.matchAll(/[^\s,]+/g)) {
      if (!names.actions.has(word)) continue;
      add(page, sink, actionSymbol(word), scalar.placeOf(index, index + word.length), scalar.written);
    }
  }
  for (const key of ['state-schema', 'initial-state', 'include']) {
    const value = metadata?.properties?.get(key)?.node;
    if (typeof value?.value !== 'string') continue;
    const scalar = scalarTextOf(page.text, value);
    const words = key === 'include' ? /\S+/g : /\S(?:.*\S)?/g;
    for (const { 0: word, index } of scalar.text.matchAll(words)) {
      const path = normalizeRelativePath(word);
      if (path === undefined || !model.skill.files.some((file) => file.path === path)) continue;
      const target = { uri: model.uriOf(path), start: 0, end: 0 };
      sink.link({ uri: page.uri, ...scalar.placeOf(index, index + word.length), target });
    }
  }
}

function actionSymbol(name: string): SkillSymbol {
  return { kind: 'action', id: name };
}

function parameterSymbol(name: string): SkillSymbol {
  return { kind: 'parameter', id: name };
}

function add(
  { uri }: SkillPage | IncludedPage,
  sink: SymbolSink,
  symbol: SkillSymbol,
  { start, end }: TextSpan,
  written: (name: string) => Writing,
  isDeclaration = false,
): void {
  sink.occurrence({ symbol, uri, start, end, role: isDeclaration ? 'declaration' : 'reference', written });
}
