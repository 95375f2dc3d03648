/** Which request a read-only document shows, and how its URI says so. Free of VS Code. */
import type { TriedModel } from '../../../../schemas/messages/exchangeMessages';

/** The scheme of these documents. */
export const exchangeScheme = 'skill-state-exchange';

/** A request of a session; the last one of the step, or of the attempt, where no number is named. */
export interface ExchangePlace {
  /** The session's id. */
  readonly session: string;
  readonly branch: number;
  readonly step: number;
  /** Of a sample of a tried step: `attempt` is the sample's number then. */
  readonly sampled?: TriedModel | undefined;
  readonly attempt?: number | undefined;
  readonly request?: number | undefined;
}

/** The path and query of a document's URI. The path is what a tab shows. */
export function exchangeAddress({
  session,
  branch,
  step,
  sampled,
  attempt = 1,
  request = 1,
}: ExchangePlace): {
  readonly path: string;
  readonly query: string;
} {
  const place = [...(branch === 0 ? [] : [`branch ${branch}`]), `step ${step}`];
  place.push(sampled === undefined ? `attempt ${attempt}` : `${triedName(sampled)}, sample ${attempt}`);
  const numbers = { branch, step, ...sampled, attempt, request };
  const query = new URLSearchParams({ session });
  for (const [name, number] of Object.entries(numbers)) query.set(name, String(number));
  return { path: `/request ${request} (${place.join(', ')}).md`, query: query.toString() };
}

function triedName({ tried, model }: TriedModel): string {
  return `try ${tried}${model === 0 ? '' : `, model ${model + 1}`}`;
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
  const [tried, model] = ['tried', 'model'].map(numberOf);
  const sampled = tried === undefined || model === undefined ? {} : { sampled: { tried, model } };
  return { session, branch, step, ...sampled, attempt, request };
}
