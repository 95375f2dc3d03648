/** Finds what was asked of a model, and what it answered, by branch, step, attempt and number. */
import type {
  ExchangeArguments,
  ExchangeBody,
  StepRequests,
} from '../../../schemas/messages/exchangeMessages';
import type { Branch } from '../runtime/journey';
import { failures } from './errors';
import { type ExchangeLog, exchangeBody, exchangeLimits, requestSummary } from './exchangeLog';
import type { SampleExchanges } from './sampleExchanges';

type StepArguments = Pick<ExchangeArguments, 'branch' | 'step'>;

export interface ExchangeSource {
  /** Whether something is kept of a step's requests, or was. */
  has(place: StepArguments): boolean;
  /** What is kept of a step's requests. */
  requests(place: StepArguments): StepRequests;
  /**
   * A request of a step, or of a sample, and its answer.
   *
   * @throws RequestFailure that says why there is none
   */
  exchange(which: ExchangeArguments): ExchangeBody;
}

/**
 * @param branches all that there are
 * @param samples of the run's tried steps
 */
export function exchangeSource(
  log: ExchangeLog,
  branches: readonly Branch[],
  samples: Pick<SampleExchanges, 'exchange'>,
): ExchangeSource {
  const find = ({ branch, step }: StepArguments) => log.find(lineOf(branches, branch, step), step);
  return {
    has: (place) => find(place) !== 'none',
    requests(place) {
      const found = find(place);
      return { requests: typeof found === 'string' ? [] : found.exchanges.map(requestSummary) };
    },
    exchange({ branch, step, sampled, attempt, request }) {
      if (sampled !== undefined) return samples.exchange({ ...sampled, attempt, request });
      if (!branches.some(({ id }) => id === branch))
        throw failures.noExchange(`There is no branch ${branch}`);
      const found = find({ branch, step });
      if (typeof found === 'string') throw failures.noExchange(missing[found](step));
      const body = exchangeBody(found, log.letGo, { attempt, request });
      if (body !== undefined) return body;
      const tried = attempt === undefined ? '' : ` in attempt ${attempt}`;
      const what = request === undefined ? 'request' : `request ${request}`;
      throw failures.noExchange(`Of step ${step} no ${what}${tried} is kept`);
    },
  };
}

/** Why there is nothing to show of a step, without the full stop. */
const missing = {
  'let-go': (step: number) => {
    const { exchanges, bytes } = exchangeLimits;
    const most = `${exchanges.toLocaleString('en-US')}, up to ${bytes / 1_000_000} MB`;
    return `The requests of step ${step} are not kept any more: a session keeps its latest ${most}`;
  },
  none: (step: number) =>
    `This session made no request at step ${step}: traces hold none, and the models scripted, manual and replay make none`,
} as const;

/** The branches on which a step of a branch's line may have been made, the nearest one first. */
function lineOf(branches: readonly Branch[], branch: number, step: number): readonly number[] {
  const byId = new Map(branches.map((one) => [one.id, one]));
  const line: number[] = [];
  for (let at = byId.get(branch); at !== undefined && !line.includes(at.id); ) {
    line.push(at.id);
    const { parent } = at;
    at = parent !== undefined && step <= parent.step ? byId.get(parent.branch) : undefined;
  }
  return line;
}
