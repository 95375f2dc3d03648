/**
 * Events as Google's library reads them. It knows none but those that are one line of `data`: what a gateway puts in front of
 * it, such as a comment or an `event`, it would take for an event without text, and pass over the whole.
 */
import { eventsOf } from '../http/serverSentEvents';

/** The same `fetch`, whose streams of events have one line of `data` each. Its bodies come by whole events. */
export function withPlainEvents(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, headers, status, statusText } = response;
    const isStream = headers.get('content-type')?.trim().toLowerCase().startsWith('text/event-stream');
    if (body === null || isStream !== true) return response;
    return new Response(plain(body), { headers, status, statusText });
  };
}

/** Read on demand, as the body is. */
function plain(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          const text = plainText(decoder.decode(value, { stream: !done }));
          if (text !== '') controller.enqueue(encoder.encode(text));
          if (done) return controller.close();
          if (text !== '') return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** What never ended stays as it is, and so does what is no event at all: the library says what is wrong with it. */
function plainText(piece: string): string {
  if (!/(\n\n|\r\r|\r\n\r\n)$/.test(piece)) return piece;
  const isOfEvents = piece
    .split(/[\r\n]+/)
    .every((line) => /^(?:$|:|(?:data|event|id|retry)(?:$|:))/.test(line));
  if (!isOfEvents) return piece;
  return eventsOf(piece)
    .map((data) => `data: ${data.replaceAll('\n', ' ')}\n\n`)
    .join('');
}
