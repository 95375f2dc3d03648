/** The language service: every feature for every document of a skill. Pure; the host comes in as {@link Workspace}. */
import type {
  CodeLens,
  CompletionItem,
  DocumentLink,
  DocumentSymbol,
  FoldingRange,
  FormattingOptions,
  Hover,
  InlayHint,
  Location,
  Position,
  Range,
  SelectionRange,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver-types';
import { URI, Utils } from 'vscode-uri';
import type { Tokenizer } from '../../../client/src/runtime/tokens';
import { loadStateSchema } from '../../../schemas/state/stateSchema';
import { maxSourceLength } from '../../../schemas/text/sourceTree';
import { type Page, pageOf, type Tools } from './documents';
import { type Finding, type Fix, limitedFindings } from './finding';
import { FindingRuns } from './findingRuns';
import { foldingRangesOf } from './foldingRanges';
import { formatDocument } from './schema/formatting';
import { completeSchema } from './schema/schemaCompletion';
import { findInSchema } from './schema/schemaFindings';
import { hoverSchema } from './schema/schemaHover';
import { linksInSchema } from './schema/schemaLinks';
import { symbolsOfSchema } from './schema/schemaSymbols';
import { semanticTokensOf } from './schema/semanticTokens';
import { boundCodeLenses, boundInlayHints } from './schema/stateBoundHints';
import { selectionRangesOf } from './selectionRanges';
import { completeFrontMatter } from './skill/frontMatterCompletion';
import { hoverFrontMatter } from './skill/frontMatterHover';
import { findInSkill } from './skill/skillFindings';
import { skillInlayHints } from './skill/skillInlayHints';
import { linksInSkill } from './skill/skillLinks';
import { type DocumentKind, SkillModels } from './skillModels';
import { findInExamples } from './state/examples';
import { completeExample, completeState } from './state/stateCompletion';
import { findInState } from './state/stateFindings';
import { hoverState } from './state/stateHover';
import { definitionAt, prepareRename, referencesAt, renameAt } from './symbols/navigation';
import { completeProse } from './symbols/proseCompletion';
import { findInProse, findUnmentioned } from './symbols/proseFindings';
import { hoverProse } from './symbols/proseHover';
import {
  type Cancellation,
  defaultSettings,
  type EnvironmentCatalogue,
  type Settings,
  type Workspace,
} from './workspace';

/** What a service is made of. */
export interface LanguageServiceOptions {
  readonly workspace: Workspace;
  readonly environments: EnvironmentCatalogue;
  /** Called at most once, when tokens are first counted. */
  readonly loadTokenizer: () => Promise<Tokenizer>;
  readonly settings?: Settings;
  /** Lets the host do something else before it settles; awaited between pieces of long work. At once if not given. */
  readonly pause?: () => Promise<void>;
}

/** Every feature by document URI and LSP position. A document that is none of a skill's gets empty answers. */
export interface LanguageService {
  /** To be called when any file or open document may have changed. */
  changed(): void;
  configure(settings: Settings): void;
  /**
   * URIs of the files that the skill of a `SKILL.md` consists of, itself first; those that it passes over are among
   * them. Empty where there is no such file.
   */
  skillFiles(skillUri: string): Promise<readonly string[]>;
  /** What a document is to the skill that it belongs to; undefined where there is no such skill. */
  kindOf(uri: string): Promise<DocumentKind | undefined>;
  /**
   * Undefined for a document that isn't checked, as opposed to one without findings. Others are answered while they are
   * looked for; what changes meanwhile has them looked for anew.
   *
   * @param cancellation looked at now and then
   * @throws FindingsCancelled where it was cancelled before the findings were there
   */
  findings(uri: string, cancellation?: Cancellation): Promise<readonly Finding[] | undefined>;
  /**
   * Fixes of the findings that touch a range; of the first of them where they are many or the text is long. Each is
   * tried on the text, which takes its time: `goOn` is awaited before each finding's, so that the host can do something
   * else, have no more of them by false, or give up by rejecting.
   *
   * @param cancellation as of {@link findings}, until they are known
   */
  fixes(
    uri: string,
    range: Range,
    goOn?: () => Promise<boolean>,
    cancellation?: Cancellation,
  ): Promise<readonly { readonly finding: Finding; readonly fix: Fix }[]>;
  /** What can stand at a position; `isIncomplete` where more fits than is offered, which typing on narrows down. */
  completionList(
    uri: string,
    position: Position,
  ): Promise<{ readonly isIncomplete: boolean; readonly items: readonly CompletionItem[] }>;
  /** The items of {@link completionList}. Nothing for data that is too long to be read, which its findings say. */
  completion(uri: string, position: Position): Promise<readonly CompletionItem[]>;
  hover(uri: string, position: Position): Promise<Hover | undefined>;
  definition(uri: string, position: Position): Promise<readonly Location[]>;
  references(
    uri: string,
    position: Position,
    options: { readonly includeDeclaration: boolean },
  ): Promise<readonly Location[]>;
  prepareRename(
    uri: string,
    position: Position,
  ): Promise<{ readonly range: Range; readonly placeholder: string } | undefined>;
  /** @throws RenameFailure where the new name can't be used. */
  rename(uri: string, position: Position, newName: string): Promise<WorkspaceEdit | undefined>;
  documentSymbols(uri: string): Promise<readonly DocumentSymbol[]>;
  foldingRanges(uri: string): Promise<readonly FoldingRange[]>;
  selectionRanges(uri: string, positions: readonly Position[]): Promise<readonly SelectionRange[]>;
  documentLinks(uri: string): Promise<readonly DocumentLink[]>;
  formatting(uri: string, options: FormattingOptions): Promise<readonly TextEdit[]>;
  semanticTokens(uri: string): Promise<readonly number[]>;
  inlayHints(uri: string, range: Range): Promise<readonly InlayHint[]>;
  codeLenses(uri: string): Promise<readonly CodeLens[]>;
}

/** Of how many findings at most fixes are offered at once: whoever asks for a whole document doesn't read more. */
const maxFixed = 200;

/** Finding a fix may read the text anew; so many UTF-16 units are read for one question. */
const maxFixedLength = 500_000;

/** Makes the service of one workspace. */
export function createLanguageService(options: LanguageServiceOptions): LanguageService {
  return new Service(options);
}

class Service implements LanguageService {
  readonly #options: LanguageServiceOptions;
  readonly #models: SkillModels;
  readonly #findings: FindingRuns;
  #settings: Settings;
  #tokenizer: Promise<Tokenizer> | undefined;

  constructor(options: LanguageServiceOptions) {
    this.#options = options;
    this.#models = new SkillModels(options.workspace);
    this.#settings = options.settings ?? defaultSettings;
    this.#findings = new FindingRuns(
      (uri, pause) => this.#find(uri, pause),
      options.pause ?? (async () => undefined),
    );
  }

  changed(): void {
    this.#models.changed();
    this.#findings.changed();
  }

  configure(settings: Settings): void {
    this.#settings = settings;
    this.#findings.changed();
  }

  async skillFiles(skillUri: string): Promise<readonly string[]> {
    const model = await this.#models.modelOf(Utils.dirname(URI.parse(skillUri)));
    if (model === undefined) return [];
    const { files, problems } = model.skill;
    return [...new Set([...files, ...problems].map(({ path }) => model.uriOf(path)))];
  }

  async kindOf(uri: string): Promise<DocumentKind | undefined> {
    const located = await this.#models.locate(uri);
    return located?.model && located.kind;
  }

  findings(uri: string, cancellation?: Cancellation): Promise<readonly Finding[] | undefined> {
    return this.#findings.get(uri, cancellation);
  }

  async fixes(
    uri: string,
    range: Range,
    goOn?: () => Promise<boolean>,
    cancellation?: Cancellation,
  ): Promise<{ finding: Finding; fix: Fix }[]> {
    const found: { finding: Finding; fix: Fix }[] = [];
    const touched = ((await this.findings(uri, cancellation)) ?? []).filter(
      (finding) => finding.fixes !== undefined && touches(finding.range, range),
    );
    const length = touched.length === 0 ? 0 : ((await this.#page(uri))?.text.length ?? 0);
    const few = Math.max(1, Math.min(maxFixed, Math.floor(maxFixedLength / Math.max(1, length))));
    for (const finding of touched.slice(0, few)) {
      if (finding.fixes === undefined) continue;
      if ((await goOn?.()) === false) break;
      for (const fix of finding.fixes()) found.push({ finding, fix });
    }
    return found;
  }

  async completion(uri: string, position: Position): Promise<readonly CompletionItem[]> {
    return (await this.completionList(uri, position)).items;
  }

  async completionList(uri: string, position: Position) {
    let isIncomplete = false;
    const leftOut = () => {
      isIncomplete = true;
    };
    const items = await this.#complete(uri, position, { ...this.#tools(), leftOut });
    return { isIncomplete, items: items.filter(isOnOneLine) };
  }

  async #complete(uri: string, position: Position, tools: Tools): Promise<readonly CompletionItem[]> {
    const text = await this.#models.schemaText(uri);
    if (text !== undefined) return this.#completeSchema(uri, text, position, tools);
    const located = await this.#models.locate(uri);
    const page = located && pageOf(located, this.#models);
    if (page === undefined) return [];
    if (page.kind === 'state-schema') return this.#completeSchema(uri, page.text, position, tools);
    const offset = page.lines.offsetAt(position);
    if (page.kind === 'initial-state')
      return page.text.length > maxSourceLength ? [] : completeState(page, offset, tools);
    const inFrontMatter = page.kind === 'skill' ? await completeFrontMatter(page, offset, tools) : undefined;
    return (
      inFrontMatter ??
      (await completeExample(page, offset, tools)) ??
      (await completeProse(page, offset, tools)) ??
      []
    );
  }

  async #completeSchema(
    uri: string,
    text: string,
    position: Position,
    tools: Tools,
  ): Promise<readonly CompletionItem[]> {
    if (text.length > maxSourceLength) return [];
    const format = uri.toLowerCase().endsWith('.json') ? 'json' : 'yaml';
    const schema = async () => {
      const located = await this.#models.locate(uri);
      return located === undefined ? loadStateSchema({ path: uri, text }) : this.#models.schemaOf(located);
    };
    return completeSchema({ uri, text, format, schema }, offsetIn(text, position), tools);
  }

  async hover(uri: string, position: Position): Promise<Hover | undefined> {
    const page = await this.#page(uri);
    if (page === undefined) return undefined;
    const offset = page.lines.offsetAt(position);
    const tools = this.#tools();
    if (page.kind === 'state-schema') return hoverSchema(page, offset, tools);
    if (page.kind === 'initial-state') return hoverState(page, offset, tools);
    const inFrontMatter = page.kind === 'skill' ? await hoverFrontMatter(page, offset, tools) : undefined;
    return (
      inFrontMatter ?? (await hoverState(page, offset, tools)) ?? (await hoverProse(page, offset, tools))
    );
  }

  async definition(uri: string, position: Position): Promise<readonly Location[]> {
    const page = await this.#page(uri);
    return page === undefined ? [] : definitionAt(page, page.lines.offsetAt(position), this.#tools());
  }

  async references(
    uri: string,
    position: Position,
    options: { readonly includeDeclaration: boolean },
  ): Promise<readonly Location[]> {
    const page = await this.#page(uri);
    return page === undefined
      ? []
      : referencesAt(page, page.lines.offsetAt(position), options, this.#tools());
  }

  async prepareRename(uri: string, position: Position) {
    const page = await this.#page(uri);
    return page && prepareRename(page, page.lines.offsetAt(position), this.#tools());
  }

  async rename(uri: string, position: Position, newName: string): Promise<WorkspaceEdit | undefined> {
    const page = await this.#page(uri);
    return page && renameAt(page, page.lines.offsetAt(position), newName, this.#tools());
  }

  async documentSymbols(uri: string): Promise<readonly DocumentSymbol[]> {
    const page = await this.#page(uri);
    return page?.kind === 'state-schema' ? symbolsOfSchema(page) : [];
  }

  async foldingRanges(uri: string): Promise<readonly FoldingRange[]> {
    const page = await this.#page(uri);
    return page === undefined ? [] : foldingRangesOf(page, this.#settings);
  }

  async selectionRanges(uri: string, positions: readonly Position[]): Promise<readonly SelectionRange[]> {
    const page = await this.#page(uri);
    return page === undefined ? [] : selectionRangesOf(page, positions);
  }

  async documentLinks(uri: string): Promise<readonly DocumentLink[]> {
    const page = await this.#page(uri);
    if (page?.kind === 'skill') return linksInSkill(page, this.#tools());
    return page?.kind === 'state-schema' ? linksInSchema(page, this.#tools()) : [];
  }

  async formatting(uri: string, options: FormattingOptions): Promise<readonly TextEdit[]> {
    const page = await this.#page(uri);
    if (page?.kind !== 'state-schema' && page?.kind !== 'initial-state') return [];
    return formatDocument(page, options);
  }

  async semanticTokens(uri: string): Promise<readonly number[]> {
    const page = await this.#page(uri);
    return page === undefined ? [] : semanticTokensOf(page);
  }

  async inlayHints(uri: string, range: Range): Promise<readonly InlayHint[]> {
    if (this.#settings.stateBound !== 'inlayHints') return [];
    const page = await this.#page(uri);
    if (page?.kind === 'skill') return skillInlayHints(page, range, this.#tools());
    return page?.kind === 'state-schema' ? boundInlayHints(page, range, this.#tools()) : [];
  }

  async codeLenses(uri: string): Promise<readonly CodeLens[]> {
    if (this.#settings.stateBound !== 'codeLenses') return [];
    const page = await this.#page(uri);
    return page?.kind === 'state-schema' ? boundCodeLenses(page, this.#tools()) : [];
  }

  async #find(uri: string, pause: () => Promise<void>): Promise<readonly Finding[] | undefined> {
    const page = await this.#page(uri);
    if (page === undefined) return undefined;
    const tools = this.#tools(pause);
    const lists: (readonly Finding[])[] = [];
    for (const find of findersFor(page)) {
      await pause();
      lists.push(await find(tools));
    }
    return limitedFindings(lists.flat());
  }

  async #page(uri: string): Promise<Page | undefined> {
    const located = await this.#models.locate(uri);
    return located && pageOf(located, this.#models);
  }

  #tools(pause = async (): Promise<void> => undefined): Tools {
    const { workspace, environments, loadTokenizer } = this.#options;
    return {
      workspace,
      environments,
      settings: this.#settings,
      pause,
      tokenizer: () => {
        this.#tokenizer ??= loadTokenizer();
        return this.#tokenizer;
      },
    };
  }
}

type Finder = (tools: Tools) => Promise<readonly Finding[]>;

function findersFor(page: Page): readonly Finder[] {
  switch (page.kind) {
    case 'skill':
      return [
        (tools) => findInSkill(page, tools),
        (tools) => findInExamples(page, tools),
        (tools) => findInProse(page, tools),
      ];
    case 'include':
      return [(tools) => findInExamples(page, tools), (tools) => findInProse(page, tools)];
    case 'state-schema':
      return [(tools) => findInSchema(page, tools), (tools) => findUnmentioned(page, tools)];
    case 'initial-state':
      return [(tools) => findInState(page, tools)];
  }
}

/** No editor takes an edit that goes over lines for a completion (LSP 3.17, "CompletionItem", `textEdit`). */
function isOnOneLine({ textEdit }: CompletionItem): boolean {
  if (textEdit === undefined) return true;
  const { start, end } = 'range' in textEdit ? textEdit.range : textEdit.replace;
  return start.line === end.line;
}

/** The offset of a position in a text that is not indexed: only the line is looked for. */
function offsetIn(text: string, { line, character }: Position): number {
  let start = 0;
  for (let count = 0; count < line; count++) {
    const end = /\r\n?|\n/g;
    end.lastIndex = start;
    const found = end.exec(text);
    if (found === null) return text.length;
    start = found.index + found[0].length;
  }
  const end = /[\r\n]/g;
  end.lastIndex = start;
  return Math.min(start + character, end.exec(text)?.index ?? text.length);
}

function touches(a: Range, b: Range): boolean {
  return !isBefore(a.end, b.start) && !isBefore(b.end, a.start);
}

function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
