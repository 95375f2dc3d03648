/** What `validate` has found as a SARIF 2.1.0 log, for code scanning (OASIS, "Static Analysis Results Interchange Format"). */
import { URI } from 'vscode-uri';
import type { Range } from '../../../schemas/text/position';
import { printable } from '../../../schemas/text/printable';
import type { Severity } from '../../../schemas/text/problem';
import type { CheckedFile } from './validateReport';

/** Where the results' relative paths begin: whoever reads the log knows where its sources are (section 3.14.14). */
const sourceRoot = '%SRCROOT%';

const levels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  error: 'error',
  warning: 'warning',
  information: 'note',
  hint: 'note',
};

/** The log with one run. Equal findings give equal bytes: it has no times, ids or absolute paths of its own. */
export function sarifLog(files: readonly CheckedFile[], version: string): string {
  const ruleIds = [
    ...new Set(files.flatMap(({ findings }) => findings.map(({ code }) => code as string))),
  ].sort();
  const ruleIndexes = new Map(ruleIds.map((id, index) => [id, index]));
  const known = new Map(files.map((file) => [file.uri, file]));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'skill-state', version, rules: ruleIds.map(ruleOf) } },
        columnKind: 'utf16CodeUnits',
        results: files.flatMap((file) =>
          file.findings.map(({ code, severity, message, range, related = [] }) => ({
            ruleId: code,
            ruleIndex: ruleIndexes.get(code),
            level: levels[severity],
            message: { text: message },
            locations: [{ physicalLocation: { artifactLocation: artifact(file), region: region(range) } }],
            ...(related.length > 0 && {
              relatedLocations: related.map((place) => ({
                physicalLocation: {
                  artifactLocation: artifact(known.get(place.uri) ?? { uri: place.uri }),
                  region: region(place.range),
                },
                message: { text: place.message },
              })),
            }),
          })),
        ),
      },
    ],
  };
  return printable(`${JSON.stringify(log, undefined, 2)}\n`);
}

/** What a code's first part says it is found in. */
const subjects: ReadonlyMap<string, string> = new Map([
  ['skill', 'a SKILL.md'],
  ['state', 'a state schema'],
  ['initial', 'an initial state'],
  ['example', 'an example in a skill'],
]);

/** A code as a rule with the texts that GitHub's code scanning asks for; what is wrong in each place its result says. */
function ruleOf(id: string) {
  const [subject = '', name = ''] = id.split('.');
  const words = name.replaceAll('-', ' ');
  const title = `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: `${title}, in ${subjects.get(subject) ?? 'a file of a skill'}.` },
    help: { text: 'The message of each result says what is wrong, and what to do about it.' },
  };
}

/** A path inside of the source root, else the whole URI. */
function artifact({ uri, path }: { readonly uri: string; readonly path?: string }) {
  const isRelative = path !== undefined && path !== URI.parse(uri).fsPath;
  if (!isRelative) return { uri };
  return { uri: path.split('/').map(encodeURIComponent).join('/'), uriBaseId: sourceRoot };
}

/** Lines and columns count from 1, and the end column is behind the last character (section 3.30). */
function region({ start, end }: Range) {
  return {
    startLine: start.line + 1,
    startColumn: start.character + 1,
    endLine: end.line + 1,
    endColumn: end.character + 1,
  };
}
