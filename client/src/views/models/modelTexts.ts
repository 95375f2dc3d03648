/** What is found out about models, as documents that a person reads. Free of VS Code. */
import { markdownTable } from '../../../../schemas/text/markdownTable';
import type { OfferSection } from '../../hosts/modelCatalog';
import type { ProbeResult } from '../../models/decoding/probe';
import { boundsWords, droppedWords, encodingWords, outcomeWords } from '../../models/decoding/probeWords';
import type { DroppedKeyword } from '../../models/decoding/replyConstraint';

/** The widest that a column is made for its cells: what a server said may be long. */
const maxColumn = 40;

/** The models of a service that were asked for, or why they can't be told. */
export interface ServiceModels {
  readonly title: string;
  readonly models: readonly string[];
  readonly note?: string;
}

/** All models that can be chosen now, by the names that launch.json has for them. */
export function modelListText(sections: readonly OfferSection[], services: readonly ServiceModels[]): string {
  const lines = ['# Models', '', 'By the names that `"model"` in launch.json has for them.'];
  const absent: string[] = [];
  for (const { title, offers } of sections) {
    const names: string[] = [];
    for (const { offered, label, description, detail } of offers) {
      if (offered.kind === 'absent') absent.push(`- ${label}: ${offered.message}`);
      // A server that has to be chosen first, which says why; the services are told of below.
      if (offered.kind === 'service' && detail !== undefined) absent.push(`- ${label}: ${detail}`);
      if (offered.kind !== 'model') continue;
      const { model, baseUrl } = offered.chosen;
      const more = [
        ...(label !== model && description === model && model.startsWith('vscode:') ? [label] : []),
        ...(baseUrl === undefined ? [] : [`with \`"baseUrl": "${baseUrl}"\``]),
        ...(label === model && description !== undefined ? [description] : []),
      ];
      names.push(`- ${code(model)}${more.length > 0 ? ` (${more.join(', ')})` : ''}`);
    }
    if (names.length > 0) lines.push('', `## ${title}`, '', ...names);
  }
  for (const { title, models, note } of services) {
    lines.push('', `## ${title}`, '', ...models.map((model) => `- ${code(model)}`));
    if (note !== undefined) lines.push(note);
  }
  if (absent.length > 0) lines.push('', '## Not Usable Now', '', ...absent);
  return `${lines.join('\n')}\n`;
}

/** What a probe found, as it is shown. */
export interface ProbeShown {
  readonly server: string;
  readonly result: ProbeResult;
  readonly isKept: boolean;
  readonly dropped?: readonly DroppedKeyword[] | undefined;
}

/** What a probe of a model came to, by what tries, and what that leaves out of a skill. */
export function probeText(
  model: string,
  { server, result, isKept, dropped }: ProbeShown,
  skill: string | undefined,
): string {
  const { encoding, placement, explanation, tries, at } = result;
  const lines = [
    `# Probe of ${code(model)}`,
    '',
    `Server: ${server}`,
    `Replies: **${encoding}**${placement === undefined ? '' : `, by ${code(placement)}`}: ${encodingWords[encoding]}.`,
    '',
    explanation,
    '',
    isKept
      ? 'Runs with `"decoding": "auto"` use this from now on. *Skill: Probe Model…* tries again.'
      : 'Nothing was found out about the server, so nothing is kept.',
  ];
  if (tries.length > 0) {
    const rows = tries.map(({ encoding, placement, outcome, detail }) => {
      const said = detail === '' ? '' : `: ${cell(detail)}`;
      return [encoding, code(placement), `${outcomeWords[outcome]}${said}`];
    });
    lines.push(
      '',
      ...markdownTable(['tried', 'in the request as', 'the server'], rows, { widest: maxColumn }),
    );
  }
  if (dropped !== undefined && skill !== undefined) {
    const { sentence, keywords } = droppedWords(encoding, dropped);
    lines.push('', `## The skill ${code(skill)}`, '', `${sentence}${keywords.length > 0 ? ':' : ''}`);
    if (keywords.length > 0) lines.push('', ...keywords.map((keyword) => `- ${cell(keyword)}`));
    for (const bounds of boundsWords(encoding)) lines.push('', bounds);
  }
  lines.push('', `Tried at ${new Date(at).toISOString()}.`);
  return `${lines.join('\n')}\n`;
}

/** A text from elsewhere as code, whatever is in it. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = longest > 0 ? ' ' : '';
  return `${fence}${pad}${cell(text)}${pad}${fence}`;
}

/** A text that ends no line and no cell of a table. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
}
