/** The Run panel's page in a browser of its own, without VS Code around it: its script, its policy, and our end of the line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import type { TraceReader } from '../../client/src/runtime/traceReader';
import { RunAnswers } from '../../client/src/views/runPanel/runAnswers';
import { runOverview } from '../../client/src/views/runPanel/runOverview';
import { runPageHtml } from '../../client/src/views/runPanel/runPageHtml';
import type { RequestSummary } from '../../schemas/messages/exchangeMessages';
import {
  isPageMessage,
  type PageAction,
  type PanelMessage,
  type RunOverview,
} from '../../schemas/messages/runPanelMessages';
import { type ThemeName, webviewThemes } from './webviewThemes';

const origin = 'https://run-page.invalid';

export interface RunPageOptions {
  readonly checkout: string;
  readonly reader: TraceReader;
  readonly theme?: ThemeName;
  readonly size?: { readonly width: number; readonly height: number };
  /** What the page gets instead of, or besides, what the reader gives. */
  readonly overview?: Partial<RunOverview>;
  readonly remembered?: unknown;
  /** What a session keeps of the requests of every step. */
  readonly requests?: readonly RequestSummary[];
}

export class RunPageHarness {
  readonly page: Page;
  /** What the page wanted done. */
  readonly actions: PageAction[] = [];
  /** What the browser complained of: a script that was refused, an exception. */
  readonly complaints: string[] = [];
  /** The most bars or lines that the page was given at once. */
  largestAnswer = 0;
  readonly #reader: TraceReader;
  #given: Partial<RunOverview>;
  #overview: RunOverview;
  #remembered: unknown;

  private constructor(page: Page, { reader, overview = {} }: RunPageOptions) {
    this.page = page;
    this.#reader = reader;
    this.#given = overview;
    this.#overview = { ...overviewOf(reader), ...overview };
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
  }

  /** Opens a page and waits until it shows the run. */
  static async open(browser: Browser, options: RunPageOptions): Promise<RunPageHarness> {
    const { reader, theme = 'dark', size = { width: 1200, height: 760 } } = options;
    const page = await browser.newPage({ viewport: size });
    const harness = new RunPageHarness(page, options);
    const answers = new RunAnswers({
      reader,
      pause: () => setImmediate(),
      ruleNames: async () => (location) => `state.schema.yaml:${location.length}`,
      requests: async () => options.requests ?? [],
    });
    await page.exposeFunction('toExtension', async (message: unknown) => {
      if (!isPageMessage(message)) {
        harness.complaints.push(`no message of the page: ${JSON.stringify(message)}`);
        return;
      }
      if (message.type === 'ready') await harness.tell({ type: 'run', overview: harness.#overview });
      else if (message.type === 'act') harness.actions.push(message.action);
      else {
        const { id, ask } = message;
        try {
          const answer = await answers.answer(ask);
          const items = answer.kind === 'bins' ? answer.bins : answer.kind === 'rows' ? answer.rows : [];
          harness.largestAnswer = Math.max(harness.largestAnswer, items.length);
          await harness.tell({ type: 'answer', id, answer });
        } catch (error) {
          await harness.tell({
            type: 'refusal',
            id,
            message: error instanceof Error ? error.message : String(error),
          });
        }
      }
    });
    await page.exposeFunction('remember', (state: unknown) => {
      harness.#remembered = state;
    });
    await page.route(`${origin}/**`, (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: html() });
      const name = pathname.slice(1);
      return route.fulfill({
        body: readFileSync(join(options.checkout, 'dist', 'webview', name)),
        contentType: name.endsWith('.css') ? 'text/css' : 'text/javascript',
      });
    });
    await page.addInitScript({ content: preparation(theme, options.remembered) });
    await page.goto(`${origin}/`);
    await page.locator('.shell').waitFor();
    return harness;
  }

  /** What the page would find again after it was hidden. */
  get remembered(): unknown {
    return this.#remembered;
  }

  async tell(message: PanelMessage): Promise<void> {
    // As VS Code does: what is undefined doesn't arrive.
    const sent = JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
    await this.page.evaluate(`window.postMessage(${sent}, '*')`).catch((error: unknown) => {
      // The page may have been closed while an answer was under way.
      if (!this.page.isClosed()) throw error;
    });
  }

  /** The run has grown, or what is given has changed. */
  async change(overview: Partial<RunOverview> = {}): Promise<void> {
    this.#given = { ...this.#given, ...overview };
    this.#overview = { ...overviewOf(this.#reader), ...this.#given };
    await this.tell({ type: 'run', overview: this.#overview });
  }
}

function html(): string {
  return runPageHtml({
    script: `${origin}/runPanel.js`,
    style: `${origin}/runPanelStyle.css`,
    source: origin,
    place: 'editor',
    nonce: 'forThisPage',
  });
}

/** The classes of the page's body, as VS Code gives them. */
const themeClasses: Readonly<Record<ThemeName, readonly string[]>> = {
  dark: ['vscode-dark'],
  light: ['vscode-light'],
  highContrast: ['vscode-high-contrast'],
  highContrastLight: ['vscode-high-contrast', 'vscode-high-contrast-light'],
};

/** What stands in the page before its script: VS Code's interface and variables. Messages are JSON, as there. */
function preparation(theme: ThemeName, remembered: unknown): string {
  const variables = webviewThemes[theme];
  return `
    const plain = (value) => value === undefined ? undefined : JSON.parse(JSON.stringify(value));
    globalThis.acquireVsCodeApi = () => ({
      postMessage: (message) => toExtension(plain(message)),
      getState: () => (${JSON.stringify(remembered) ?? 'undefined'}),
      setState: (state) => remember(plain(state)),
    });
    document.addEventListener('readystatechange', () => {
      for (const [name, value] of Object.entries(${JSON.stringify(variables)}))
        document.documentElement.style.setProperty('--vscode-' + name, value);
      document.body.classList.add(...${JSON.stringify(themeClasses[theme])});
    }, { once: true });`;
}

function overviewOf(reader: TraceReader): RunOverview {
  return runOverview({ trace: '/run.skilltrace.jsonl', reader, failure: undefined, session: undefined });
}
