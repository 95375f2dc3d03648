/** What `validate` has found, as text for people and as JSON for scripts. */
import { relative, sep } from 'node:path';
import { URI } from 'vscode-uri';
import { assertNever } from '../../../schemas/text/assertNever';
import { printable, printableLine } from '../../../schemas/text/printable';
import type { Severity } from '../../../schemas/text/problem';
import type { Finding } from '../../../server/src/languageService/finding';
import type { Paint } from './paint';

/** A file and what is shown of the findings in it. */
export interface CheckedFile {
  readonly uri: string;
  /** Relative to the folder in which the command runs where the file lies in it, with `/`; else absolute. */
  readonly path: string;
  readonly findings: readonly Finding[];
}

/** From the worst. */
export const severities = ['error', 'warning', 'information', 'hint'] as const satisfies readonly Severity[];

/** The path of a file for people: relative to a folder where it lies in it. */
export function pathWithin(folder: string, uri: string): string {
  const path = URI.parse(uri).fsPath;
  const way = relative(folder, path);
  const isInside = way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !/^([a-z]:|[\\/])/i.test(way);
  return isInside ? way.replaceAll(sep, '/') : path;
}

/** `path:line:column severity message [code]`, counted from 1, and a line that sums up. */
export function textReport(files: readonly CheckedFile[], paint: Paint): string {
  const lines = files.flatMap(({ path, findings }) =>
    findings.map(({ range: { start }, severity, message, code }) => {
      const place = `${path}:${start.line + 1}:${start.character + 1}`;
      const text = `${printableLine(message)} ${paint.dim(`[${code}]`)}`;
      return `${paint.bold(printableLine(place))} ${painted(severity, paint)} ${text}`;
    }),
  );
  return printableText([...lines, summaryLine(files)]);
}

/** Paint's escapes have to stay; the texts between them have been made printable already. */
function printableText(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

function painted(severity: Severity, paint: Paint): string {
  switch (severity) {
    case 'error':
      return paint.red(severity);
    case 'warning':
      return paint.yellow(severity);
    case 'information':
    case 'hint':
      return severity;
    default:
      return assertNever(severity);
  }
}

function summaryLine(files: readonly CheckedFile[]): string {
  const counts = countsOf(files);
  const parts = severities
    .filter((severity) => counts[severity] > 0)
    .map((severity) => counted(counts[severity], severity === 'information' ? 'note' : severity));
  const found = parts.length === 0 ? 'Nothing found' : parts.join(', ');
  return `${found} in ${counted(files.length, 'file')}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function countsOf(files: readonly CheckedFile[]): Record<Severity, number> {
  const counts = { error: 0, warning: 0, information: 0, hint: 0 };
  for (const { findings } of files) for (const { severity } of findings) counts[severity]++;
  return counts;
}

/**
 * One JSON object, version 1. Keys stay; new ones may come.
 *
 * - `files[]`: every checked file in the order of its path, also those without findings: `path`, `problems[]` with `code`,
 *   `severity` (`error`, `warning`, `information`, `hint`), `message`, `start` and `end` (excluded), each `{line, column}`.
 *   Lines and columns count from 1; columns are UTF-16 code units, as editors have them.
 * - `summary`: `files` and how many findings of each severity there are.
 */
export function jsonReport(files: readonly CheckedFile[]): string {
  const report = {
    version: 1,
    files: files.map(({ path, findings }) => ({
      path,
      problems: findings.map(({ code, severity, message, range }) => ({
        code,
        severity,
        message,
        start: { line: range.start.line + 1, column: range.start.character + 1 },
        end: { line: range.end.line + 1, column: range.end.character + 1 },
      })),
    })),
    summary: { files: files.length, ...countsOf(files) },
  };
  return printable(`${JSON.stringify(report)}\n`);
}
