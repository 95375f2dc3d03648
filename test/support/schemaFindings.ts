/** Findings of a state schema beside a `SKILL.md`, and texts after their fixes. */
import { LineIndex } from '../../schemas/text/position';
import type { Finding, Fix } from '../../server/src/languageService/finding';
import { skillWorkspace } from './skillWorkspace';

/** The beginning of a schema that is bounded but for the properties that follow. */
export const head = 'type: object\nadditionalProperties: false\nproperties:\n';

const skill = '---\nname: sample\ndescription: A sample.\n---\n';

/** The schema's findings, and the URI of its file. */
export async function findingsIn(text: string, path = 'state.schema.yaml') {
  const workspace = skillWorkspace({ 'SKILL.md': skill, [path]: text });
  const findings = (await workspace.service.findings(workspace.uri(path))) ?? [];
  return { findings: findings.filter(({ code }) => code.startsWith('state.')), uri: workspace.uri(path) };
}

/** The text at a finding. */
export function textAt(text: string, { range }: Finding): string {
  const lines = new LineIndex(text);
  return text.slice(lines.offsetAt(range.start), lines.offsetAt(range.end));
}

/** The text after a fix, whose edits must not overlap. */
export function applied(text: string, fix: Fix, uri: string): string {
  const lines = new LineIndex(text);
  const edits = [...(fix.edits.get(uri) ?? [])]
    .map(({ range, text: replacement }) => ({
      start: lines.offsetAt(range.start),
      end: lines.offsetAt(range.end),
      replacement,
    }))
    .sort((a, b) => b.start - a.start || b.end - a.end);
  let result = text;
  let limit = text.length + 1;
  for (const { start, end, replacement } of edits) {
    if (end > limit) throw new Error(`The edits of ${fix.title} overlap.`);
    limit = start;
    result = result.slice(0, start) + replacement + result.slice(end);
  }
  return result;
}
