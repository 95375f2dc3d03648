/** A model's reply without what is to be left out: neither its text nor what is parsed from it has any of it. */
import { findLastJsonBlock } from './fencedBlock';
import { tokenAt } from './jsonTokens';
import { RedactedKeys, type Redaction, redactedNumber, redactedText } from './redaction';

/** After so many times a reply in which something new is found each time is left out whole. */
const mostTimes = 4;

/**
 * Redacts the strings, keys and numbers of the reply's block as what they mean, then the text as it is written. What is parsed
 * from the result has nothing left to redact, so that a recorded reply gives the recorded patch whoever repeats it.
 */
export function redactedReply(reply: string, redaction: Redaction): string {
  let text = reply;
  for (let time = 0; time < mostTimes; time++) {
    const next = redaction.text(withRedactedBlock(text, redaction));
    if (next === text) return text;
    text = next;
  }
  return redactedText;
}

function withRedactedBlock(text: string, redaction: Redaction): string {
  const block = findLastJsonBlock(text);
  if (block === undefined) return text;
  const { start, end } = block;
  return `${text.slice(0, start)}${redactedJson(text.slice(start, end), redaction)}${text.slice(end)}`;
}

/** Up to where it is no JSON; everything but values and keys stays as it is written. */
function redactedJson(json: string, redaction: Redaction): string {
  const parts: string[] = [];
  const open: (RedactedKeys | undefined)[] = [];
  let copied = 0;
  let mayBeKey = false;
  const put = (value: string, start: number, end: number) => {
    parts.push(json.slice(copied, start), JSON.stringify(value));
    copied = end;
  };
  for (let at = 0; ; ) {
    const { type, start, end } = tokenAt(json, at);
    if (type === 'fault' || type === 'end') break;
    const source = json.slice(start, end);
    const keys = open.at(-1);
    if (type === 'string') {
      const value = stringOf(source);
      const redacted = redaction.text(value);
      const own = mayBeKey && keys !== undefined ? keys.free(redacted, value) : redacted;
      if (own !== value) put(own, start, end);
    } else if (type === 'number') {
      const redacted = redactedNumber(source, redaction);
      if (redacted !== undefined) put(redacted, start, end);
    } else if (type === '{') open.push(new RedactedKeys());
    else if (type === '[') open.push(undefined);
    else if (type === '}' || type === ']') open.pop();
    mayBeKey = type === '{' || (type === ',' && open.at(-1) !== undefined);
    at = end;
  }
  return copied === 0 ? json : parts.join('') + json.slice(copied);
}

function stringOf(source: string): string {
  const value: unknown = JSON.parse(source);
  return typeof value === 'string' ? value : source;
}
