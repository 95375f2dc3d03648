/** The numbers by which clients fetch texts of a run. */
import { describe, expect, it } from 'vitest';
import { DocumentStore } from '../../../client/src/debug/sources';
import type { RunDocument } from '../../../client/src/debug/stackFrames';

const document = (key: string, text: string): RunDocument => ({
  key,
  name: key,
  text,
  mimeType: 'text/plain',
});

/** As many others as are kept. */
function fill(store: DocumentStore, count: number): void {
  for (let index = 0; index < count; index++) store.reference(document(`other ${index}`, 'text'));
}

describe('DocumentStore', () => {
  it('gives a text its number as long as it is kept, and another one after that', () => {
    const store = new DocumentStore();
    const first = store.reference(document('reply 1 1', 'text'));
    fill(store, 199);
    expect(store.reference(document('reply 1 1', 'text'))).toBe(first);
    store.reference(document('one more', 'text'));
    expect(() => store.text(first)).toThrow();
    const second = store.reference(document('reply 1 1', 'text'));
    expect(second).not.toBe(first);
    expect(store.text(second).text).toBe('text');
  });

  it('keeps the number of a text whose earlier version is dropped', () => {
    const store = new DocumentStore();
    store.reference(document('reply 1 1', 'so far'));
    const whole = store.reference(document('reply 1 1', 'so far and on'));
    fill(store, 199);
    expect(store.reference(document('reply 1 1', 'so far and on'))).toBe(whole);
  });
});
