/** The replies of a step: what each attempt used, why it was rejected, and the requests that were made for it. */
import type {
  AttemptRow,
  PageAction,
  StepDetail,
  StepRequest,
  ViolationRow,
} from '../../../../schemas/messages/runPanelMessages';
import { share, sourceText } from '../../../../schemas/text/spending';
import { button, element, excerpt, foreign } from '../elements';
import { count, counted } from '../texts';

type Act = (action: PageAction) => void;

/** A line for each attempt, and one for each that has made requests and is not recorded yet. */
export function attemptList(detail: StepDetail, act: Act): HTMLElement {
  const { attempts, attemptsLeftOut, requests } = detail;
  const recorded = new Set(attempts.map(({ attempt }) => attempt));
  // Those of attempts that are left out are not shown as if nobody had answered.
  const others = attemptsLeftOut > 0 ? [] : requests.filter(({ attempt }) => !recorded.has(attempt));
  const unanswered = [...new Set(others.map(({ attempt }) => attempt))];
  const lines = [
    ...attempts.map((attempt) => attemptItem(detail, attempt, act)),
    ...unanswered.map((attempt) => unansweredItem(detail, attempt, act)),
  ];
  return lines.length === 0
    ? element('p', { class: 'muted' }, 'The model has not answered.')
    : element('ol', { class: 'attempts' }, ...lines);
}

function attemptItem(detail: StepDetail, attempt: AttemptRow, act: Act): HTMLElement {
  const { branch, step } = detail;
  const { attempt: number, rejection } = attempt;
  const requests = requestsOf(detail, number);
  const last = requests.at(-1);
  const open = (document: 'prompt' | 'reply') => () =>
    act({ kind: 'open', branch, step, document, attempt: number });
  const about = [
    `${count(attempt.prompt)} → ${count(attempt.completion)} tokens${attempt.estimated ? ` (${estimateSource(attempt)})` : ''}`,
    ...(attempt.cached > 0 ? [`${share(attempt.cached, attempt.prompt)} of the prompt cached`] : []),
    ...(attempt.thinking > 0 ? [`${count(attempt.thinking)} thinking`] : []),
    ...(attempt.cost === undefined ? [] : [`cost ${attempt.cost}`]),
    ...(attempt.finish === undefined || attempt.finish === 'stop' ? [] : [attempt.finish]),
    ...(attempt.failedRequests === undefined ? [] : [attempt.failedRequests]),
  ];
  return element(
    'li',
    {},
    element(
      'div',
      { class: 'attempt-head' },
      element('span', {}, `Attempt ${number}`),
      rejection === undefined
        ? element('span', { class: 'status accepted' }, 'valid')
        : element('span', { class: 'badge error' }, `rejected: ${rejection.class}`),
      rejection?.exhausted ? element('span', { class: 'badge error' }, 'no attempt left') : undefined,
      element('span', { class: 'muted' }, foreign(about.join(' · '))),
      element('span', { class: 'spring' }),
      element(
        'span',
        { class: 'links' },
        button(`Open the prompt of attempt ${number}`, open('prompt'), { class: 'link' }, 'prompt'),
        button(`Open the reply of attempt ${number}`, open('reply'), { class: 'link' }, 'reply'),
        last === undefined
          ? undefined
          : button(
              `Open the exact request and response of attempt ${number}`,
              () => act(exchangeOf(detail, last)),
              { class: 'link' },
              'request',
            ),
      ),
    ),
    requestList(
      detail,
      requests.filter(({ failed }) => failed),
      act,
    ),
    rejection === undefined ? undefined : violationList(detail, attempt, act),
  );
}

/** Who estimated the tokens. */
function estimateSource({ prompt, completion, byExtension }: AttemptRow): string {
  const tokens = prompt + completion;
  return sourceText('estimated', tokens, byExtension ? tokens : 0);
}

function unansweredItem(detail: StepDetail, attempt: number, act: Act): HTMLElement {
  return element(
    'li',
    {},
    element(
      'div',
      { class: 'attempt-head' },
      element('span', {}, `Attempt ${attempt}`),
      element('span', { class: 'muted' }, 'not answered'),
    ),
    requestList(detail, requestsOf(detail, attempt), act),
  );
}

function requestsOf({ requests }: StepDetail, number: number): readonly StepRequest[] {
  return requests.filter(({ attempt }) => attempt === number);
}

function exchangeOf({ branch, step }: StepDetail, { attempt, request }: StepRequest): PageAction {
  return { kind: 'openExchange', branch, step, attempt, request };
}

/** What became of requests, each with a way to it. */
function requestList(
  detail: StepDetail,
  requests: readonly StepRequest[],
  act: Act,
): HTMLElement | undefined {
  if (requests.length === 0) return undefined;
  return element(
    'ul',
    { class: 'plain requests' },
    ...requests.map((one) =>
      element(
        'li',
        {},
        button(
          `Open request ${one.request} of attempt ${one.attempt}, with its response`,
          () => act(exchangeOf(detail, one)),
          { class: 'link' },
          `request ${one.request}`,
        ),
        ' ',
        excerpt(one.outcome),
      ),
    ),
  );
}

function violationList(
  { branch, step }: StepDetail,
  { attempt, rejection }: AttemptRow,
  act: Act,
): HTMLElement {
  return element(
    'ul',
    { class: 'plain violations' },
    ...(rejection?.violations ?? []).map((violation, index) =>
      violationItem(
        violation,
        () => act({ kind: 'open', branch, step, document: 'reply', attempt }),
        () => act({ kind: 'openRule', branch, step, attempt, violation: index }),
      ),
    ),
    (rejection?.leftOut ?? 0) === 0
      ? undefined
      : element('li', { class: 'muted' }, `${counted(rejection?.leftOut ?? 0, 'more violation')} left out.`),
  );
}

/** What is wrong and where, and a way to the rule. */
function violationItem(
  { pointer, message, rule }: ViolationRow,
  openReply: () => void,
  openRule: () => void,
): HTMLElement {
  // Most messages begin with the pointer.
  const named = pointer === undefined || message.text.startsWith(pointer.text) ? undefined : pointer;
  return element(
    'li',
    {},
    named === undefined ? undefined : excerpt(named, { attributes: { class: 'excerpt code' } }),
    named === undefined ? undefined : ' ',
    excerpt(message, { open: openReply }),
    rule === undefined ? undefined : ' ',
    rule === undefined
      ? undefined
      : button(`Open the rule, ${rule}`, openRule, { class: 'link' }, foreign(rule)),
  );
}
