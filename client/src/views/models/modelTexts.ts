/** What is found out about models, as documents that a person reads. Free of VS Code. */
import type { OfferSection } from '../../hosts/modelCatalog';
import type { ProbeResult } from '../../models/decoding/probe';
import { encodingWords, outcomeWords } from '../../models/decoding/probeWords';

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
    for (const { offered, label, description } of offers) {
      if (offered.kind === 'absent') absent.push(`- ${label}: ${offered.message}`);
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
  if (absent.length > 0) lines.push('', '## Not There', '', ...absent);
  return `${lines.join('\n')}\n`;
}

/** What a probe of a model came to, and by what tries. */
export function probeText(
  model: string,
  server: string,
  { encoding, placement, explanation, tries, at }: ProbeResult,
): string {
  const lines = [
    `# Probe of ${code(model)}`,
    '',
    `Server: ${server}`,
    `Replies: **${encoding}**${placement === undefined ? '' : `, by ${code(placement)}`}: ${encodingWords[encoding]}.`,
    '',
    explanation,
    '',
    'Runs with `"decoding": "auto"` use this from now on. *Skill: Probe Model…* tries again.',
  ];
  if (tries.length > 0) {
    lines.push('', '| tried | in the request as | the server |', '| --- | --- | --- |');
    for (const { encoding, placement, outcome, detail } of tries) {
      const said = detail === '' ? '' : `: ${cell(detail)}`;
      lines.push(`| ${encoding} | ${code(placement)} | ${outcomeWords[outcome]}${said} |`);
    }
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
