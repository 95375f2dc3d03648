/** The cost of a skill beside its opening `---`. */
import type { InlayHint } from 'vscode-languageserver-types';
import type { Range } from '../../../../schemas/text/position';
import type { SkillPage, Tools } from '../documents';
import { thousands } from './bodyMeter';
import { frontMatterPart } from './frontMatterEdits';
import { describedCost, promptCost } from './promptCost';

/** One hint behind the opening line, where the range holds it. */
export async function skillInlayHints(
  page: SkillPage,
  range: Range,
  tools: Tools,
): Promise<readonly InlayHint[]> {
  const part = frontMatterPart(page.document);
  if (part === undefined) return [];
  const line = page.lines.positionAt(part.start).line - 1;
  if (line < range.start.line || line > range.end.line) return [];
  const cost = await promptCost(page.model, tools);
  if (cost === undefined) return [];
  const first = cost.instructions + cost.scaffold + cost.initialState;
  return [
    {
      position: { line, character: 3 },
      label: `first prompt ${thousands(first)} tokens`,
      paddingLeft: true,
      tooltip: { kind: 'markdown', value: describedCost(cost) },
    },
  ];
}
