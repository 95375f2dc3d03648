/** The trace format: what is written can be read, byte for byte, and broken files are told apart and read as far as they go. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatRecord, readTrace, TraceDecoder, type TraceRecord } from '../../../schemas/trace/trace';
import { memoryRun, traceText } from '../../support/memoryRun';

const bytesOf = (text: string) => new TextEncoder().encode(text);

async function recorded(): Promise<readonly TraceRecord[]> {
  const run = await memoryRun({
    options: { horizon: 12, seed: 7, keyframeEvery: 4 },
    faults: 0.4,
    faultSeed: 3,
  });
  await run.finish();
  return run.records;
}

describe('a trace', () => {
  it('is read back as it was written, and every record fits the format', async () => {
    const records = await recorded();
    expect(readTrace(bytesOf(traceText(records)))).toMatchObject({
      records,
      problems: [],
      completeBytes: bytesOf(traceText(records)).length,
    });
  });

  it('holds every kind of record that a run of one branch makes', async () => {
    const kinds = new Set((await recorded()).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([
      'attempt',
      'commit',
      'end',
      'intent',
      'outcome',
      'rejection',
      'run',
      'step',
      'warning',
    ]);
  });

  it('chains its records: ids in file order, each parent the record before, time last', async () => {
    for (const [index, record] of (await recorded()).entries()) {
      expect(record).toMatchObject({ id: index, branch: 0, ...(index > 0 && { parent: index - 1 }) });
      expect(Object.keys(record).at(-1)).toBe('time');
    }
  });

  it('names no absolute path and holds no time but in time', async () => {
    const text = traceText(await recorded());
    expect(text).not.toMatch(/"(\/(home|tmp|root|usr)\/|[A-Z]:\\\\)/);
  });

  it('is read alike in pieces of any size', async () => {
    const records = (await recorded()).slice(0, 12);
    const bytes = bytesOf(traceText(records));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (size) => {
        const decoder = new TraceDecoder();
        const read: TraceRecord[] = [];
        for (let offset = 0; offset < bytes.length; offset += size) {
          for (const line of decoder.push(bytes.subarray(offset, offset + size)))
            if (line.ok) read.push(line.record);
        }
        expect(decoder.finish()).toBeUndefined();
        expect(read).toEqual(records);
      }),
      { numRuns: 30 },
    );
  });

  it('tells the byte range of every line', async () => {
    const records = (await recorded()).slice(0, 9);
    const bytes = bytesOf(traceText(records));
    for (const line of new TraceDecoder().push(bytes)) {
      const text = new TextDecoder().decode(bytes.subarray(line.start, line.end));
      expect(line.ok && formatRecord(line.record)).toBe(`${text}\n`);
    }
  });

  it('keeps __proto__, lone surrogates and numbers as they are', () => {
    const state = JSON.parse('{"__proto__":{"a":1},"b":"\\ud800","c":1e21,"10":0,"2":0}');
    const record: TraceRecord = { kind: 'step', id: 1, parent: 0, branch: 0, step: 0, state, time: 0 };
    const [read] = readTrace(bytesOf(formatRecord(record))).records;
    expect(read && formatRecord(read)).toBe(formatRecord(record));
    expect(Object.hasOwn((read as { state: object }).state, '__proto__')).toBe(true);
  });
});

describe('a broken trace', () => {
  it('cut at any byte of its last record is read up to there', async () => {
    const records = (await recorded()).slice(0, 6);
    const whole = bytesOf(traceText(records));
    const before = bytesOf(traceText(records.slice(0, -1))).length;
    for (let end = before + 1; end < whole.length; end++) {
      const content = readTrace(whole.subarray(0, end));
      expect(content.records).toEqual(records.slice(0, -1));
      expect(content.problems.map(({ code }) => code)).toEqual(['trace.torn-record']);
      expect(content.completeBytes).toBe(before);
    }
  });

  const header = async () => formatRecord((await recorded())[0] as TraceRecord);

  it.each([
    ['trace.not-json', 'garbage\n'],
    ['trace.invalid-record', '{"kind":"dance","id":1}\n'],
    ['trace.invalid-record', '[]\n'],
    ['trace.invalid-record', '{"kind":"intent","id":1,"parent":0,"branch":0,"step":0,"time":0}\n'],
    [
      'trace.broken-chain',
      '{"kind":"intent","id":9,"parent":8,"branch":0,"step":0,"action":"go","time":0}\n',
    ],
  ])('says %s and where: %s', async (code, line) => {
    const first = await header();
    const content = readTrace(bytesOf(first + line));
    expect(content.problems).toMatchObject([{ code, line: 2, offset: bytesOf(first).length }]);
    expect(content.records[0]).toMatchObject({ kind: 'run' });
  });

  it('whose record nests very deep says so, and is read on', async () => {
    const [first, second] = await recorded();
    const nested = `{"kind":"step","id":1,"parent":0,"branch":0,"step":0,"state":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)},"time":0}\n`;
    const text = formatRecord(first as TraceRecord) + nested + formatRecord(second as TraceRecord);
    const content = readTrace(bytesOf(text));
    expect(content.records).toEqual([first, second]);
    expect(content.problems).toMatchObject([
      {
        code: 'trace.invalid-record',
        line: 2,
        message: 'The record nests more than 1000 objects and arrays in each other.',
      },
    ]);
  });

  const note = (id: number, parent: number) =>
    `{"kind":"intent","id":${id},"parent":${parent},"branch":0,"step":0,"action":"go","time":0}\n`;

  it.each([
    ['an id twice', [note(1, 0), note(1, 0), note(2, 1)], [[3, 'There is another record 1']]],
    [
      'two writers in turn',
      [note(1, 0), note(1, 0), note(2, 1), note(2, 1)],
      [
        [3, 'There is another record 1'],
        [5, 'There is another record 2'],
      ],
    ],
    ['a gap', [note(1, 0), note(3, 1), note(4, 3)], [[3, 'Record 3 stands where record 2 has to be.']]],
    [
      'an earlier id',
      [note(2, 0), note(1, 0)],
      [
        [2, 'Record 2 stands where record 1 has to be.'],
        [3, 'Record 1 stands where record 3 has to be.'],
      ],
    ],
    ['itself as its parent', [note(1, 1)], [[2, 'Record 1 follows record 1, which is missing.']]],
  ] as const)('with %s is no chain', async (_name, lines, expected) => {
    const content = readTrace(bytesOf((await header()) + lines.join('')));
    expect(content.records).toHaveLength(lines.length + 1);
    expect(content.problems).toMatchObject(
      expected.map(([line, message]) => ({
        code: 'trace.broken-chain',
        line,
        message: expect.stringContaining(message),
      })),
    );
  });

  it('with a second run record is no chain', async () => {
    const first = await header();
    const content = readTrace(bytesOf(first + note(1, 0) + first));
    expect(content.problems).toMatchObject([
      { code: 'trace.broken-chain', line: 3, message: expect.stringContaining('A second run record') },
    ]);
  });

  it.each([
    ['trace.missing-header', ''],
    [
      'trace.missing-header',
      '{"kind":"intent","id":0,"parent":0,"branch":0,"step":0,"action":"go","time":0}\n',
    ],
    ['trace.foreign-format', '{"kind":"run","format":"something-else"}\n'],
    ['trace.foreign-format', `{"kind":"run","format":${'['.repeat(20_000)}${']'.repeat(20_000)}}\n`],
    ['trace.newer-version', '{"kind":"run","format":"skill-state-trace","version":2}\n'],
  ])('says %s: %s', (code, text) => {
    expect(readTrace(bytesOf(text)).problems.map((problem) => problem.code)).toContain(code);
  });

  it('that is not UTF-8 says so', async () => {
    const first = bytesOf(await header());
    const content = readTrace(new Uint8Array([...first, 0xff, 0xfe, 10]));
    expect(content.problems.map(({ code }) => code)).toEqual(['trace.not-utf8']);
  });

  it('never throws, whatever is in it', async () => {
    const text = traceText((await recorded()).slice(0, 5));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(text.length), (noise, at) => {
        const bytes = bytesOf(text);
        bytes.set(noise.subarray(0, bytes.length - at), at);
        readTrace(bytes);
      }),
    );
  });
});
