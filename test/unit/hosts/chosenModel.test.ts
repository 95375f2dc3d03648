/** What launch configurations get of the model that was chosen for a workspace, and of the user's settings. */
import { describe, expect, it } from 'vitest';
import {
  isChosen,
  keptModelsNote,
  otherModelNote,
  readChosenModel,
  withChosenModel,
} from '../../../client/src/hosts/chosenModel';

const skill = { type: 'skill-state', skill: '/skills/a' };
const gemini = { model: 'gemini:gemini-2.5-flash' };
const local = { model: 'openai:qwen', baseUrl: 'http://127.0.0.1:9000/v1' };
const defaults = { maxTokens: 500, retryTemperature: 0.7, timeout: undefined };

describe('a launch configuration', () => {
  it('gets the chosen model where it names none', () => {
    expect(withChosenModel(skill, local, {})).toEqual({ ...skill, ...local });
    expect(withChosenModel(skill, undefined, {})).toEqual(skill);
  });

  it('keeps the model that it names, without the address of another one', () => {
    const named = { ...skill, model: 'openai:gpt' };
    expect(withChosenModel(named, local, {})).toEqual(named);
  });

  it('keeps its own address', () => {
    const there = { ...skill, baseUrl: 'http://there/v1' };
    expect(withChosenModel(there, local, {})).toEqual({ ...there, model: 'openai:qwen' });
  });

  it.each([
    ['replies', 'replies.jsonl'],
    ['faults', 0.5],
    ['faultSeed', 1],
  ])('that has %s means another model by that', (attribute, value) => {
    const given = { ...skill, [attribute]: value };
    expect(withChosenModel(given, local, defaults)).toEqual(given);
  });

  it('gets the chosen model beside what is for it, or for yet another, which is refused then', () => {
    const given = { ...skill, thinkingBudget: 0 };
    expect(withChosenModel(given, gemini, {})).toEqual({ ...given, ...gemini });
    expect(withChosenModel(given, local, {})).toEqual({ ...given, ...local });
    const faulty = { ...skill, faults: 0.5 };
    expect(withChosenModel(faulty, { model: 'scripted' }, {})).toEqual({ ...faulty, model: 'scripted' });
  });

  it('gets the settings of requests where the model makes some, below its own', () => {
    expect(withChosenModel({ ...skill, maxTokens: 9 }, gemini, defaults)).toEqual({
      ...skill,
      ...gemini,
      maxTokens: 9,
      retryTemperature: 0.7,
    });
    const editor = { ...skill, model: 'vscode:copilot' };
    expect(withChosenModel(editor, undefined, defaults)).toEqual({
      ...editor,
      maxTokens: 500,
      retryTemperature: 0.7,
    });
  });

  it('gets of the settings those that its model has', () => {
    const sampling = { temperature: 0.5, topP: 0.9, decoding: 'free' };
    expect(withChosenModel({ ...skill, temperature: 0 }, gemini, sampling)).toEqual({
      ...skill,
      ...gemini,
      ...sampling,
      temperature: 0,
    });
    const editor = { ...skill, model: 'vscode:copilot' };
    expect(withChosenModel(editor, undefined, sampling)).toEqual({ ...editor, temperature: 0.5, topP: 0.9 });
    const scripted = { ...skill, model: 'scripted' };
    expect(withChosenModel(scripted, undefined, sampling)).toEqual(scripted);
  });

  it.each([undefined, 'scripted', 'manual', 'replay:a.skilltrace.jsonl', 'nonsense', 7])(
    'gets none where the model is %j',
    (model) => {
      const given = { ...skill, model };
      expect(withChosenModel(given, undefined, defaults)).toEqual(given);
    },
  );

  it('that replays a trace has its model there', () => {
    const replay = { type: 'skill-state', replay: 'a.skilltrace.jsonl' };
    expect(withChosenModel(replay, local, defaults)).toEqual(replay);
  });
});

describe('a run on another model than the chosen one', () => {
  it('says so, and how to run on the chosen one', () => {
    expect(otherModelNote({ ...skill, model: 'scripted' }, local)).toBe(
      'The launch configuration names the model scripted, while openai:qwen at http://127.0.0.1:9000/v1 is chosen for this workspace: to run on that one, take "model" out of the configuration, or use "Skill: Debug".',
    );
    expect(otherModelNote({ ...skill, replies: 'r.jsonl' }, gemini)).toMatch(
      /by "replies" the model manual.*take "replies" out/,
    );
    expect(otherModelNote({ ...skill, model: 'openai:qwen' }, local)).toMatch(/names the model openai:qwen,/);
  });

  it.each([
    [{ ...skill, model: 'scripted' }, undefined],
    [{ ...skill, ...local }, local],
    [{ ...skill, ...local, baseUrl: 'http://127.0.0.1:9000/' }, local],
    [{ ...skill, faults: 0.2 }, { model: 'scripted' }],
    [{ replay: 'a.skilltrace.jsonl', model: 'scripted' }, local],
    [skill, local],
  ])('is none: %j', (configuration, chosen) => {
    expect(otherModelNote(configuration, chosen)).toBeUndefined();
  });
});

it('a run on the chosen model is known as such', () => {
  expect(isChosen({ ...skill, ...local }, local)).toBe(true);
  expect(isChosen({ ...skill, ...gemini }, local)).toBe(false);
  expect(isChosen(skill, local)).toBe(false);
  expect(isChosen({ ...skill, ...local }, undefined)).toBe(false);
});

describe('configurations of launch.json', () => {
  it('that mean other models are told of when a model is chosen, with one that leaves it open', () => {
    const configurations = [
      { ...skill, name: 'One', model: 'scripted' },
      { ...skill, name: 'Two', model: 'scripted' },
      { ...skill, name: 'Three', replies: 'r.jsonl' },
      { ...skill, name: 'Chosen', ...local },
    ];
    const note = 'launch.json names other models (scripted, manual), and F5 keeps to those.';
    expect(keptModelsNote(configurations, local)).toBe(note);
    expect(keptModelsNote([...configurations, { ...skill, name: 'Open' }], local)).toBe(
      `${note} "Open" names none, and runs on the chosen one.`,
    );
  });

  it('make no link of what stands in them', () => {
    const configurations = [
      { ...skill, model: '[a](command:b)' },
      { ...skill, name: '[c](command:d)' },
    ];
    expect(keptModelsNote(configurations, local)).not.toContain('](');
  });

  it.each([
    [[{ ...skill, ...local }, skill]],
    [[{ type: 'node', model: 'scripted' }]],
    [[{ ...skill, model: 'scripted', replay: 'a.skilltrace.jsonl' }]],
    [[null, 7, 'x', []]],
    [{ model: 'scripted' }],
    [undefined],
  ])('mean no other: %j', (configurations) => {
    expect(keptModelsNote(configurations, local)).toBeUndefined();
  });
});

describe('what was remembered', () => {
  it.each([
    [gemini, gemini],
    [{ ...local, more: 1 }, local],
    [{ model: 'scripted', baseUrl: 7 }, { model: 'scripted' }],
    [{ model: 'nonsense' }, undefined],
    [{ model: 1 }, undefined],
    [Object.create({ model: 'scripted' }), undefined],
    ['scripted', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('%j is read as %j', (value, expected) => {
    expect(readChosenModel(value)).toEqual(expected);
  });
});
