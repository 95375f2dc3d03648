/** Traces that are broken, foreign, newer or hostile: what is wrong is told by line and offset, the rest is shown. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createTraceReader,
  type TraceBytes,
  type TraceReader,
} from '../../../client/src/runtime/traceReader';
import type { TraceProblem } from '../../../schemas/trace/trace';
import { longTraceBytes } from '../../support/longTrace';
import { bytesOf, growingBytes, readerOf } from '../../support/memoryTrace';

/** A trace of 30 steps and its branch, line by line, without line ends. */
let lines: readonly string[];
let header: string;
let whole: TraceReader;
beforeAll(async () => {
  const forks = [{ step: 12, at: 'act', steps: 6 }] as const;
  const text = new TextDecoder().decode(
    await longTraceBytes({ steps: 30, seed: 5, keyframeEvery: 8, forks }),
  );
  lines = text.trimEnd().split('\n');
  header = lines[0] ?? '';
  whole = await readerOf(text);
});

const joined = (all: readonly string[]) => all.map((line) => `${line}\n`).join('');
const told = ({ problems }: TraceReader) => problems.map(({ code, line }) => `${line} ${code}`);
const intent = (id: number, parent: number, step = 0, branch = 0) =>
  `{"kind":"intent","id":${id},"parent":${parent},"branch":${branch},"step":${step},"action":"go","time":0}`;

/** Whatever a reader tells can be asked for without a crash. */
async function askEverything(reader: TraceReader): Promise<void> {
  for (const { id, steps, ownFrom } of reader.branches) {
    reader.totals(id, steps);
    reader.bins(id, 0, Math.min(steps, 1_000), 10);
    for (const step of new Set([0, 1, ownFrom, steps - 1])) {
      if (step < 0 || step >= steps) continue;
      reader.summary(id, step);
      await reader.recordsOf(id, step);
      await reader.step(id, step);
      reader.isStateCertain(id, step);
      await reader.stateAt(id, step).catch((error: Error) => expect(error.name).toBe('TraceGap'));
    }
  }
}

