import { afterEach, describe, expect, it, vi } from 'vitest';
import { connect } from '../../../../client/webview/runPanel/host';

/** A page's end of the line, with what it sent and a way to tell it something. */
function connected() {
  const sent: unknown[] = [];
  const listeners: ((event: { readonly data: unknown }) => void)[] = [];
  vi.stubGlobal('acquireVsCodeApi', () => ({
    postMessage: (message: unknown) => sent.push(message),
    getState: () => undefined,
    setState: () => undefined,
  }));
  vi.stubGlobal('window', {
    addEventListener: (_type: string, listener: (event: { readonly data: unknown }) => void) =>
      listeners.push(listener),
  });
  const told: unknown[] = [];
  const host = connect((message) => told.push(message));
  const tell = (data: unknown) => {
    for (const listener of listeners) listener({ data });
  };
  return { host, sent, told, tell };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

const ask = { kind: 'find', branch: 0, step: 1, filter: 'all', direction: 'next' } as const;

describe("the page's end of the line", () => {
  it('gives each question its own answer', async () => {
    const { host, sent, tell } = connected();
    const first = host.ask(ask);
    const second = host.ask(ask);
    expect(sent).toEqual([
      { type: 'ask', id: 0, ask },
      { type: 'ask', id: 1, ask },
    ]);
    tell({ type: 'answer', id: 1, answer: { kind: 'find', found: { step: 2, index: 2 } } });
    tell({ type: 'answer', id: 0, answer: { kind: 'find' } });
    await expect(second).resolves.toEqual({ kind: 'find', found: { step: 2, index: 2 } });
    await expect(first).resolves.toEqual({ kind: 'find' });
  });

  it('says why a question is refused', async () => {
    const { host, tell } = connected();
    const asked = host.ask(ask);
    tell({ type: 'refusal', id: 0, message: 'There is no branch 7 in this trace.' });
    await expect(asked).rejects.toThrow('There is no branch 7 in this trace.');
  });

  it('leaves nobody waiting for an answer that can not be read', async () => {
    const { host, tell } = connected();
    const asked = host.ask({ kind: 'rows', branch: 0, filter: 'all', from: 0, count: 1 });
    tell({ type: 'answer', id: 0, answer: { kind: 'rows', rows: [{ cost: Number.POSITIVE_INFINITY }] } });
    await expect(asked).rejects.toThrow('open it as text');
  });

  it('passes over what is no message of the extension', () => {
    const { told, tell } = connected();
    for (const data of [undefined, 'run', { type: 'run' }, { type: 'answer', id: 5 }, { type: 'eval' }])
      tell(data);
    tell({ type: 'notice', message: 'Nothing to copy.' });
    expect(told).toEqual([{ type: 'notice', message: 'Nothing to copy.' }]);
  });
});
