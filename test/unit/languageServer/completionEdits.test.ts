/** What LSP asks of a completion's edit, of every kind of document: one line, around the cursor, characters whole. */
import { describe, expect, it } from 'vitest';
import { LineIndex } from '../../../schemas/text/position';
import { skillWorkspace } from '../../support/skillWorkspace';

const schema =
  'type: object\nproperties:\n  phase: { enum: [search, done] }\n  note: { type: string, maxLength: 9 }\n';
const frontMatter = '---\nname: sample\ndescription: Test.\n---\n';

/** Texts with scalars that go over lines, or that are still open. */
const documents: readonly (readonly [path: string, text: string])[] = [
  ['state.initial.yaml', 'phase: sea\n  rch\nnote: 😀\n'],
  ['state.initial.yaml', 'phase: "sea\n  rch"\nno😀: a\n'],
  ['state.initial.yaml', '{ phase: sea\n  rch, no\n  te: a, "no\n te": 1 }\n'],
  ['state.initial.yaml', "phase: '😀\n\n"],
  ['state.initial.json', '{"phase": "sea\nrch", "no\n'],
  [
    'state.schema.yaml',
    'type: obj\n  ect\nproperties:\n  a:\n    type: "str\n      ing"\n    form😀: date\n',
  ],
  ['state.schema.yaml', '{ type: obj\n  ect, prop\n  erties: {} }\n'],
  ['state.schema.json', '{"type": "obj\nect", "prop\n'],
  [
    'SKILL.md',
    '---\nname: sam\n  ple\ndescription: "😀\n  b"\nlicense: M\n  IT\nmetadata:\n  environment: none\n    at all\n---\n',
  ],
  ['SKILL.md', '---\nname: sample\nmetadata: { "environ\n  ment": non\n  e }\nlicense: MI\n T\n'],
  ['SKILL.md', '---\nallowed-tools: Read\n  Wri\n  te\n---\n'],
  ['SKILL.md', `${frontMatter}See \`pha\nse\` and \`note\n\n## Actions\n\n- \`Wait <a>\`: \`Wa\nit\`.\n`],
  [
    'SKILL.md',
    `${frontMatter}\`\`\`json\n{"state_patch": {"phase": "sea\nrch", "no\nte": 1}, "action": "Wa\nit"}\n\`\`\`\n`,
  ],
  ['SKILL.md', `${frontMatter}\`\`\`yaml\nphase: sea\n  rch\nnote: "a\n  b"\n\`\`\`\n`],
];

describe('completions', () => {
  it.each(documents)('in %s edit the line of the cursor: %j', async (path, text) => {
    const { service, uri } = skillWorkspace({
      'SKILL.md': `${frontMatter}Do it.\n`,
      'state.schema.yaml': schema,
      [path]: text,
    });
    const lines = new LineIndex(text);
    const wrong: string[] = [];
    let offered = 0;
    for (let offset = 0; offset <= text.length; offset++) {
      if (isWithinCharacter(text, offset)) continue;
      const position = lines.positionAt(offset);
      for (const { label, textEdit } of await service.completion(uri(path), position)) {
        offered++;
        const range = textEdit !== undefined && 'range' in textEdit ? textEdit.range : undefined;
        const start = range === undefined ? -1 : lines.offsetAt(range.start);
        const end = range === undefined ? -1 : lines.offsetAt(range.end);
        const isOnLine = range?.start.line === position.line && range.end.line === position.line;
        const isWhole = !isWithinCharacter(text, start) && !isWithinCharacter(text, end);
        if (!isOnLine || !isWhole || start > offset || end < offset)
          wrong.push(`${label} at ${offset}: ${JSON.stringify(text.slice(start, end))}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(offered).toBeGreaterThan(0);
  });
});

function isWithinCharacter(text: string, offset: number): boolean {
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}
