/** Exception filters: what each stops on, with and without a condition, and what `exceptionInfo` tells of it. */
import { describe, expect, it } from 'vitest';
import { type Environment, EnvironmentFailure } from '../../../client/src/runtime/environment';
import { connectInMemory, type DebugClient } from '../../support/debugClient';
import { memoryHost } from '../../support/debugHosts';
import { expectGolden } from '../../support/golden';
import { replyingModel, replyOf, skillOf } from '../../support/memoryRun';

const files = {
  'SKILL.md': `---
name: skill
description: Test.
---

# Actions

- \`Go <place>\`: goes.
`,
  'state.schema.yaml': `type: object
properties:
  place: { type: string, maxLength: 20 }
  visited:
    type: array
    maxItems: 9
    items: { type: string, maxLength: 20 }
`,
};

/** Knows where the traveller is; breaks down at `Go nowhere`. */
function travel(): Environment {
  let place = 'home';
  return {
    name: 'travel',
    deterministic: true,
    reset: async () => ({ observation: 'You are at home. There are a shop and a park.', done: false }),
    execute: async (action) => {
      if (action === 'Go nowhere') throw new EnvironmentFailure('The road ended.');
      place = action.slice('Go '.length);
      return {
        observation: `You are at the ${place}. There are a shop and a park.`,
        accepted: true,
        done: false,
      };
    },
    skip: async () => ({ observation: 'Nothing happens.', accepted: false, done: false }),
    truth: () => ({ place }),
  };
}

const replies = [
  replyOf({ place: 'shop', visited: ['shop', 'home'] }, 'Go shop'),
  replyOf({ place: 7 }, 'Go park'),
  replyOf({ place: 'park', visited: ['park'] }, 'Go park'),
  replyOf({ place: 'park', visited: ['park'] }, 'Go park'),
  replyOf({ place: 'shop' }, 'Go library'),
  replyOf({ visited: [] }, 'Go nowhere'),
];

async function session(attributes: object = {}): Promise<DebugClient> {
  const skill = await skillOf(files);
  const model = () => replyingModel(replies);
  const { client } = connectInMemory(memoryHost({ skill, model, environment: travel }));
  await client.launch({ skill: 'skill', budget: { tokens: 550, stateBytes: 40 }, ...attributes });
  await client.event('stopped');
  return client;
}

/** Goes on until the run ends, or is ended; notes `step phase: class` of each stop. */
async function stopsOf(
  client: DebugClient,
  count: number,
  ending: 'continue' | 'terminate' = 'continue',
): Promise<readonly string[]> {
  const stops: string[] = [];
  for (let stop = 0; stop < count; stop++) {
    const { reason, text } = await client.go('continue');
    const [top] = await client.stack();
    stops.push(`${await client.evaluate('step')} ${top?.name}: ${reason} ${text?.split(':')[0]}`);
    await client.ask('exceptionInfo', { threadId: 1 });
  }
  await client.request(ending, { threadId: 1 });
  await client.event('terminated');
  return stops;
}

describe('exception filters', () => {
  it('stop on everything that goes wrong in a run, each for itself', async () => {
    const client = await session({ budget: { tokens: 100_000, stateBytes: 40 } });
    await client.request('setExceptionBreakpoints', {
      filters: [
        'rejected',
        'exhausted',
        'environment-error',
        'state-loss',
        'stale-patch',
        'unknown-argument',
        'diverged',
        'state-over-budget',
        'tokens-over-budget',
      ],
    });
    expect(await stopsOf(client, 9, 'terminate')).toEqual([
      '0 act: exception state-over-budget',
      '1 prompt: exception schema',
      '1 act: exception array-shrunk',
      '2 act: exception repeated-patch',
      '3 act: exception unknown-argument',
      '4 observe: exception diverged',
      '4 act: exception array-shrunk',
      '4 act: exception The road ended.',
      // Tried again, it fails again.
      '4 act: exception The road ended.',
    ]);
    expectGolden('debug/exceptions.txt', client.transcript());
  });

  it('have conditions over what they are about', async () => {
    const client = await session();
    await client.ask('setExceptionBreakpoints', {
      filters: [],
      filterOptions: [
        { filterId: 'rejected', condition: "rejection.class == 'schema' && rejection.pointer == '/place'" },
        { filterId: 'state-loss', condition: "warning.class == 'array-shrunk' && step > 1" },
        { filterId: 'diverged', condition: "warning.pointer == '/elsewhere'" },
        { filterId: 'environment-error', condition: "message.contains('snow')" },
        { filterId: 'stale-patch', condition: 'warning == ' },
        { filterId: 'unknown-argument', condition: 'rejection.class == ""' },
        { filterId: 'tokens-over-budget', condition: 'state.nothing' },
        { filterId: 'everything' },
        { filterId: 'state-over-budget', condition: ' ' },
      ],
    });
    await client.ask('setExceptionBreakpoints', {
      filters: ['rejected'],
      filterOptions: [{ condition: 'true' }],
    });
    expect(await stopsOf(client, 3)).toEqual([
      '0 act: exception state-over-budget',
      '1 prompt: exception schema',
      '4 act: exception array-shrunk',
    ]);
    expectGolden('debug/exceptionConditions.txt', client.transcript());
  });

  it('stop at the reply that uses up the tokens, before the run ends because of it', async () => {
    const client = await session({ budget: { tokens: 180 } });
    await client.request('setExceptionBreakpoints', { filters: ['tokens-over-budget'] });
    expect(await client.go('continue')).toMatchObject({
      reason: 'exception',
      text: 'The run has spent 192 tokens; its budget is 180.',
    });
    expect((await client.stack())[0]?.name).toBe('parse');
    await client.ask('exceptionInfo', { threadId: 1 });
    await client.request('continue', { threadId: 1 });
    expect(await client.event('skill-state/ended')).toMatchObject({ outcome: 'capped' });
    expectGolden('debug/tokensOverBudget.txt', client.transcript());
  });

  it('stop nothing where the run is not debugged', async () => {
    const client = connectInMemory(
      memoryHost({ skill: await skillOf(files), model: () => replyingModel(replies), environment: travel }),
    ).client;
    await client.launch(
      { skill: 'skill', noDebug: true },
      { filters: ['rejected', 'state-loss', 'environment-error'] },
    );
    expect(await client.event('skill-state/ended')).toMatchObject({
      outcome: 'stopped',
      reason: 'The road ended.',
    });
  });
});
