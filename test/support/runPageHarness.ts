/** The Run panel's page in a browser of its own, without VS Code around it: its script, its policy, and our end of the line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import type { TraceReader } from '../../client/src/runtime/traceReader';
import { RunAnswers } from '../../client/src/views/runPanel/runAnswers';
import { runPageHtml } from '../../client/src/views/runPanel/runPageHtml';
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
}

export class RunPageHarness {
  readonly page: Page;
  /** What the page wanted done. */
  readonly actions: PageAction[] = [];
  /** What the browser complained of: a script that was refused, an exception. */
  readonly complaints: string[] = [];
  #overview: RunOverview;
  #remembered: unknown;

  private constructor(page: Page, overview: RunOverview) {
    this.page = page;
    this.#overview = overview;
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
  }

  /** Opens a page and waits until it shows the run. */
  static async open(browser: Browser, options: RunPageOptions): Promise<RunPageHarness> {
    const { reader, theme = 'dark', size = { width: 1200, height: 760 } } = options;
    const page = await browser.newPage({ viewport: size });
    const harness = new RunPageHarness(page, { ...overviewOf(reader), ...options.overview });
    const answers = new RunAnswers({
      reader,
      pause: () => setImmediate(),
      ruleNames: async () => (location) => `state.schema.yaml:${location.length}`,
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
          await harness.tell({ type: 'answer', id, answer: await answers.answer(ask) });
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
    await page.addInitScript({ content: preparation(webviewThemes[theme], options.remembered) });
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

  /** The run has changed. */
  async change(overview: Partial<RunOverview>): Promise<void> {
    this.#overview = { ...this.#overview, ...overview };
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

/** What stands in the page before its script: VS Code's interface and variables. Messages are JSON, as there. */
function preparation(variables: Readonly<Record<string, string>>, remembered: unknown): string {
  return `
    const plain = (value) => value === undefined ? undefined : JSON.parse(JSON.stringify(value));
    globalThis.acquireVsCodeApi = () => ({
      postMessage: (message) => toExtension(plain(message)),
      getState: () => ${JSON.stringify(remembered) ?? 'undefined'},
      setState: (state) => remember(plain(state)),
    });
    document.addEventListener('readystatechange', () => {
      for (const [name, value] of Object.entries(${JSON.stringify(variables)}))
        document.documentElement.style.setProperty('--vscode-' + name, value);
    }, { once: true });`;
}

function overviewOf(reader: TraceReader): RunOverview {
  const { header, branches, progress, problems, problemsLeftOut } = reader;
  return {
    run: 'file:///run.skilltrace.jsonl',
    trace: 'run.skilltrace.jsonl',
    skill: header?.skill.name ?? 'warehouse',
    model: header?.model.name ?? 'scripted',
    environment: header?.environment.name ?? 'warehouse',
    branches: branches.map(({ id, steps, parent, end, skill }) => ({
      id,
      steps,
      parent,
      end: end?.outcome,
      changedSkill: skill !== undefined,
    })),
    ...progress,
    problems: problems.map(({ line, message }) => ({ line, message })),
    problemsLeftOut,
    session: undefined,
  };
}
