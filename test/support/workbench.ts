/** Drives the page of a served VS Code as a person does: by keyboard, and by what stands on the screen. */
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchBrowser } from './browser';
import { type ServedVscode, startServedVscode } from './servedVscode';
import { makeWorkspace } from './testWorkspace';
import { installServedVscode } from './vscodeCache';

/** Milliseconds until something on the page counts as missing. */
const deadline = 60_000;

/** What to open. */
export interface WorkbenchOptions {
  readonly checkout: string;
  readonly vsix: string;
  /** Further packages to install. */
  readonly others?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly trusted?: boolean;
  readonly size?: { readonly width: number; readonly height: number };
}

/** One window on a copy of the samples. */
export class Workbench {
  readonly page: Page;
  /** The folder that is open, a copy. */
  readonly workspace: string;
  /** Where VS Code keeps settings, logs and what extensions store, as far as that is not the page's. */
  readonly dataFolder: string;
  readonly #browser: Browser;
  readonly #server: ServedVscode;
  readonly #removeWorkspace: () => void;
  #console = '';

  private constructor(parts: {
    readonly page: Page;
    readonly browser: Browser;
    readonly server: ServedVscode;
    readonly workspace: { readonly workspace: string; remove(): void };
  }) {
    this.page = parts.page;
    this.#browser = parts.browser;
    this.#server = parts.server;
    this.workspace = parts.workspace.workspace;
    this.dataFolder = parts.server.dataFolder;
    this.#removeWorkspace = parts.workspace.remove;
    this.page.setDefaultTimeout(deadline);
    this.page.on('console', (message) => {
      this.#console += `${message.text()}\n`;
    });
  }

  /** Starts a server, a browser and a window with one SKILL.md open. */
  static async open(options: WorkbenchOptions, file: string): Promise<Workbench> {
    const { checkout, vsix, others, environment, settings, trusted } = options;
    const { size = { width: 1400, height: 900 } } = options;
    const installation = await installServedVscode(console.log);
    const browser = await launchBrowser();
    const server = await startServedVscode({
      installation,
      vsix,
      ...(others ? { others } : {}),
      ...(environment ? { environment } : {}),
      ...(settings ? { settings } : {}),
      ...(trusted === undefined ? {} : { trusted }),
    }).catch(async (error: unknown) => {
      await browser.close();
      throw error;
    });
    const workspace = makeWorkspace(checkout);
    const page = await browser.newPage({ viewport: size });
    const workbench = new Workbench({ page, browser, server, workspace });
    try {
      const openFile = `vscode-remote://127.0.0.1:${server.port}${join(workspace.workspace, file)}`;
      await page.goto(server.pageAddress(workspace.workspace, { openFile }));
      await page.locator('.monaco-workbench').waitFor();
      await workbench.editorLine(1).waitFor();
      // Until the extensions are known, SKILL.md is plain text and F9 does nothing. This button is ours.
      await page.locator('.editor-actions .codicon-run').first().waitFor();
    } catch (error) {
      // Nobody else could end what was started.
      await workbench.close();
      throw error;
    }
    return workbench;
  }

  /** Runs a command by its title. */
  async command(title: string): Promise<void> {
    await this.chooseQuickly('F1', `>${title}`, title);
    await this.page.keyboard.press('Enter');
  }

  /** Opens a file of the workspace, in a group of its own to the right where it is to stand beside the active editor. */
  async openFile(path: string, { beside = false }: { readonly beside?: boolean } = {}): Promise<void> {
    const input = this.page.locator('.quick-input-widget input.input');
    const name = path.slice(path.lastIndexOf('/') + 1);
    await this.chooseQuickly('Control+P', path, name);
    await this.page.keyboard.press(beside ? 'Control+Enter' : 'Enter');
    await input.waitFor({ state: 'hidden' });
    await this.page.locator('.editor-group-container.active .tab.active', { hasText: name }).waitFor();
  }

