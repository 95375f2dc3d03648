import { expect, it } from 'vitest';
import { runChoices } from '../../../client/src/views/comparison/runChoices';

const trace = (name: string) => ({ trace: `/w/${name}`, relative: name });
const found = [trace('a.skilltrace.jsonl'), trace('runs/b.skilltrace.jsonl'), trace('now.skilltrace.jsonl')];
const current = {
  trace: '/w/now.skilltrace.jsonl',
  branches: [
    { id: 0, steps: 10_002 },
    { id: 1, steps: 1 },
  ],
  ended: false,
};

it('offers the open trace, then the branches of the present run, then other traces, each named once', () => {
  const choices = runChoices({ current, found, open: '/w/runs/b.skilltrace.jsonl', other: undefined });
  expect(choices.map(({ label, description }) => [label, description])).toEqual([
    ['b.skilltrace.jsonl', 'runs/b.skilltrace.jsonl'],
    ['Branch 0 of the present run', '10,002 steps'],
    ['Branch 1 of the present run', '1 step'],
    ['a.skilltrace.jsonl', undefined],
  ]);
});

it('leaves out what is on the other side already, and says of a run that it is over', () => {
  const ended = { ...current, ended: true };
  const other = { trace: current.trace, branch: 0 };
  const labels = (open: string | undefined, side: typeof other | { readonly trace: string }) =>
    runChoices({ current: ended, found, open, other: side }).map(({ label }) => label);
  expect(labels(undefined, other)).toEqual([
    ...['Branch 1 of the latest run', 'a.skilltrace.jsonl', 'b.skilltrace.jsonl'],
  ]);
  // Another branch of the same trace may be meant: it stays, and no longer first.
  expect(labels('/w/a.skilltrace.jsonl', { trace: '/w/a.skilltrace.jsonl' })[0]).toBe(
    'Branch 0 of the latest run',
  );
});
