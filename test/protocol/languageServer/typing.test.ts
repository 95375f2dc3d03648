/**
 * Documents typed key by key through LSP: what is offered on the way is compared with goldens, and everything that is
 * offered anywhere can be accepted.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import type { CompletionItem, Diagnostic, Position } from 'vscode-languageserver/node';
import { LineIndex } from '../../../schemas/text/position';
import { parseSourceFile } from '../../../schemas/text/sourceFile';
import { accepted } from '../../support/acceptedCompletion';
import { expectGolden } from '../../support/golden';
import { LspClient } from '../../support/lspClient';

const skillText = `---
name: parcels
description: Keeps track of parcels and the lockers that they are in.
license: MIT
metadata:
  environment: manual
  terminal-actions: Finish
---

# Parcels

Keep \`lockers\` up to date, and count in \`handled\`.

## Actions

- \`Store <parcel> <locker>\`: puts a parcel into a locker.
- \`Finish\`: ends the day.

\`\`\`json
{"state_patch": {"lockers": {"locker_1": "parcel_1"}}, "action": "Store parcel_1 locker_1"}
\`\`\`
`;

const schemaText = `$schema: https://json-schema.org/draft/2020-12/schema
type: object
properties:
  lockers:
    description: Which parcel is in which locker.
    type: object
    propertyNames:
      pattern: ^locker_[0-9]{1,2}$
    additionalProperties:
      $ref: "#/$defs/parcel"
    maxProperties: 100
  log:
    type: array
    items: { type: string, maxLength: 80 }
    maxItems: 20
    x-merge: append
    x-evict: oldest
  handled: { type: integer, minimum: 0, maximum: 1000, default: 0 }
required: [handled]
additionalProperties: false
x-invariants:
  - expression: state.handled >= 0
    message: Nothing is handled less than never.
$defs:
  parcel:
    type: string
    maxLength: 20
`;

const jsonSchemaText = `{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "type": "object",
  "properties": {
    "status": { "type": "string", "enum": ["open", "done"] },
    "parcel": { "$ref": "#/definitions/parcel" }
  },
  "required": ["status"],
  "additionalProperties": false,
  "definitions": {
    "parcel": { "type": "string", "maxLength": 20 }
  }
}
`;

const stateText = `lockers:
  locker_1: parcel_1
log: [opened]
handled: 1
`;

const jsonStateText = `{
  "lockers": { "locker_1": "parcel_1" },
  "handled": 1
}
`;

interface TypedDocument {
  readonly path: string;
  readonly text: string;
  /** The other files of the skill. */
  readonly beside: Readonly<Record<string, string>>;
}

const documents: readonly TypedDocument[] = [
  { path: 'SKILL.md', text: skillText, beside: { 'state.schema.yaml': schemaText } },
  { path: 'state.schema.yaml', text: schemaText, beside: { 'SKILL.md': skillText } },
  { path: 'state.schema.json', text: jsonSchemaText, beside: { 'SKILL.md': skillText } },
  {
    path: 'state.initial.yaml',
    text: stateText,
    beside: { 'SKILL.md': skillText, 'state.schema.yaml': schemaText },
  },
  {
    path: 'state.initial.json',
    text: jsonStateText,
    beside: { 'SKILL.md': skillText, 'state.schema.yaml': schemaText },
  },
];

const temporary: string[] = [];