  /**
   * Types into the palette until a row is chosen. The palette closes where something else takes the focus meanwhile, and
   * a new file is found some time after it was written.
   */
  private async chooseQuickly(key: string, text: string, name: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input.input');
    const row = this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: name });
    for (const end = Date.now() + deadline; ; ) {
      await this.page.keyboard.press(key);
      try {
        await input.fill(text, { timeout: 4000 });
        await row.first().waitFor({ timeout: 4000 });
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
        // One that is still open would only move its focus at the next press.
        await this.page.keyboard.press('Escape');
      }
    }
  }

  /** Closes a view of the side bar, for the room it takes. */
  async closeView(name: string): Promise<void> {
    await this.#toggleView(name, 'false');
  }

  /** Opens a view of the side bar that was closed. */
  async openView(name: string): Promise<void> {
    await this.#toggleView(name, 'true');
  }

  async #toggleView(name: string, expanded: 'true' | 'false'): Promise<void> {
    const header = this.page
      .locator('.pane-header', { has: this.page.getByText(name, { exact: true }) })
      .first();
    for (const end = Date.now() + deadline; (await header.getAttribute('aria-expanded')) !== expanded; ) {
      if (Date.now() > end) throw new Error(`the view ${name} can't be opened or closed`);
      await header.click();
    }
  }

  /** A line number in the gutter of the active editor. */
  editorLine(line: number): Locator {
    return this.page
      .locator('.editor-group-container.active .monaco-editor .margin-view-overlays .line-numbers')
      .getByText(String(line), { exact: true });
  }

  /** Moves to a line of the active editor, which has no breakpoint yet, and sets one there. */
  async setBreakpoint(line: number): Promise<void> {
    await this.page.keyboard.press('Control+G');
    const input = this.page.locator('.quick-input-widget input.input');
    await input.waitFor();
    await input.fill(`:${line}`);
    await this.page.keyboard.press('Enter');
    await input.waitFor({ state: 'hidden' });
    await this.page
      .locator('.statusbar-item[id="status.editor.selection"]', { hasText: `Ln ${line},` })
      .waitFor();
    await this.page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
    const glyph = this.page.locator('.glyph-margin-widgets .codicon-debug-breakpoint');
    const before = await glyph.count();
    // VS Code takes in what an extension contributes in slices. Until it knows ours, F9 does nothing, unseen.
    for (const end = Date.now() + deadline; (await glyph.count()) === before; ) {
      if (Date.now() > end) throw new Error(`no breakpoint appeared on line ${line}`);
      await this.page.keyboard.press('F9');
      await glyph
        .nth(before)
        .waitFor({ timeout: 1500 })
        .catch(() => undefined);
    }
  }

  /**
   * Presses the key of one of the debug toolbar's buttons, once VS Code has it: it fills its views before it lets
   * keys go on with a session that has stopped.
   */
  async pressDebugKey(key: 'F5' | 'F10' | 'F11'): Promise<void> {
    const icon = { F5: 'continue', F10: 'step-over', F11: 'step-into' }[key];
    await this.page
      .locator(`.debug-toolbar .action-item:not(.disabled) .codicon-debug-${icon}:not(.disabled)`)
      .waitFor();
    await this.showTopFrame();
    await this.page.keyboard.press(key);
  }

  /**
   * Waits until the line that the run stands on is marked in an editor. VS Code learns to open texts of a session some
   * seconds after its window is there; who is faster than that sees an error ("Unable to resolve resource debug:…")
   * and no mark, until the frame is chosen once more.
   */
  async showTopFrame(): Promise<void> {
    const line = this.page.locator('.debug-top-stack-frame-line').first();
    await this.orAfterClickOnFrame(() => line.waitFor({ timeout: 3000 }));
  }

  /** Waits for what a stop brings; while it doesn't come, chooses the frame that is stopped once more. */
  private async orAfterClickOnFrame(wait: () => Promise<void>): Promise<void> {
    for (const end = Date.now() + deadline; ; ) {
      try {
        return await wait();
      } catch (error) {
        if (Date.now() > end) throw error;
        await this.page.locator('.debug-call-stack .stack-frame').first().click();
      }
    }
  }

  /** A frame of the call stack by what its name contains. */
  stackFrame(name: string): Locator {
    return this.page.locator('.debug-call-stack .stack-frame', { hasText: name }).first();
  }

  /** A frame that stands on a line of a file. */
  stackFrameAt(name: string, line: number): Locator {
    const place = this.page.locator('.line-number', { hasText: new RegExp(`^${line}(:|$)`) });
    return this.page.locator('.debug-call-stack .stack-frame', { hasText: name }).filter({ has: place });
  }

  /**
   * Waits for the box that tells of an exception, at the frame that is stopped. On a busy machine VS Code shows none:
   * its call stack view fetches the frames once more before the first answer is there, and the frame that has the
   * focus is then none of the stack's. A click on the frame brings the box.
   */
  async showException(text: string): Promise<void> {
    const box = this.page.locator('.exception-widget', { hasText: text });
    await this.orAfterClickOnFrame(() => box.waitFor({ timeout: 3000 }));
  }

  /** Opens a scope in the Variables view and waits for what is in it. A click may fall into a refresh of the view. */
  async expandScope(name: string): Promise<void> {
    const scope = this.page.locator('.debug-variables .monaco-list-row[aria-level="1"]', { hasText: name });
    const open = scope.and(this.page.locator('[aria-expanded="true"]'));
    await this.#untilShown(open, async () => {
      if (!(await open.isVisible())) await scope.locator('.monaco-tl-twistie').click({ timeout: 4000 });
    });
  }

  /** A row of the Variables view by its name; of two, the one that stands higher. */
  variable(name: string): Locator {
    return this.page.locator(`.debug-variables .monaco-list-row[aria-label^="${name},"]`).first();
  }

  /** Shows what is in a variable, by the name of its first member; VS Code closes it where another text is shown. */
  async expandVariable(name: string, member: string): Promise<void> {
    const row = this.variable(name);
    await row.waitFor();
    const open = row.and(this.page.locator('[aria-expanded="true"]'));
    await this.#untilShown(this.variable(member), async () => {
      if (!(await open.isVisible())) await row.locator('.monaco-tl-twistie').click({ timeout: 4000 });
    });
  }

  /** Tries until something is shown: what a click leads to is lost where it falls into a refresh of the view. */
  async #untilShown(wanted: Locator, attempt: () => Promise<void>): Promise<void> {
    for (const end = Date.now() + deadline; ; ) {
      try {
        await attempt();
        return await wanted.waitFor({ timeout: 4000 });
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  }

  /** Opens a row's menu at one of its items. A click too soon after the one that opened the menu would not count. */
  async openMenu(row: Locator, item: string): Promise<void> {
    await row.click({ button: 'right' });
    await this.page.locator('.monaco-menu .action-item', { hasText: item }).first().hover();
    await this.page.locator('.monaco-menu .action-item.focused', { hasText: item }).waitFor();
  }

  /**
   * Scrolls in the Breakpoints view to a breakpoint that has no line: the view draws the rows that are seen, and the
   * exception filters stand above.
   */
  async breakpointRow(name: string): Promise<Locator> {
    const rows = this.page.locator('.debug-breakpoints .monaco-list-row');
    const row = rows.filter({ hasText: name });
    for (const end = Date.now() + deadline; (await row.count()) === 0; ) {
      if (Date.now() > end) throw new Error(`there is no breakpoint ${name}`);
      await rows.first().hover();
      await this.page.mouse.wheel(0, 400);
    }
    return row;
  }

  /** What a status bar item of an extension says. */
  async statusText(id: string): Promise<string> {
    return (await this.page.locator(`.statusbar-item[id$="${id}"]`).first().textContent()) ?? '';
  }

  /** Takes a picture of the window. */
  async picture(folder: string, name: string): Promise<void> {
    await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }

  /** What the page and the server said, for a failure. */
  heard(): string {
    return `the page:\n${this.#console}\nthe server:\n${this.#server.output()}`;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#server.stop();
    this.#removeWorkspace();
  }
}
