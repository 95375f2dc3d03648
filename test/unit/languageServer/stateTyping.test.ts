/** States and examples typed key by key: whatever completion offers on the way can be accepted. */

import { describe, expect, it } from 'vitest';
import { TextEdit } from 'vscode-languageserver-types';
import { LineIndex } from '../../../schemas/text/position';
import { snippetText } from '../../../server/src/plainAnswers';
import { skillWorkspace } from '../../support/skillWorkspace';

const schema = `type: object
required: [phase, stock]
properties:
  phase: {type: string, enum: [search, 'yes: no', "it's", '#1', 'null', '7']}
  count: {type: integer, default: 3}
  flag: {type: boolean}
  'odd key: "x"': {type: string, default: '\${a}'}
  list:
    type: array
    items: {type: object, required: [at, to], properties: {at: {type: integer}, to: {enum: [a, b]}}}
  stock:
    type: object
    propertyNames: {pattern: '^shelf_[0-9]+$'}
    additionalProperties: {type: object, required: [item], properties: {item: {type: string, pattern: '^item_[0-9]$'}, size: {type: number, minimum: 0.5}}}
additionalProperties: false
`;

const actions = '## Actions\n\n- `Store <item> <shelf>`: stores.\n- `Say(text...)`: says.\n\n';
const skill = (body: string) => `---\nname: sample\ndescription: A sample.\n---\n${actions}${body}`;

const yaml = `phase: search
flag: true
"odd key: \\"x\\"": a
list:
  - at: 1
    to: a
  - {at: 2, to: b}
stock:
  shelf_1:
    item: item_1
    size: 1
`;

const json = `{
  "phase": "search",
  "list": [{"at": 1, "to": "a"}, {"at": 2, "to": "b"}],
  "stock": {
    "shelf_1": {"item": "item_1"}
  }
}
`;

const reply =
  '{"state_patch": {"stock": {"shelf_1": {"item": "item_1"}}, "phase": "search"}, "action": "Store a b"}';

/** What is reported of a text for what it has yet to get. */
const incomplete = /must have the key|lacks|must be \w+, not null/;
/** A key before a value that is there already may be that of another type. */
const beforeValue = /^\s*"?[\w ]*"?\s*:/;

/** At every offset of a part: completes the text up to there with what follows, and accepts each item. */
async function typeThrough(
  path: string,
  text: string,
  from: number,
  to: number,
  rest: (typed: string) => string,
) {
  const workspace = skillWorkspace({ 'SKILL.md': skill(''), 'state.schema.yaml': schema });
  const uri = workspace.uri(path);
  const broken: string[] = [];
  const seen = new Set<string>();
  let accepted = 0;
  for (let offset = from; offset <= to; offset++) {
    if (text[offset - 1] === '\r') continue; // no position is inside of a line break
    const typed = text.slice(0, offset);
    const whole = typed + rest(typed);
    workspace.set(path, whole);
    const lines = new LineIndex(whole);
    for (const item of await workspace.service.completion(uri, lines.positionAt(offset))) {
      if (!TextEdit.is(item.textEdit)) throw new Error('No edit.');
      const { range, newText } = item.textEdit;
      const after =
        whole.slice(0, lines.offsetAt(range.start)) +
        snippetText(newText) +
        whole.slice(lines.offsetAt(range.end));
      accepted++;
      if (seen.has(after)) continue;
      seen.add(after);
      workspace.set(path, after);
      const findings = (await workspace.service.findings(uri)) ?? [];
      const bad = findings.filter(
        ({ code, message }) =>
          /^(?:initial|example)\./.test(code) &&
          !incomplete.test(message) &&
          !(beforeValue.test(whole.slice(offset)) && /must be/.test(message)),
      );
      if (bad.length > 0)
        broken.push(`${item.label} at «${typed.slice(-20)}»: ${bad[0]?.message}\n${after.slice(from)}`);
      workspace.set(path, whole);
    }
  }
  expect(broken).toEqual([]);
  expect(accepted).toBeGreaterThan(20);
}

/** Closes what is open, as editors do. */
function closers(typed: string): string {
  const open: string[] = [];
  let inText = false;
  for (let index = 0; index < typed.length; index++) {
    const character = typed[index];
    if (inText && character === '\\') index++;
    else if (character === '"') inText = !inText;
    else if (!inText && character === '{') open.push('}');
    else if (!inText && character === '[') open.push(']');
    else if (!inText && (character === '}' || character === ']')) open.pop();
  }
  return (inText ? '"' : '') + open.reverse().join('');
}

/** The same for YAML, where a quotation mark may be a text's own. */
function flowClosers(typed: string): string {
  const line = typed.slice(typed.lastIndexOf('\n') + 1);
  return line.includes('{') ? closers(line) : '';
}

describe('typed key by key', () => {
  it('an initial state in YAML', () => typeThrough('state.initial.yaml', yaml, 0, yaml.length, flowClosers));
  it('an initial state in YAML with CRLF', () => {
    const text = yaml.replaceAll('\n', '\r\n');
    return typeThrough('state.initial.yaml', text, 0, text.length, flowClosers);
  });
  it('an initial state in JSON', () =>
    typeThrough('state.initial.json', json, 0, json.length, (typed) => closers(typed)));
  it('an initial state in JSON, with the rest behind', () =>
    typeThrough('state.initial.json', json, 0, json.length, (typed) => json.slice(typed.length)));
  it('a reply', () => {
    const head = skill('```json\n');
    const text = `${head}${reply}`;
    return typeThrough(
      'SKILL.md',
      text,
      head.length,
      text.length,
      (typed) => `${closers(typed.slice(head.length))}\n\`\`\`\n`,
    );
  });
});
