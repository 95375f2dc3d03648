/** Findings of one document as the client's diagnostics, with an id that changes when they do. */
import { createHash } from 'node:crypto';
import { type Diagnostic, DiagnosticSeverity, DiagnosticTag } from 'vscode-languageserver';
import type { SkillProblemCode } from '../../schemas/skill/skillProblems';
import type { ClientFeatures } from './clientFeatures';
import { diagnosticSource, toDiagnostic } from './languageService/diagnostics';
import type { Finding } from './languageService/finding';
import type { LanguageService } from './languageService/languageService';
import type { Cancellation } from './languageService/workspace';
import { UnreadableFile } from './storedFiles';

/** The diagnostics of a document at one moment. */
export interface Report {
  readonly items: Diagnostic[];
  /** Equal for equal diagnostics. */
  readonly resultId: string;
}

export interface DocumentDiagnosticsOptions {
  readonly service: Pick<LanguageService, 'findings'>;
  readonly features: Pick<ClientFeatures, 'relatedInformation' | 'diagnosticTags'>;
  /** The client's spelling of a URI in normal form. */
  readonly clientUri: (uri: string) => string;
}

/** Makes reports for one client. */
export class DocumentDiagnostics {
  readonly #service: Pick<LanguageService, 'findings'>;
  readonly #features: Pick<ClientFeatures, 'relatedInformation' | 'diagnosticTags'>;
  readonly #clientUri: (uri: string) => string;

  constructor(options: DocumentDiagnosticsOptions) {
    this.#service = options.service;
    this.#features = options.features;
    this.#clientUri = options.clientUri;
  }

  /** Reports for the same client of what another service finds. */
  of(service: DocumentDiagnosticsOptions['service']): DocumentDiagnostics {
    return new DocumentDiagnostics({ service, features: this.#features, clientUri: this.#clientUri });
  }

  /**
   * Rejects with the service's own failures alone; a file that can't be read is a diagnostic.
   *
   * @throws FindingsCancelled where it was cancelled before the findings were there
   */
  async report(uri: string, cancellation?: Cancellation): Promise<Report> {
    const items = await this.#items(uri, cancellation);
    return { items, resultId: createHash('sha1').update(JSON.stringify(items)).digest('base64url') };
  }

  diagnostic(finding: Finding): Diagnostic {
    const { related = [], unnecessary = false } = finding;
    const diagnostic = toDiagnostic(finding);
    if (unnecessary && this.#features.diagnosticTags) diagnostic.tags = [DiagnosticTag.Unnecessary];
    if (related.length > 0 && this.#features.relatedInformation) {
      diagnostic.relatedInformation = related.map(({ uri, range, message }) => ({
        location: { uri: this.#clientUri(uri), range },
        message,
      }));
    }
    return diagnostic;
  }

  async #items(uri: string, cancellation: Cancellation | undefined): Promise<Diagnostic[]> {
    try {
      const findings = (await this.#service.findings(uri, cancellation)) ?? [];
      return findings.map((finding) => this.diagnostic(finding));
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      return error.uri === uri ? [unreadable(error)] : [];
    }
  }
}

/** A file that can't be read as one finding at its start. */
export function unreadableFinding({ message }: UnreadableFile): Finding<SkillProblemCode> {
  const start = { line: 0, character: 0 };
  return { code: 'skill.unreadable-file', severity: 'error', message, range: { start, end: start } };
}

function unreadable(error: UnreadableFile): Diagnostic {
  return {
    ...toDiagnostic(unreadableFinding(error)),
    severity: DiagnosticSeverity.Error,
    source: diagnosticSource,
  };
}
