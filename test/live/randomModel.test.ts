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

  it.each(['json-schema', 'operations'])('is only ever cut when its encoding is %s', async (decoding) => {
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
    const rejected = new Map(recordsOf(records, 'rejection').map((one) => [one.step, one.class]));
    for (const { step, finish } of recordsOf(records, 'attempt'))
      expect({ step, cut: finish === 'length' }).toEqual({ step, cut: rejected.has(step) });
    console.log(`${decoding}: ${steps} steps, ${rejected.size} of them cut at ${maxTokens} tokens`);
  });
});
