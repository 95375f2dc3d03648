/** How models and probes are told of. */
import { describe, expect, it } from 'vitest';
import { describeModel } from '../../../client/src/views/models/modelLabel';
import { modelListText, probeText } from '../../../client/src/views/models/modelTexts';

describe('the list of models', () => {
  it('has the names that launch.json takes, and what is not there', () => {
    const text = modelListText(
      [
        {
          title: 'Built in',
          offers: [
            { id: 'a', label: 'Automatic', offered: { kind: 'automatic' } },
            {
              id: 'm',
              label: 'manual',
              description: 'you type the replies',
              offered: { kind: 'model', chosen: { model: 'manual' } },
            },
          ],
        },
        {
          title: 'VS Code',
          offers: [
            {
              id: 'v',
              label: 'GPT 9',
              description: 'vscode:copilot/gpt/gpt-9',
              offered: { kind: 'model', chosen: { model: 'vscode:copilot/gpt/gpt-9' } },
            },
          ],
        },
        {
          title: 'Lab at http://lab/v1',
          offers: [
            {
              id: 'l',
              label: 'own',
              description: 'openai:own',
              offered: { kind: 'model', chosen: { model: 'openai:own', baseUrl: 'http://lab/v1' } },
            },
          ],
        },
        {
          title: 'Others',
          offers: [
            { id: 'x', label: 'Server at Another Address…', offered: { kind: 'address' } },
            { id: 'o', label: 'Ollama', offered: { kind: 'absent', message: 'It is not there. Start it.' } },
          ],
        },
      ],
      [
        { title: 'OpenAI', models: ['openai:gpt-9'] },
        { title: 'Google Gemini', models: [], note: 'It needs a key.' },
      ],
    );
    expect(text).toBe(`# Models

By the names that \`"model"\` in launch.json has for them.

## Built in

- \`manual\` (you type the replies)

## VS Code

- \`vscode:copilot/gpt/gpt-9\` (GPT 9)

## Lab at http://lab/v1

- \`openai:own\` (with \`"baseUrl": "http://lab/v1"\`)

## OpenAI

- \`openai:gpt-9\`

## Google Gemini

It needs a key.

## Not Usable Now

- Ollama: It is not there. Start it.
`);
  });
});

describe('a probe', () => {
  it('says what it came to, and by what tries', () => {
    const result = {
      encoding: 'json-schema',
      placement: 'response_format',
      explanation: 'The server keeps to a schema.',
      tries: [
        {
          encoding: 'grammar',
          placement: 'grammar',
          outcome: 'refused',
          detail: 'It said "no | such\nfield".',
        },
        { encoding: 'json-schema', placement: 'response_format', outcome: 'enforced', detail: '' },
      ],
      at: Date.UTC(2026, 10, 30, 12),
    } as const;
    const text = probeText(
      'llama.cpp:qwen',
      {
        server: 'http://127.0.0.1:8080/v1',
        result,
        isKept: true,
        dropped: [{ pointer: '/properties/x', keyword: 'format', reason: 'is not known there' }],
      },
      'warehouse',
    );
    expect(text).toBe(`# Probe of \`llama.cpp:qwen\`

Server: http://127.0.0.1:8080/v1
Replies: **json-schema**, by \`response_format\`: one JSON object by a schema, reasoning first.

The server keeps to a schema.

Runs with \`"decoding": "auto"\` use this from now on. *Skill: Probe Model…* tries again.

| tried       | in the request as | the server                              |
| ----------- | ----------------- | --------------------------------------- |
| grammar     | \`grammar\`         | refused it: It said "no \\| such field". |
| json-schema | \`response_format\` | kept to it                              |

## The skill \`warehouse\`

Not held to while it writes, and checked afterwards as always:

- /properties/x: format is not known there

Tried at 2026-11-30T12:00:00.000Z.
`);
  });

  it('keeps a name from becoming markup', () => {
    const result = {
      encoding: 'free',
      placement: undefined,
      explanation: 'None.',
      tries: [],
      at: 0,
    } as const;
    const text = probeText('openai:a`b\n# c', { server: 'http://lab', result, isKept: false }, undefined);
    expect(text).toContain('Nothing was found out about the server, so nothing is kept.');
    expect(text.split('\n')[0]).toBe('# Probe of `` openai:a`b # c ``');
    expect(text).toContain('Replies: **free**: as the prompt asks, held to nothing.');
  });
});

describe('the status bar', () => {
  it('shows the model that the next run gets', () => {
    expect(describeModel(undefined, undefined)).toEqual({
      label: '$(hubot) automatic',
      tooltip:
        'Model of the next run, where launch.json names none: scripted where the environment has a policy, else manual\nClick to choose another one',
      spoken: 'Skill model: automatic',
    });
    const lab = { model: 'openai:own', baseUrl: 'http://lab/v1' };
    expect(describeModel(lab, undefined)).toEqual({
      label: '$(hubot) openai:own at lab',
      tooltip:
        'Model of the next run, where launch.json names none: openai:own at http://lab/v1\nClick to choose another one',
      spoken: 'Skill model: openai:own at lab',
    });
  });

  it('shows the model that runs, and has room for long names', () => {
    const { label, tooltip, spoken } = describeModel(undefined, {
      model: `openai:${'x'.repeat(60)}$(bug)`,
    });
    expect(label).toHaveLength('$(hubot) '.length + 40);
    expect(tooltip).toMatch(/^Model of this run: openai:x{60}/);
    expect(spoken).toMatch(/^Model of the running skill: openai:x{60}/);
    expect(describeModel(undefined, { model: 'a$(bug)' }).label).toBe('$(hubot) a$ (bug)');
  });

  it("shows the host of a model that isn't at its provider's own", () => {
    const local = { model: `openai:${'x'.repeat(60)}`, baseUrl: 'http://127.0.0.1:9000/v1' };
    const { label, tooltip } = describeModel({ model: 'scripted' }, local);
    expect(label).toMatch(/ at 127\.0\.0\.1:9000$/);
    expect(tooltip).toMatch(/^Model of this run: openai:x{60} at http:\/\/127\.0\.0\.1:9000\/v1\n/);
    expect(describeModel({ ...local, baseUrl: '[redacted]$(bug)' }, undefined).label).toMatch(
      / at \[redacted\]\$ \(bug\)$/,
    );
  });
});
