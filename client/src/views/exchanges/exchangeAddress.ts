/** Which request a read-only document shows, and how its URI says so. Free of VS Code. */

/** The scheme of these documents. */
export const exchangeScheme = 'skill-state-exchange';

/** A request of a session; the last one of the step, or of the attempt, where no number is named. */
export interface ExchangePlace {
  /** The session's id. */
  readonly session: string;
  readonly branch: number;
  readonly step: number;
  readonly attempt?: number | undefined;
  readonly request?: number | undefined;
}

/** The path and query of a document's URI. The path is what a tab shows. */
export function exchangeAddress({ session, branch, step, attempt = 1, request = 1 }: ExchangePlace): {
  readonly path: string;
  readonly query: string;
} {
  const place = [...(branch === 0 ? [] : [`branch ${branch}`]), `step ${step}`, `attempt ${attempt}`];
  const numbers = { branch, step, attempt, request };
  const query = new URLSearchParams({ session });
  for (const [name, number] of Object.entries(numbers)) query.set(name, String(number));
  return { path: `/request ${request} (${place.join(', ')}).md`, query: query.toString() };
}

/** What a query names; undefined for one that names nothing. */
export function parseExchangeQuery(query: string): ExchangePlace | undefined {
  const values = new URLSearchParams(query);
  const numberOf = (name: string) => {
    const text = values.get(name);
    return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  };
  const session = values.get('session');
  const [branch, step, attempt, request] = ['branch', 'step', 'attempt', 'request'].map(numberOf);
  if (!session || branch === undefined || step === undefined) return undefined;
  return { session, branch, step, attempt, request };
}
