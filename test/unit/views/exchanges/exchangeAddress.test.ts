/** How requests are named by the URIs of their documents. */
import { describe, expect, it } from 'vitest';
import {
  type ExchangePlace,
  exchangeAddress,
  parseExchangeQuery,
} from '../../../../client/src/views/exchanges/exchangeAddress';

describe('exchangeAddress', () => {
  it('names a tab, and is read back', () => {
    const place: ExchangePlace = { session: 'a&b=c', branch: 2, step: 31, attempt: 3, request: 4 };
    const { path, query } = exchangeAddress(place);
    expect(path).toBe('/request 4 (branch 2, step 31, attempt 3).md');
    expect(parseExchangeQuery(query)).toEqual(place);
    expect(exchangeAddress({ session: 's', branch: 0, step: 0 }).path).toBe(
      '/request 1 (step 0, attempt 1).md',
    );
  });

  it('names the sample of a tried step', () => {
    const sampled = { tried: 2, model: 1 };
    const place: ExchangePlace = { session: 's', branch: 0, step: 3, sampled, attempt: 5, request: 1 };
    const { path, query } = exchangeAddress(place);
    expect(path).toBe('/request 1 (step 3, try 2, model 2, sample 5).md');
    expect(parseExchangeQuery(query)).toEqual(place);
    expect(parseExchangeQuery('session=s&branch=0&step=1&tried=1')?.sampled).toBeUndefined();
  });

  it('reads nothing out of what names nothing', () => {
    for (const query of [
      '',
      'session=s',
      'session=s&branch=0&step=-1',
      'session=s&branch=x&step=1',
      'branch=0&step=0',
    ])
      expect(parseExchangeQuery(query)).toBeUndefined();
    expect(parseExchangeQuery('session=s&branch=0&step=1&attempt=1e3')).toMatchObject({ attempt: undefined });
  });
});
