/** `run --model replay:<trace>`: the same run again, what is said where it isn't, and where a run that goes on finds its recording. */
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTrace, type TraceRecord } from '../../../schemas/trace/trace';
import { runCommand, temporaryFolder } from '../../support/commandLine';
import { repository } from '../../support/memoryRun';

const folder = temporaryFolder();
const warehouse = join(repository, 'samples', 'warehouse');
const recording = 'recording.skilltrace.jsonl';
const settings = ['--horizon', '6', '--seed', '3'];

const run = (...args: string[]) => runCommand(['run', warehouse, ...args, '--json'], folder.path);
const textOf = (name: string) => readFileSync(join(folder.path, name), 'utf8');
const recordsOf = (name: string) => readTrace(readFileSync(join(folder.path, name))).records;

/** Without who answered and when. */
const story = (records: readonly TraceRecord[]) =>
  records.map((record) => ({ ...record, time: 0, ...(record.kind === 'run' && { model: undefined }) }));

beforeAll(async () => {
  await run('--faults', '0.6', ...settings, '--trace', recording);
});
afterAll(() => folder.remove());

describe('run --model replay:<trace>', () => {
  it('is the same run, and names the recording without its folder', async () => {
    const { code, stderr } = await run(
      ...[
        '--model',
        `replay:${join(folder.path, recording)}`,
        ...settings,
        '--trace',
        'same.skilltrace.jsonl',
      ],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(story(recordsOf('same.skilltrace.jsonl'))).toEqual(story(recordsOf(recording)));
    expect(recordsOf('same.skilltrace.jsonl')[0]).toMatchObject({ model: { name: `replay:${recording}` } });
    expect(textOf('same.skilltrace.jsonl')).not.toContain(folder.path);
  });

  it('says what no longer fits, and ends as stopped', async () => {
    const { code, stdout, stderr } = await run(
      ...[
        '--model',
        `replay:${recording}`,
        '--horizon',
        '6',
        '--seed',
        '4',
        '--trace',
        'other.skilltrace.jsonl',
      ],
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'stopped' });
    expect(stdout + stderr).toMatch(/no longer fits at step \d, attempt 1: the observation differs/);
  });

  it('says before a run that there is no such recording, or that it is none', async () => {
    const missing = await run('--model', 'replay:nowhere/missing.jsonl', '--trace', 'x.skilltrace.jsonl');
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain(
      'There is no recording "missing.jsonl" to answer from: look at the path after replay:.',
    );
    writeFileSync(join(folder.path, 'text.txt'), 'no trace\n');
    const none = await run('--model', 'replay:text.txt', '--trace', 'x.skilltrace.jsonl');
    expect(none.stderr).toMatch(
      /The recording "text\.txt" is no trace of a run \(line 1: .*\): name one that is\./,
    );
    expect(() => textOf('x.skilltrace.jsonl')).toThrow();
  });

  it('goes on from the recording beside its trace, and says clearly where there is none', async () => {
    const lines = textOf(recording).split(/(?<=\n)/);
    const half = lines.slice(0, Math.floor(lines.length / 2)).join('');
    mkdirSync(join(folder.path, 'recordings'));
    mkdirSync(join(folder.path, 'runs'));
    writeFileSync(join(folder.path, 'recordings', 'r.skilltrace.jsonl'), half);
    // The trace has the recording's own name, in another folder.
    const trace = join('runs', 'r.skilltrace.jsonl');
    const stopped = await run(
      '--model',
      'replay:recordings/r.skilltrace.jsonl',
      ...settings,
      '--trace',
      trace,
    );
    expect(JSON.parse(stopped.stdout)).toMatchObject({ outcome: 'stopped' });
    expect(stopped.stdout + stopped.stderr).toMatch(
      /The recording "r\.skilltrace\.jsonl" ends after \d steps? /,
    );

    const before = textOf(trace);
    const lost = await run('--resume', trace);
    expect(lost.code).toBe(1);
    expect(lost.stderr).toContain(
      'The recording "r.skilltrace.jsonl", from which this run\'s model answers, is neither beside its trace nor in the current folder: put it beside the trace and resume again.',
    );
    expect(textOf(trace)).toBe(before);

    renameSync(join(folder.path, trace), join(folder.path, 'runs', 'mine.skilltrace.jsonl'));
    copyFileSync(join(folder.path, recording), join(folder.path, 'runs', 'r.skilltrace.jsonl'));
    const mine = join('runs', 'mine.skilltrace.jsonl');
    const resumed = await run('--resume', mine);
    expect({ code: resumed.code, stderr: resumed.stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ outcome: 'completed', steps: 6 });
    const states = (name: string) =>
      recordsOf(name).flatMap((record) =>
        record.kind === 'commit' || record.kind === 'end' ? [record] : [],
      );
    const kept = states(mine).filter((record) => record.kind === 'commit' || record.outcome === 'completed');
    expect(kept.map((record) => (record.kind === 'end' ? record.state : record.patch))).toEqual(
      states(recording).map((record) => (record.kind === 'end' ? record.state : record.patch)),
    );
  });
});
