/** What the editor of an answer says above and in its text. */
import { describe, expect, it } from 'vitest';
import { composePrompt } from '../../../../client/src/runtime/prompt';
import {
  firstLineShown,
  problemsIn,
  questionText,
  rulesText,
  verdictText,
} from '../../../../client/src/views/manual/replyTexts';
import type { ReplyCheck, ReplyProblem } from '../../../../schemas/messages/questionMessages';

const taken: ReplyCheck = { accepted: true, rejections: [], warnings: [], action: 'Wait', changes: 0 };

function problem(given: Partial<ReplyProblem>): ReplyProblem {
  return { class: 'schema', message: 'It is wrong.', start: 0, end: 1, schemaLocation: undefined, ...given };
}

describe('the line of a prompt that is shown first', () => {
  const instructions = 'Do it.\n\nSkill Execution State:\n```json\n{}\n```\nas below.\r\nSo.';
  const input = { instructions, state: { a: 1 }, observation: 'Here.\nSkill Execution State:' };
  const lineOf = (text: string, line: number) => text.split(/\r?\n/)[line];

  it('is the heading of the state, whatever instructions and observation say', () => {
    const { text } = composePrompt(input);
    const line = firstLineShown(text, 1);
    expect([lineOf(text, line), lineOf(text, line + 2)]).toEqual(['Skill Execution State:', '{"a":1}']);
  });

  it('is the correction of a retry, at the end', () => {
    const { text } = composePrompt({ ...input, correction: 'It was wrong.' });
    expect(lineOf(text, firstLineShown(text, 2))).toBe('It was wrong.');
  });

  it('is the first one of what is no prompt', () => {
    expect(firstLineShown('Hello\nthere', 1)).toBe(0);
  });
});

describe('problemsIn', () => {
  it('points to lines and characters, rejections before warnings', () => {
    const text = 'a\nbc 💡 d\n';
    const check: ReplyCheck = {
      ...taken,
      rejections: [problem({ start: 2, end: 4 }), problem({ class: 'no-block', start: 10, end: 10 })],
      warnings: [problem({ class: 'array-shrunk', message: 'It shrank.', start: 8, end: 9 })],
    };
    expect(problemsIn(text, check)).toEqual([
      {
        range: { start: { line: 1, character: 0 }, end: { line: 1, character: 2 } },
        message: 'Rejected as schema: It is wrong.',
        code: 'schema',
        severity: 'error',
      },
      {
        range: { start: { line: 2, character: 0 }, end: { line: 2, character: 0 } },
        message: 'Rejected as no-block: It is wrong.',
        code: 'no-block',
        severity: 'error',
      },
      {
        range: { start: { line: 1, character: 6 }, end: { line: 1, character: 7 } },
        message: 'It shrank.',
        code: 'array-shrunk',
        severity: 'warning',
      },
    ]);
  });
});

describe('verdictText', () => {
  it('says what would become of a reply', () => {
    expect(verdictText(taken)).toBe('$(pass) Fits: Wait · changes nothing');
    const warnings = [problem({}), problem({})];
    expect(verdictText({ ...taken, changes: 1, warnings })).toBe(
      '$(pass) Fits: Wait · changes 1 value, 2 warnings',
    );
    expect(verdictText({ ...taken, accepted: false, rejections: warnings })).toBe(
      '$(error) Rejected as schema and 1 more',
    );
  });

  it('takes nothing of a reply for an icon or a line break', () => {
    const text = verdictText({ ...taken, action: `a\n$(trash) ${'x'.repeat(200)}` });
    expect(text).toMatch(/^\$\(pass\) Fits: a\\u000a\$ \(trash\) x+… · changes nothing$/);
  });
});

describe('questionText', () => {
  it('names the question, or why there is none', () => {
    const question = { id: 1, kind: 'reply', title: 'Reply to step 0?', step: 0 } as const;
    expect(questionText({ ...question, attempt: 1, prompt: '', refusable: undefined }, false)).toBe(
      'Reply to step 0?',
    );
    const lead = {
      ...question,
      title: 'What does "a $(trash)" lead to?',
      attempt: undefined,
      prompt: undefined,
      refusable: true,
    };
    expect(questionText(lead, false)).toBe('What does "a $ (trash)" lead to?');
    expect(questionText(undefined, true)).toBe('Sent');
    expect(questionText(undefined, false)).toContain('kept for the next question');
  });
});

describe('rulesText', () => {
  const question = { id: 1, title: 'Seen?', step: 0, attempt: undefined, prompt: undefined } as const;
  it.each([
    ['nothing at the first question, where no action was', 'observation', 0, false, undefined],
    [
      'how an action is refused',
      'observation',
      1,
      true,
      '"Error: …" refuses the action, :end ends the episode',
    ],
    ['the end alone after a step without action', 'observation', 1, false, ':end ends the episode'],
    ['nothing about replies', 'reply', 1, undefined, undefined],
  ] as const)('tells %s', (_, kind, step, refusable, expected) => {
    expect(rulesText({ ...question, kind, step, refusable })).toBe(expected);
  });
});
