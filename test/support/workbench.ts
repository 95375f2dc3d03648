/** Drives the page of a served VS Code as a person does: by keyboard, and by what stands on the screen. */
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchBrowser } from './browser';
import { type ServedVscode, startServedVscode } from './servedVscode';
import { makeWorkspace } from './testWorkspace';
import { installServedVscode } from './vscodeCache';

/** Milliseconds until something on the page counts as missing: many times what a busy machine takes. */
const deadline = 120_000;

/** Milliseconds that the first of several attempts at the same thing may take; each further one gets as much more. */
const patience = 4000;

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
    let isFirst = true;
    await this.#attempt(async (timeout) => {
      // One that is still open would only move its focus at the next press.
      if (!isFirst) await this.page.keyboard.press('Escape');
      isFirst = false;
      await this.page.keyboard.press(key);
      await input.fill(text, { timeout });
      await row.first().waitFor({ timeout });
    });
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
    const input = this.page.locator('.quick-input-widget input.input');
    const place = this.page.locator('.statusbar-item[id="status.editor.selection"]');
    await this.#attempt(async (timeout) => {
      await this.page.keyboard.press('Control+G');
      await input.fill(`:${line}`, { timeout });
      await this.page.keyboard.press('Enter');
      await input.waitFor({ state: 'hidden', timeout });
      await place.filter({ hasText: `Ln ${line},` }).waitFor({ timeout });
    });
    await this.page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
    const glyph = this.page.locator('.glyph-margin-widgets .codicon-debug-breakpoint');
    const before = await glyph.count();
    // VS Code takes in what an extension contributes in slices. Until it knows ours, F9 does nothing, unseen. Who presses
    // it once more too early takes the breakpoint away that was only late.
    await this.#attempt(async (timeout) => {
      await this.page.keyboard.press('F9');
      await glyph.nth(before).waitFor({ timeout });
    });
  }

  /**
   * Presses the key of one of the debug toolbar's buttons, once VS Code has it: it fills its views before it lets
   * keys go on with a session that has stopped. After another such key, wait for what shows the stop that it brought:
   * until VS Code has heard from the session that it runs, it shows the buttons of the stop before.
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
    await this.#orAfterClickOnFrame(this.page.locator('.debug-top-stack-frame-line').first());
  }

  /** Waits for what a stop brings; while it doesn't come, chooses the frame that is stopped once more. */
  async #orAfterClickOnFrame(wanted: Locator): Promise<void> {
    const frame = this.page.locator('.debug-call-stack .stack-frame').first();
    let isFirst = true;
    await this.untilShown(wanted, async (timeout) => {
      if (!isFirst) await frame.click({ timeout });
      isFirst = false;
    });
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
    await this.#orAfterClickOnFrame(this.page.locator('.exception-widget', { hasText: text }));
  }

  /** Opens a scope in the Variables view and waits for what is in it. A click may fall into a refresh of the view. */
  async expandScope(name: string): Promise<void> {
    const scope = this.page.locator('.debug-variables .monaco-list-row[aria-level="1"]', { hasText: name });
    const open = scope.and(this.page.locator('[aria-expanded="true"]'));
    await this.untilShown(open, async (timeout) => {
      if (!(await open.isVisible())) await scope.locator('.monaco-tl-twistie').click({ timeout });
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
    await this.untilShown(this.variable(member), async (timeout) => {
      if (!(await open.isVisible())) await row.locator('.monaco-tl-twistie').click({ timeout });
    });
  }

  /** Opens a row of a tree until another one is shown, which is in it. */
  async expandRow(row: Locator, member: Locator): Promise<void> {
    await this.untilShown(member, async (timeout) => {
      const isOpen = (await row.getAttribute('aria-expanded', { timeout })) === 'true';
      if (!isOpen) await row.locator('.monaco-tl-twistie').click({ timeout });
    });
  }

  /** Tries until something is shown: what a click leads to is lost where it falls into a refresh of the view. */
  async untilShown(wanted: Locator, act: (timeout: number) => Promise<void>): Promise<void> {
    await this.#attempt(async (timeout) => {
      await act(timeout);
      await wanted.waitFor({ timeout });
    });
  }

  /**
   * Does something that VS Code may lose while it is busy with something else, until it has come off. Each attempt may
   * take longer than the one before, so that a slow machine gets there too.
   */
  async #attempt(act: (timeout: number) => Promise<void>): Promise<void> {
    const end = Date.now() + deadline;
    for (let timeout = patience; ; timeout += patience) {
      try {
        return await act(timeout);
      } catch (error) {
        if (Date.now() > end || this.page.isClosed()) throw error;
      }
    }
  }

  /**
   * Opens a row's menu at one of its items, which Enter chooses then. A click too soon after the one that opened the menu
   * would not count; a menu that was open already closes with Escape.
   */
  async openMenu(row: Locator, item: string): Promise<void> {
    const menu = this.page.locator('.monaco-menu');
    const chosen = menu.locator('.action-item.focused', { hasText: item });
    await this.untilShown(chosen, async (timeout) => {
      if (await menu.first().isVisible()) await this.page.keyboard.press('Escape');
      await row.click({ button: 'right', timeout });
      await menu.locator('.action-item', { hasText: item }).first().hover({ timeout });
    });
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
