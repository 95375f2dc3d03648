/** What a command says of its own while models are asked. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { commandModels } from '../../../client/src/commandLine/commandModels';
import { printableLine } from '../../../schemas/text/printable';

async function told(isTTY: boolean): Promise<string> {
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY });
  const { onProbe } = await commandModels({}, { stderr }, { SKILL_STATE_CACHE: '/nowhere' });
  onProbe?.('http://127.0.0.1:8080/v1', 'a\u001b[2Jb');
  const text: unknown = stderr.read();
  return typeof text === 'string' ? text : '';
}

describe('a probe that may take long', () => {
  it('is said on a terminal, on a line of its own, and nowhere else', async () => {
    const model = printableLine('a\u001b[2Jb');
    expect(model).not.toContain('\u001b');
    expect(await told(true)).toBe(
      `\r\u001b[KAsking http://127.0.0.1:8080/v1 what replies of ${model} can be held to…\n`,
    );
    expect(await told(false)).toBe('');
  });
});
