/** Where the skill of a trace lies: in the folder around it, where SKILL.md has the recorded name, however it is written. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openReplay } from '../../../client/src/hosts/node/openJourney';
import { openRun } from '../../../client/src/hosts/node/openRun';
import { temporaryFolder } from '../../support/commandLine';

const folder = temporaryFolder();
const callbacks = { asker: { ask: async () => undefined } };
const { signal } = new AbortController();
let recorded: string;

/** A skill's folder with a text for its SKILL.md. */
function skillFolder(name: string, text: string): string {
  const path = join(folder.path, name);
  mkdirSync(join(path, '.skill-state'), { recursive: true });
  writeFileSync(join(path, 'SKILL.md'), text);
  return path;
}

beforeAll(async () => {
  const skill = skillFolder('traced', '---\nname: traced\ndescription: One.\n---\nDo it.\n');
  const file = join(skill, 'run.skilltrace.jsonl');
  const run = await openRun({ skill, trace: { file }, callbacks, environment: 'manual', model: 'manual' });
  // Nobody answers: the header is all that there is.
  await run.execution.start(signal).catch(() => undefined);
  run.close();
  recorded = readFileSync(file, 'utf8');
  expect(recorded).toContain('"name":"traced"');
});
afterAll(() => folder.remove());

async function folderOf(trace: string): Promise<string | undefined> {
  writeFileSync(trace, recorded);
  const replay = await openReplay({ replay: trace, callbacks });
  replay.close();
  return replay.folder;
}

it.each([
  ['plain', 'name: traced'],
  ['with a comment', 'name: traced # as it was recorded'],
  ['quoted', 'name: "traced"'],
  ['after a break', 'name:\n  traced'],
  ['folded', 'name: >-\n  traced'],
  ['in braces', '{name: traced, description: One.}'],
])('is found by a name that is %s', async (how, line) => {
  const skill = skillFolder(how, `---\n${line}\n---\nDo it.\n`);
  expect(await folderOf(join(skill, '.skill-state', 'run.skilltrace.jsonl'))).toBe(skill);
  expect(await folderOf(join(skill, 'run.skilltrace.jsonl'))).toBe(skill);
});

it('is found by its own name, where SKILL.md has none', async () => {
  const inner = skillFolder(join('nameless', 'traced'), 'Do it.\n');
  expect(await folderOf(join(inner, 'run.skilltrace.jsonl'))).toBe(inner);
});

it.each([
  ['a line of the instructions', '---\nname: other\n---\n\nname: traced\n'],
  ['a line of an example', '---\nname: other\n---\n```yaml\nname: traced\n```\n'],
  ['another key', '---\nname: other\nmetadata:\n  name: traced\n---\nDo it.\n'],
])('is not found by %s', async (how, text) => {
  const skill = skillFolder(how, text);
  expect(await folderOf(join(skill, 'run.skilltrace.jsonl'))).toBeUndefined();
});