describe('a broken trace', () => {
  it('tells each line that is no record, and keeps the others', async () => {
    const noise = [
      '{"kind":"step","id":',
      'garbage',
      '[]',
      '{}',
      '{"kind":"dance","id":3,"parent":2}',
      '"\u0000"',
    ];
    for (const [index, line] of noise.entries()) {
      const at = 9 + index;
      const reader = await readerOf(joined([...lines.slice(0, at), line, ...lines.slice(at)]));
      const offset = bytesOf(joined(lines.slice(0, at))).length;
      expect(reader.problems).toMatchObject([{ line: at + 1, offset }]);
      expect(reader.branches).toEqual(whole.branches);
      expect(reader.totals(0, 30)).toEqual(whole.totals(0, 30));
      expect(await reader.stateAt(0, 30)).toEqual(await whole.stateAt(0, 30));
    }
  });

  it('says where states may be other than they were, until the next keyframe', async () => {
    const lost = lines.findIndex((line) => line.includes('"kind":"commit"') && line.includes('"step":10,'));
    const reader = await readerOf(joined(lines.map((line, index) => (index === lost ? 'lost' : line))));
    expect(told(reader)).toEqual([`${lost + 1} trace.not-json`]);
    const certain = Array.from({ length: 31 }, (_, step) => reader.isStateCertain(0, step));
    expect(certain.indexOf(false)).toBe(11);
    expect(certain.lastIndexOf(false)).toBe(15);
    expect(await reader.stateAt(0, 16)).toEqual(await whole.stateAt(0, 16));
  });

  it('shows the steps around lost ones by their own numbers', async () => {
    const from = lines.findIndex((line) => line.includes('"kind":"step"') && line.includes('"step":4,'));
    const to = lines.findIndex((line) => line.includes('"kind":"step"') && line.includes('"step":7,'));
    const torn = await readerOf(joined([...lines.slice(0, from), 'x', ...lines.slice(to)]));
    expect(told(torn)).toEqual([`${from + 1} trace.not-json`]);
    const cut = await readerOf(joined([...lines.slice(0, from), ...lines.slice(to)]));
    expect(told(cut)).toEqual([`${from + 1} trace.broken-chain`]);
    for (const reader of [torn, cut]) {
      expect(reader.branches).toMatchObject([{ steps: 30 }, { steps: 18 }]);
      const statuses = [3, 4, 5, 6, 7].map((step) => reader.summary(0, step).status);
      expect(statuses.slice(1, 4)).toEqual(['unreadable', 'unreadable', 'unreadable']);
      expect(reader.summary(0, 7)).toEqual(whole.summary(0, 7));
      expect(reader.summary(1, 5).status).toBe('unreadable');
      expect(await reader.recordsOf(0, 5)).toEqual([]);
      expect(await reader.stateAt(0, 20)).toEqual(await whole.stateAt(0, 20));
    }
  });

  it('without a header shows its steps, and the states from the first keyframe on', async () => {
    const reader = await readerOf(joined(lines.slice(1)));
    expect(told(reader)).toEqual(['1 trace.missing-header', '1 trace.broken-chain']);
    expect(reader.header).toBeUndefined();
    expect(reader.summary(0, 3)).toEqual(whole.summary(0, 3));
    await expect(reader.stateAt(0, 3)).rejects.toThrow('Σ_3 is not known');
    await expect(reader.promptOf(0, 9, 1)).rejects.toThrow('The prompt is not known');
    expect(await reader.stateAt(0, 9)).toEqual(await whole.stateAt(0, 9));
  });

  it('whose fork is lost shows the branch from there on', async () => {
    const fork = lines.findIndex((line) => line.includes('"kind":"fork"'));
    const reader = await readerOf(joined(lines.map((line, index) => (index === fork ? '?' : line))));
    expect(told(reader)).toEqual([`${fork + 1} trace.not-json`, `${fork + 2} trace.broken-chain`]);
    expect(reader.branches[1]).toMatchObject({ id: 1, parent: undefined, ownFrom: 12, steps: 18 });
    expect(reader.summary(1, 5).status).toBe('unreadable');
    expect(reader.summary(1, 14)).toEqual(whole.summary(1, 14));
    await askEverything(reader);
  });

  it.each([
    ['a record twice', () => [intent(1, 0), intent(1, 0)], ['3 trace.broken-chain']],
    [
      'two writers in turn',
      () => [intent(1, 0), intent(1, 0), intent(2, 1), intent(2, 1)],
      ['3 trace.broken-chain', '5 trace.broken-chain'],
    ],
    ['a gap', () => [intent(1, 0), intent(5, 4)], ['3 trace.broken-chain']],
    ['an absurd id', () => [intent(9e15, 0), intent(1, 0)], ['2 trace.broken-chain']],
    ['an absurd step', () => [intent(1, 0, 9e15), intent(2, 1)], ['2 trace.broken-chain']],
    [
      'an earlier step',
      () => [intent(1, 0, 2), intent(2, 1, 1)],
      ['2 trace.broken-chain', '3 trace.broken-chain'],
    ],
    ['itself for its parent', () => [intent(1, 1)], ['2 trace.broken-chain']],
    ['a branch from nowhere', () => [intent(1, 0, 0, 7)], ['2 trace.broken-chain']],
    [
      'a branch that begins twice',
      () => [
        intent(1, 0),
        ...[2, 3].map((id) => `{"kind":"fork","id":${id},"parent":1,"branch":1,"step":0,"time":0}`),
      ],
      ['4 trace.broken-chain'],
    ],
    [
      'a fork far away',
      () => [`{"kind":"fork","id":1,"parent":0,"branch":1,"step":9007199254740991,"time":0}`, intent(2, 0)],
      ['2 trace.broken-chain'],
    ],
    [
      'a fork at the wrong step',
      () => [intent(1, 0), `{"kind":"fork","id":2,"parent":1,"branch":1,"step":5,"time":0}`],
      ['3 trace.broken-chain'],
    ],
    ['a second run', () => [intent(1, 0), header, intent(2, 1)], ['3 trace.second-run']],
  ])('with %s says so and shows the rest', async (_what, more, expected) => {
    const reader = await readerOf(joined([header, ...more()]));
    expect(told(reader)).toEqual(expected);
    expect(reader.progress.complete).toBe(true);
    await askEverything(reader);
  });

  it('keeps two hundred problems and counts the others', async () => {
    const reader = await readerOf(`${header}\n${'no\n'.repeat(5_000)}${intent(1, 0)}\n`);
    expect(reader.problems).toHaveLength(200);
    expect(reader.problemsLeftOut).toBe(4_800);
    expect(reader.summary(0, 0).action).toBe('go');
  });

  it('with hashes that are wrong says which text was edited', async () => {
    const edited = header.replace('Runs a warehouse', 'Runs a Warehouse');
    const reader = await readerOf(joined([edited, ...lines.slice(1)]));
    expect(reader.problems).toMatchObject([
      { code: 'trace.wrong-hash', line: 1, message: expect.stringContaining('SKILL.md') },
    ]);
    const fork = {
      ...{ kind: 'fork', id: 1, parent: 0, branch: 1, step: 0 },
      skill: { files: [{ path: 'SKILL.md', role: 'skill', sha256: '0'.repeat(64), text: 'P' }] },
      time: 0,
    };
    expect(told(await readerOf(joined([header, JSON.stringify(fork)])))).toEqual(['2 trace.wrong-hash']);
  });

  it('is read with CRLF line ends, a byte order mark and blank lines', async () => {
    const crlf = await readerOf(`\uFEFF${lines.join('\r\n\r\n')}\r\n`);
    expect(crlf.problems).toEqual([]);
    expect(crlf.branches).toEqual(whole.branches);
    for (const step of [0, 7, 12, 29]) {
      expect(await crlf.recordsOf(0, step)).toEqual(await whole.recordsOf(0, step));
      expect(await crlf.stateAt(0, step + 1)).toEqual(await whole.stateAt(0, step + 1));
    }
  });

  it('with bytes that are no UTF-8 in one line loses that line alone', async () => {
    const at = bytesOf(joined(lines.slice(0, 12))).length;
    const bytes = bytesOf(joined([...lines.slice(0, 12), `"ä"`, ...lines.slice(12)]));
    bytes[at + 2] = 0xff;
    const reader = await readerOf(bytes);
    expect(reader.problems).toMatchObject([{ code: 'trace.not-utf8', line: 13, offset: at }]);
    expect(reader.totals(0, 30)).toEqual(whole.totals(0, 30));
  });

  it('whose texts are not of ASCII keeps its byte ranges', async () => {
    const foreign = [header, ...lines.slice(1).map((line) => line.replaceAll('Success', 'Erfölg 😀 成功'))];
    const reader = await readerOf(joined(foreign));
    expect(reader.problems).toEqual([]);
    for (const step of [3, 15, 29]) {
      const expected = foreign.filter(
        (line) => line.includes(`"step":${step},`) && line.includes('"branch":0'),
      );
      expect((await reader.recordsOf(0, step)).map((record) => JSON.stringify(record))).toEqual(expected);
    }
  });
});

