/** A request to a model and its answer as a text to read: first so that a person can, then to the letter. Free of VS Code. */
import type { ExchangeBody } from '../../../../schemas/messages/exchangeMessages';
import { oneLine } from '../../../../schemas/text/oneLine';
import { outcomeText } from '../../runtime/failureWords';

/** A JSON text is laid out up to this nesting: what nests deeper would overflow the stack of who writes it. */
const maxDepth = 500;

/** The whole document, in Markdown. */
export function exchangeText({ step, branch, sampledModel, requests, exchange }: ExchangeBody): string {
  const { summary, sent, received, isUnkept = false } = exchange;
  const others = requests.length - 1;
  const where = branch === 0 ? `step ${step}` : `step ${step} of branch ${branch}`;
  const { of, title } =
    sampledModel === undefined
      ? { of: 'this step', title: `attempt ${summary.attempt}, ${where}` }
      : { of: 'these samples', title: `sample ${summary.attempt} of ${sampledModel}, ${where} tried` };
  const parts = [
    `# Request ${summary.request} of ${oneLine(title)}`,
    `${sentence(outcomeText(summary))}${others === 0 ? '' : ` Of ${of}, ${others} other ${others === 1 ? 'request is' : 'requests are'} kept.`}`,
    '## Request',
    fenced('http', [`${sent.method} ${sent.url}`, ...headerLines(sent.headers)].join('\n')),
    ...readable(sent.body),
    '## Response',
    ...(received === undefined
      ? [isUnkept ? 'What came is not kept.' : 'Nothing has come.']
      : [
          fenced('http', [statusLine(received.status), ...headerLines(received.headers)].join('\n')),
          ...(received.body === '' ? ['The body is empty.'] : readable(received.body)),
        ]),
    '## Request body as it was sent',
    fenced('', sent.body),
    ...(received === undefined || received.body === ''
      ? []
      : ['## Response body as it came', fenced('', received.body)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`;
}

function statusLine(status: number | undefined): string {
  return status === undefined ? 'no status' : `status ${status}`;
}

function headerLines(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** A body laid out to be read, where it is JSON or a stream of JSON; nothing otherwise, since it stands below as it is. */
function readable(body: string): readonly string[] {
  const json = laidOut(body);
  if (json !== undefined) return [fenced('json', json)];
  const events = eventData(body);
  return events.length === 0 ? [] : ['The data of its events:', fenced('json', events.join('\n'))];
}

/** The data of a stream of server-sent events (WHATWG HTML, "Server-sent events"), a line an event. */
function eventData(body: string): readonly string[] {
  if (!/^(?:data|event|id|retry|:)/m.test(body.slice(0, 1_000))) return [];
  return body.split(/\r\n|\n|\r/).flatMap((line) => {
    const data = /^data: ?(.*)$/.exec(line)?.[1];
    return data === undefined ? [] : [data];
  });
}

function laidOut(text: string): string | undefined {
  if (!/^\s*[{[]/.test(text) || isDeep(text)) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return undefined;
  }
}

/** Whether brackets nest deeper than may be; those in strings count too, which at worst leaves a text as it is. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (const character of text.matchAll(/[[\]{}]/g)) {
    depth += character[0] === '{' || character[0] === '[' ? 1 : -1;
    if (depth > maxDepth) return true;
  }
  return false;
}

/** A code block whose fence no line of the text can close. */
function fenced(language: string, text: string): string {
  let longest = 2;
  for (const [, ticks = ''] of text.matchAll(/^[ \t]*(`{3,})/gm)) longest = Math.max(longest, ticks.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
