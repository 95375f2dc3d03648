/** How long a provider asks to be left alone, from the headers of its refusal. */

/** A number of seconds as providers write it; a longer one, in words, is as good as for ever. */
const decimal = /^\d{1,400}(\.\d{1,40})?$/;

/** Milliseconds that a number can hold exactly: what is longer is given as this. */
const longest = Number.MAX_SAFE_INTEGER;

/**
 * Milliseconds, from `retry-after-ms`, or `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3). Undefined where
 * there is neither, where it is no such value, and where a date has passed, which says nothing of how long it takes.
 *
 * @param now in milliseconds since 1970
 */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const milliseconds = headers.get('retry-after-ms')?.trim() ?? '';
  if (decimal.test(milliseconds)) return bounded(Number(milliseconds));
  const value = headers.get('retry-after')?.trim() ?? '';
  if (decimal.test(value)) return bounded(Number(value) * 1000);
  // A date has the name of a day; without one `Date.parse` takes numbers for years.
  const date = /^[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN;
  return date >= now ? bounded(date - now) : undefined;
}

function bounded(milliseconds: number): number {
  return Math.min(Math.ceil(milliseconds), longest);
}

/** A time to wait as people say it: `90 seconds`, `2 hours`, `more than a year`. */
export function waitText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds <= 120) return counted(seconds, 'second');
  if (seconds <= 2 * 60 * 60) return counted(Math.ceil(seconds / 60), 'minute');
  if (seconds <= 2 * 24 * 60 * 60) return counted(Math.ceil(seconds / 3600), 'hour');
  const days = Math.ceil(seconds / 86_400);
  return days <= 365 ? counted(days, 'day') : 'more than a year';
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
