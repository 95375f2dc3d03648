import { describe, expect, it } from 'vitest';
import { parseReport, reportPrefix } from '../../support/testReport';

describe('parseReport', () => {
  it('reads a report among what consoles put around it', () => {
    const line = `[Extension Host] ${reportPrefix}{"event":"skip","title":"a {b}"} (at console.<anonymous>)`;
    expect(parseReport(line)).toEqual({ event: 'skip', title: 'a {b}' });
  });

  it('leaves other lines alone', () => {
    expect(parseReport('something else {"event":"end"}')).toBeUndefined();
  });

  it('counts a cut report as a failure', () => {
    expect(parseReport(`${reportPrefix}{"event":"pass","ti`)).toMatchObject({ event: 'fail' });
  });
});
