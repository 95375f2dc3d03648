/** How long a server asks to be left alone, whatever it writes there. */
import { describe, expect, it } from 'vitest';
import { retryAfterOf, waitText } from '../../../../client/src/models/http/retryAfter';

const now = Date.UTC(2026, 10, 30);
const most = Number.MAX_SAFE_INTEGER;

describe('the time that a server asks to wait', () => {
  it.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': ' 1.0001 ' }, 1_001],
    [{ 'retry-after': new Date(now + 5_000).toUTCString() }, 5_000],
    [{ 'retry-after': new Date(now).toUTCString() }, 0],
    [{ 'retry-after': new Date(now - 5_000).toUTCString() }, undefined],
    [{ 'retry-after': 'Sat, 13 Sep 275760 00:00:00 GMT' }, 8.64e15 - now],
    [{ 'retry-after': 'Sun, 14 Sep 275760 00:00:00 GMT' }, undefined],
    [{ 'retry-after': '2027-11-30' }, undefined],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '+5' }, undefined],
    [{ 'retry-after': '1e30' }, undefined],
    [{ 'retry-after': 'Infinity' }, undefined],
    [{ 'retry-after': 'NaN' }, undefined],
    [{ 'retry-after': '0x10' }, undefined],
    [{ 'retry-after': '9'.repeat(30) }, most],
    [{ 'retry-after': '9'.repeat(400) }, most],
    [{ 'retry-after-ms': '250.2', 'retry-after': '7' }, 251],
    [{ 'retry-after-ms': '-1', 'retry-after': '7' }, 7_000],
    [{ 'retry-after-ms': 'Infinity', 'retry-after': '7' }, 7_000],
    [{ 'retry-after-ms': '9'.repeat(400) }, most],
  ])('of %j is %s', (headers, expected) => {
    expect(retryAfterOf(new Headers(headers), now)).toBe(expected);
  });

  it.each([
    [0, '0 seconds'],
    [1, '1 second'],
    [60_001, '61 seconds'],
    [120_000, '120 seconds'],
    [120_001, '3 minutes'],
    [7_200_000, '120 minutes'],
    [7_200_001, '3 hours'],
    [172_800_001, '3 days'],
    [365 * 86_400_000, '365 days'],
    [366 * 86_400_000, 'more than a year'],
    [most, 'more than a year'],
    [Number.POSITIVE_INFINITY, 'more than a year'],
  ])('of %d ms reads %s', (milliseconds, text) => {
    expect(waitText(milliseconds)).toBe(text);
  });
});