describe('what is no trace', () => {
  it.each<[string, Uint8Array | string, string, number]>([
    ['nothing', '', 'trace.missing-header', 0],
    ['a torn header', '{"kind":"run","id":0', 'trace.torn-record', 0],
    ['prose', 'Much\nto\nread.\n', 'trace.missing-header', 0],
    ['a format of others', '{"kind":"run","format":"x"}\n{}\n', 'trace.foreign-format', 0],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0, 10, 0]), 'trace.not-utf8', 0],
    ['NUL bytes', new Uint8Array(100), 'trace.torn-record', 0],
  ])('is told: %s', async (_what, content, code, branches) => {
    const reader = await readerOf(content);
    expect(reader.problems.map((problem) => problem.code)).toContain(code);
    expect(reader.branches).toHaveLength(branches);
    expect(reader.header).toBeUndefined();
    expect(reader.progress.complete).toBe(true);
  });

  it('is not read to its end', async () => {
    const bytes = growingBytes('some log line\n'.repeat(1_000_000));
    const reader = await readerOf(bytes);
    expect(bytes.bytesRead).toBeLessThan(3_000_000);
    expect(reader.progress.complete).toBe(true);
  });
});

describe('a line of 100 megabytes', () => {
  /** `before`, then so many bytes without a line end, then `after`; nothing of it is held. */
  function withLongLine(
    before: string,
    length: number,
    after: string,
  ): TraceBytes & { readonly held: number } {
    const [head, tail] = [bytesOf(before), bytesOf(after)];
    const size = head.length + length + tail.length;
    return {
      held: 0,
      size: async () => size,
      async read(offset, wanted) {
        const piece = new Uint8Array(Math.max(0, Math.min(wanted, size - offset))).fill(0x61);
        for (let index = 0; index < piece.length; index++) {
          const at = offset + index;
          if (at < head.length) piece[index] = head[at] ?? 0;
          else if (at >= head.length + length) piece[index] = tail[at - head.length - length] ?? 0;
          else break;
        }
        if (offset + piece.length > head.length + length)
          for (let index = Math.max(0, head.length + length - offset); index < piece.length; index++)
            piece[index] = tail[offset + index - head.length - length] ?? 0;
        return piece;
      },
    };
  }

  it('is left out, and what follows is read', async () => {
    const before = joined(lines.slice(0, 9));
    const reader = createTraceReader({
      bytes: withLongLine(before, 100_000_000, `\n${joined(lines.slice(9))}`),
    });
    await reader.read();
    expect(reader.problems).toMatchObject([
      {
        code: 'trace.too-long',
        line: 10,
        offset: bytesOf(before).length,
        message: expect.stringContaining('100 megabytes'),
      },
    ]);
    expect(reader.branches).toEqual(whole.branches);
    expect(await reader.stateAt(0, 30)).toEqual(await whole.stateAt(0, 30));
  });

  it('at the end is torn', async () => {
    const reader = createTraceReader({ bytes: withLongLine(joined(lines.slice(0, 9)), 100_000_000, '') });
    await reader.read();
    expect(told(reader)).toEqual(['10 trace.torn-record']);
    await reader.read();
    expect(told(reader)).toEqual(['10 trace.torn-record']);
  });
});