afterEach(async () => {
  for (const folder of temporary.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** A skill's folder on disk without the document that is going to be typed, and a server for it. */
async function workplace(
  beside: TypedDocument['beside'],
): Promise<{ client: LspClient; uri(path: string): string }> {
  const folder = await mkdtemp(join(tmpdir(), 'skill-state-typing-'));
  temporary.push(folder);
  const skill = join(folder, 'parcels');
  await mkdir(skill);
  for (const [path, text] of Object.entries(beside)) await writeFile(join(skill, path), text);
  const client = await LspClient.start({ folders: [folder] });
  return { client, uri: (path) => pathToFileURL(join(skill, path)).href };
}

/** What is offered, for people: the first labels, and how many more there are. */
function offered(items: readonly CompletionItem[]): string {
  const labels = [...items]
    .sort((a, b) => ((a.sortText ?? a.label) < (b.sortText ?? b.label) ? -1 : 1))
    .map(({ label }) => label);
  const shown = labels.slice(0, 12).join(' · ');
  return labels.length > 12 ? `${shown} · and ${labels.length - 12} more` : shown;
}

describe.each(documents)('$path', ({ path, text, beside }) => {
  for (const [name, written] of [
    ['LF', text],
    ['CRLF', text.replaceAll('\n', '\r\n')],
  ] as const) {
    test(`typed key by key with ${name}, it is completed as it was`, async () => {
      const { client, uri } = await workplace(beside);
      const document = uri(path);
      await client.open(document, '');
      const transcript: string[] = [];
      let last = '';
      await client.type(document, 0, written, async (position) => {
        const now = offered(await client.completion(document, position));
        if (now === last) return;
        last = now;
        const line = client.text(document).split(/\r\n?|\n/)[position.line] ?? '';
        transcript.push(`${position.line + 1}: ${line}‸`, now === '' ? '' : `      ${now}`);
      });
      expect(client.text(document)).toBe(written);
      expect((await client.diagnostics(document)).filter(isError)).toEqual([]);
      await client.stop();
      expectGolden(
        `languageServer/typing/${path}.txt`,
        `${transcript.join('\n')}\n`.replaceAll(/\n\n+/g, '\n'),
      );
    });
  }
});

function isError({ severity }: Diagnostic): boolean {
  return severity === 1;
}

/** Whether an editor shows an item: the letters typed before the cursor occur in it, in their order. */
function isShown(item: CompletionItem, { text, position }: { text: string; position: Position }): boolean {
  const { textEdit } = item;
  if (textEdit === undefined || !('range' in textEdit)) return true;
  const lines = new LineIndex(text);
  const typed = text.slice(lines.offsetAt(textEdit.range.start), lines.offsetAt(position)).toLowerCase();
  const filter = (item.filterText ?? item.label).toLowerCase();
  let from = 0;
  for (const letter of typed) {
    const found = filter.indexOf(letter, from);
    if (found === -1) return false;
    from = found + 1;
  }
  return true;
}

/** Whether the document can be read; a `SKILL.md` always can. */
function parses(path: string, text: string): boolean {
  return (
    path === 'SKILL.md' || !parseSourceFile({ path, text }).problems.some(({ kind }) => kind === 'syntax')
  );
}

/** Places to complete at: every third offset of the whole document, and behind each line cut off at every third. */
function* placesIn(text: string): Generator<{ text: string; position: Position }> {
  for (let offset = 0; offset <= text.length; offset += 3) {
    yield { text, position: new LineIndex(text).positionAt(offset) };
    const end = text.indexOf('\n', offset);
    const cut = text.slice(0, offset) + (end === -1 ? '' : text.slice(end));
    yield { text: cut, position: new LineIndex(cut).positionAt(offset) };
  }
}

describe.each(documents)('everything offered in $path', ({ path, text, beside }) => {
  test('can be accepted: the document parses, and no error is new', async () => {
    const { client, uri } = await workplace(beside);
    const document = uri(path);
    await client.open(document, '');
    const errorsOf = async (now: string): Promise<readonly string[]> => {
      await client.setText(document, now);
      const errors = (await client.diagnostics(document)).filter(isError);
      // What a state lacks, it lacked before: it was only hidden where the text didn't parse.
      return errors
        .filter(({ message }) => !/must have the key/.test(String(message)))
        .map(({ code }) => String(code));
    };
    const failures: string[] = [];
    let count = 0;
    const known = new Map<string, readonly string[]>();
    for (const place of placesIn(text)) {
      const before = known.get(place.text) ?? (await errorsOf(place.text));
      known.set(place.text, before);
      await client.setText(document, place.text);
      for (const item of await client.completion(document, place.position)) {
        if (!isShown(item, place)) continue;
        const after = accepted(place.text, item);
        count++;
        const errors = known.get(after) ?? (await errorsOf(after));
        known.set(after, errors);
        const isNew = errors.filter((code) => !before.includes(code));
        // What doesn't parse hides what else is wrong with it.
        const isStillBroken = !parses(path, place.text) && !parses(path, after);
        if (isStillBroken || (isNew.length === 0 && parses(path, after))) continue;
        const { line, character } = place.position;
        failures.push(`${line + 1}:${character + 1} ${item.label}: ${isNew.join(', ')}\n${after}`);
      }
    }
    await client.stop();
    expect(failures.slice(0, 5)).toEqual([]);
    expect(count).toBeGreaterThan(15);
  });
});
