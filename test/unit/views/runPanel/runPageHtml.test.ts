import { describe, expect, it } from 'vitest';
import { runPageHtml } from '../../../../client/src/views/runPanel/runPageHtml';

describe('the page’s document', () => {
  const html = runPageHtml({
    script: 'https://s/runPanel.js',
    style: 'https://s/style.css',
    source: 'https://s',
    place: 'panel',
    nonce: 'n0nce',
  });

  it('lets nothing run and nothing be fetched but its own script and style sheet', () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1]?.split('; ');
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'nonce-n0nce'",
      'style-src https://s',
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).toContain('<script nonce="n0nce" src="https://s/runPanel.js"></script>');
    expect(html).not.toMatch(/unsafe|style=|\son\w+=/);
  });
});