describe('a branch that begins at a step beyond all reason', () => {
  it.each([2 ** 31, 2 ** 53 - 1])('is left out: %d', async (step) => {
    for (const known of [true, false]) {
      const fork = lines.find((line) => line.startsWith('{"kind":"fork"')) ?? '';
      const parent = known ? (fork.match(/"parent":(\d+)/)?.[1] ?? '') : '99999';
      const at = lines.indexOf(fork);
      const moved = fork
        .replace(/"step":\d+/, `"step":${step}`)
        .replace(/"parent":\d+/, `"parent":${parent}`);
      const reader = await readerOf(joined([...lines.slice(0, at), moved]));
      expect(told(reader)).toEqual([`${at + 1} trace.broken-chain`]);
      expect(reader.problems[0]?.message).toContain('It is left out.');
      expect(reader.branches.map(({ id, steps }) => [id, steps])).toEqual([[0, 30]]);
    }
  });
});

describe('a trace that changes under the reader', () => {
  it('is told where it became shorter', async () => {
    const bytes = growingBytes(joined(lines));
    const reader = await readerOf(bytes);
    bytes.replace(joined(lines.slice(0, 3)));
    await reader.read();
    expect(told(reader)).toEqual([`${lines.length} trace.changed`]);
    await expect(reader.recordsOf(0, 29)).rejects.toThrow('open it again');
  });

  it('is told where records are no longer what they were', async () => {
    const bytes = growingBytes(joined(lines));
    const reader = await readerOf(bytes);
    bytes.replace(joined(lines).replaceAll('"kind":"commit"', '"kind":"commis"'));
    await expect(reader.recordsOf(0, 29)).rejects.toThrow('open it again');
    await expect(reader.stateAt(0, 30)).rejects.toThrow('open it again');
  });

  it('whose device fails passes the failure on, and can be read again', async () => {
    const bytes = growingBytes(joined(lines));
    let fails = true;
    const reader = createTraceReader({
      bytes: {
        size: () => bytes.size(),
        read: (offset, length) =>
          fails ? Promise.reject(new Error('The disk is gone.')) : bytes.read(offset, length),
      },
    });
    await expect(reader.read()).rejects.toThrow('The disk is gone.');
    expect(reader.progress.complete).toBe(false);
    fails = false;
    await reader.read();
    expect(reader.branches).toEqual(whole.branches);
  });

  it('is read once where several ask at the same time', async () => {
    const bytes = growingBytes(joined(lines));
    const reader = createTraceReader({ bytes });
    const abort = new AbortController();
    const all = [reader.read(abort.signal), reader.read(), reader.read()];
    abort.abort();
    const [aborted, ...others] = await Promise.allSettled(all);
    expect(aborted?.status).toBe('rejected');
    expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(reader.branches).toEqual(whole.branches);
    expect(reader.problems).toEqual([]);
  });
});

describe('whatever is in a file', () => {
  const parts = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.nat(400).map((index) => lines[index % lines.length] ?? '') },
      { weight: 1, arbitrary: fc.nat(400).map((index) => (lines[index % lines.length] ?? '').slice(0, 40)) },
      {
        weight: 2,
        arbitrary: fc
          .record({
            index: fc.nat(400),
            key: fc.constantFrom('id', 'parent', 'branch', 'step'),
            value: fc.oneof(fc.nat(60), fc.constant(2 ** 53 - 1)),
          })
          .map(({ index, key, value }) =>
            (lines[index % lines.length] ?? '').replace(new RegExp(`"${key}":\\d+`), `"${key}":${value}`),
          ),
      },
    ),
    { maxLength: 60 },
  );

  it('the reader says what it can and never crashes', async () => {
    await fc.assert(
      fc.asyncProperty(parts, fc.boolean(), async (some, keepsOrder) => {
        const start = keepsOrder ? lines.slice(0, 60) : [header];
        await askEverything(await readerOf(joined([...start, ...some])));
      }),
      { numRuns: 150 },
    );
  });

  it('a byte changed anywhere costs a line and no more', async () => {
    const bytes = bytesOf(joined(lines));
    const firstStep = bytesOf(header).length + 1;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: firstStep, max: bytes.length - 1 }),
        fc.nat(255),
        async (at, value) => {
          const changed = bytes.slice();
          changed[at] = value;
          const reader = await readerOf(changed);
          expect(reader.header).toEqual(whole.header);
          const lost = new Set(reader.problems.map(({ line }: TraceProblem) => line));
          expect(lost.size).toBeLessThanOrEqual(3);
          await askEverything(reader);
        },
      ),
      { numRuns: 150 },
    );
  });
});
