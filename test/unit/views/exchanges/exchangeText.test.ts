/** Requests and answers as texts to read. */
import { describe, expect, it } from 'vitest';
import { exchangeText } from '../../../../client/src/views/exchanges/exchangeText';
import type { ExchangeBody } from '../../../../schemas/messages/exchangeMessages';

const summary = { attempt: 2, request: 1, outcome: 'answered', status: 200, failure: undefined } as const;

const sent = {
  method: 'POST',
  url: 'https://models.example/v1',
  headers: { 'content-type': 'application/json', authorization: 'Bearer $OPENAI_API_KEY' },
  body: '{"model":"m","messages":[{"role":"user","content":"Say ```json"}]}',
};

const stream = 'event: message\ndata: {"a":1}\n\n: a comment\ndata: {"a":\r\ndata:2}\n\ndata: [DONE]\n\n';

function body(exchange: Partial<ExchangeBody['exchange']>, given: Partial<ExchangeBody> = {}): ExchangeBody {
  const received = { status: 200, headers: { 'content-type': 'text/event-stream' }, body: stream };
  return {
    branch: 0,
    step: 3,
    sampledModel: undefined,
    requests: [summary],
    letGo: 0,
    exchange: { summary, sent, received, isUnkept: undefined, ...exchange },
    ...given,
  };
}

describe('exchangeText', () => {
  it('names the model of a sample, in one line', () => {
    const text = exchangeText(body({}, { sampledModel: 'openai:a\n# b', requests: [summary, summary] }));
    expect(text).toMatch(
      /^# Request 1 of sample 2 of openai:a # b, step 3 tried\n\nAnswered with status 200\. Of these samples, 1 other request is kept\.\n/,
    );
  });

  it('lays bodies out to be read, and has them to the letter below', () => {
    expect(exchangeText(body({}))).toMatchInlineSnapshot(`
      "# Request 1 of attempt 2, step 3

      Answered with status 200.

      ## Request

      \`\`\`http
      POST https://models.example/v1
      content-type: application/json
      authorization: Bearer $OPENAI_API_KEY
      \`\`\`

      \`\`\`json
      {
        "model": "m",
        "messages": [
          {
            "role": "user",
            "content": "Say \`\`\`json"
          }
        ]
      }
      \`\`\`

      ## Response

      \`\`\`http
      status 200
      content-type: text/event-stream
      \`\`\`

      The data of its events:

      \`\`\`json
      {"a":1}
      {"a":
      2}
      [DONE]
      \`\`\`

      ## Request body as it was sent

      \`\`\`
      {"model":"m","messages":[{"role":"user","content":"Say \`\`\`json"}]}
      \`\`\`

      ## Response body as it came

      \`\`\`
      event: message
      data: {"a":1}

      : a comment
      data: {"a":
      data:2}

      data: [DONE]


      \`\`\`
      "
    `);
  });

  it('says what became of a request that has no answer, and which others there are', () => {
    const failure = { class: 'rate-limit', message: 'Slow down.', wait: 2_000 };
    const failed = { ...summary, outcome: 'failed', status: undefined, failure } as const;
    const text = exchangeText(
      body({ summary: failed, received: undefined }, { branch: 2, requests: [failed, summary, summary] }),
    );
    expect(text.split('\n\n## ')[0]).toBe(
      '# Request 1 of attempt 2, step 3 of branch 2\n\nFailed (rate-limit): Slow down. Made again after 2 s. Of this step, 2 other requests are kept.',
    );
    expect(text).toContain('## Response\n\nNothing has come.\n\n## Request body as it was sent');
    const underWay = { ...summary, outcome: 'under-way', status: undefined } as const;
    expect(exchangeText(body({ summary: underWay }))).toContain('Under way.');
    // A request that is under way may have an answer so far, or one that isn't kept before its end.
    expect(exchangeText(body({ summary: underWay }))).toContain('## Response body as it came');
    expect(exchangeText(body({ summary: underWay, received: undefined, isUnkept: true }))).toContain(
      '## Response\n\nWhat came is not kept.\n\n## Request body as it was sent',
    );
  });

  it('lets no text of a body end its block, and lays out nothing that nests too deep or is no JSON', () => {
    const response = (text: string) =>
      exchangeText(body({ received: { status: undefined, headers: {}, body: text } })).split(
        '## Response\n',
      )[1];
    expect(response('a\n  `````\nb')).toContain('``````\na\n  `````\nb\n``````');
    expect(response('')).toContain('no status\n```\n\nThe body is empty.');
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(response(deep)?.match(/\[\[/)?.index).toBeGreaterThan(response(deep)?.indexOf('as it came') ?? 0);
    expect(response('{"a":')).toContain('## Response body as it came\n\n```\n{"a":\n```');
    expect(response('```\n'.repeat(200_000))?.length).toBeGreaterThan(800_000);
  });
});
