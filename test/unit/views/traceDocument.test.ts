/** Addresses of a trace's texts, and the texts. */
import { describe, expect, it } from 'vitest';
import {
  diffTitle,
  documentAddress,
  parseDocumentQuery,
  type TraceDocument,
} from '../../../client/src/views/documents/traceDocument';
import { traceText } from '../../../client/src/views/documents/traceTexts';
import { memoryReader } from './recordedSteps';

const document: TraceDocument = { trace: '/a b/ü&=+%.skilltrace.jsonl', branch: 0, step: 5, part: 'state' };

describe('addresses', () => {
  it.each([
    [document, '/state (step 5).json'],
    [
      { ...document, part: 'reply', attempt: 2, branch: 3 } as const,
      '/reply (branch 3, step 5, attempt 2).md',
    ],
    [
      { ...document, trace: 'C:\\runs\\a.skilltrace.jsonl', part: 'observation' } as const,
      '/observation (step 5).txt',
    ],
  ])('are read as they were written', (written, path) => {
    const address = documentAddress(written);
    expect(address.path).toBe(path);
    expect(parseDocumentQuery(address.query)).toEqual(written);
  });

  it.each(['', 'trace=a', 'trace=a&branch=0&step=-1&part=state', 'trace=a&branch=0&step=1&part=secret'])(
    'name nothing: %j',
    (query) => {
      expect(parseDocumentQuery(query)).toBeUndefined();
    },
  );

  it('say in the title of a diff what is compared', () => {
    const to = { ...document, step: 6 };
    expect(diffTitle(document, to)).toBe('Σ_5 ↔ Σ_6 · ü&=+%.skilltrace.jsonl');
    expect(diffTitle(document, { ...to, branch: 1 })).toBe(
      'Σ_5 (branch 0) ↔ Σ_6 (branch 1) · ü&=+%.skilltrace.jsonl',
    );
    expect(diffTitle(document, { ...to, trace: 'D:\\b.skilltrace.jsonl' })).toBe(
      'Σ_5 (branch 0) ↔ Σ_6 (branch 0) · ü&=+%.skilltrace.jsonl ↔ b.skilltrace.jsonl',
    );
  });
});

describe('traceText', () => {
  const reader = memoryReader([
    { steps: [{ patch: { b: 2, a: 1 }, observation: 'Shipment.' }, { patch: { a: null } }] },
  ]);
  const text = (parts: Partial<TraceDocument>) => traceText(reader, { ...document, step: 0, ...parts });

  it('gives states, patches and observations', async () => {
    expect(await text({ step: 1 })).toBe('{\n  "a": 1,\n  "b": 2\n}\n');
    expect(await text({ step: 2 })).toBe('{\n  "b": 2\n}\n');
    expect(await text({ part: 'patch' })).toBe('{\n  "b": 2,\n  "a": 1\n}\n');
    expect(await text({ part: 'observation' })).toBe('Shipment.');
    expect(await text({ part: 'outcome' })).toBe('Success.');
  });

  it('says what there is not', async () => {
    await expect(text({ part: 'reply' })).rejects.toThrow('Step 0 has no reply yet.');
    await expect(text({ part: 'reply', attempt: 3 })).rejects.toThrow('Step 0 has no attempt 3.');
    await expect(text({ part: 'patch', step: 7 })).rejects.toThrow(RangeError);
  });
});
