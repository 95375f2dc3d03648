/** The warehouse sample on a real llama.cpp server, by a model of random quality that is held to the format. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { countsOf, type LiveRuns, openLiveRuns, randomName, recordsOf } from '../support/liveRuns';
import { pathOf } from './prepare';

/** Each byte is a token of this model: at most 420 of them think, and a block has at most 200. */
const maxTokens = 620;
const contextSize = 16_384;
const llamaServer = inject('llamaServer');

describe.skipIf('unavailable' in llamaServer)('a model of random quality, held to the format', () => {
  let runs: LiveRuns;
  let model = '';

  beforeAll(() => {
    runs = openLiveRuns(pathOf(llamaServer));
    model = runs.randomModel();
  });

  afterAll(() => runs.end());

  it('never breaks it in 200 steps, in the encoding that the probe picks', async () => {
    const steps = 200;
    const server = await runs.serve({ model, name: randomName, contextSize });
    const trace = 'random.skilltrace.jsonl';
    const { code, stderr, report } = await runs.runSample(
      ...([server, randomName, trace, '--decoding', 'auto', '--temperature', '1'] as const),
      ...['--max-tokens', `${maxTokens}`, '--horizon', `${steps}`, '--on-exhausted', 'continue'],
    );
    await server.kill();
    expect({ code, stderr, steps: report.steps }).toEqual({ code: 0, stderr: '', steps });
    expect(report.rejectedReplies).toEqual({});
    const records = runs.recordsIn(trace);
    const attempts = recordsOf(records, 'attempt');
    expect(countsOf(attempts.map(({ finish }) => finish))).toEqual({ stop: steps });
    expect(countsOf(attempts.map(({ tokens }) => tokens.source))).toEqual({ reported: steps });
    const { settings } = recordsOf(records, 'run')[0]?.model ?? {};
    expect(settings?.encoding).toMatch(/^(grammar|json-schema|operations)$/);
    // The skill comes first in the prompt, so that the server has worked through it once for all steps.
    for (const { tokens } of attempts.slice(1)) expect(tokens.cached).toBeGreaterThan(tokens.prompt / 2);
    console.log(`auto: ${steps} steps, none rejected; ${JSON.stringify(settings)}`);
  });

  it('never breaks it by bytes beyond ASCII', async () => {
    const steps = 40;
    const server = await runs.serve({
      model: runs.randomModel({ isWide: true }),
      name: randomName,
      contextSize,
    });
    const trace = 'wide.skilltrace.jsonl';
    const { code, report } = await runs.runSample(
      ...([server, randomName, trace, '--decoding', 'grammar', '--temperature', '1'] as const),
      ...['--max-tokens', `${maxTokens}`, '--horizon', `${steps}`, '--on-exhausted', 'continue'],
    );
    await server.kill();
    expect({ code, steps: report.steps, rejected: report.rejectedReplies }).toEqual({
      code: 0,
      steps,
      rejected: {},
    });
    const replies = recordsOf(runs.recordsIn(trace), 'attempt').map(({ reply }) => reply ?? '');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins there
    expect(replies.filter((reply) => /[^\x00-\x7f\ufffd]/.test(reply)).length).toBeGreaterThan(steps / 2);
    const broken = replies.filter((reply) => reply.includes('\ufffd')).length;
    console.log(`wide: ${steps} steps, none rejected, ${broken} with U+FFFD in the thoughts`);
  });

  it.each(['json-schema', 'operations'])(
    'is only ever cut, or writes to one path twice, when its encoding is %s',
    async (decoding) => {
      const steps = 8;
      const server = await runs.serve({ model, name: randomName, contextSize });
      const trace = `random-${decoding}.skilltrace.jsonl`;
      const { report } = await runs.runSample(
        ...([server, randomName, trace, '--decoding', decoding, '--temperature', '1'] as const),
        ...['--max-tokens', `${maxTokens}`, '--horizon', `${steps}`, '--max-retries', '0'],
        ...['--on-exhausted', 'continue'],
      );
      await server.kill();
      expect(report.steps).toBe(steps);
      const records = runs.recordsIn(trace);
      const rejected = new Map(recordsOf(records, 'rejection').map((one) => [one.step, one]));
      let twice = 0;
      for (const { step, finish } of recordsOf(records, 'attempt')) {
        const rejection = rejected.get(step);
        if (finish !== 'length' && rejection !== undefined) {
          // A schema can't say that two operations have different paths.
          expect([decoding, rejection.class]).toEqual(['operations', 'not-an-object']);
          expect(rejection.message).toContain('is written by two operations');
          twice++;
        } else expect({ step, cut: finish === 'length' }).toEqual({ step, cut: rejection !== undefined });
      }
      const cut = rejected.size - twice;
      console.log(`${decoding}: ${steps} steps, ${cut} cut at ${maxTokens} tokens, ${twice} written twice`);
    },
  );
});
