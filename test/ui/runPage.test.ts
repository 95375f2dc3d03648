/** The page of the Run panel in a browser of its own: graph, table and the selected step, by mouse and by keyboard. */
import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { TraceReader } from '../../client/src/runtime/traceReader';
import { formatRecord } from '../../schemas/trace/trace';
import { launchBrowser } from '../support/browser';
import { longTrace, longTraceBytes } from '../support/longTrace';
import { growingBytes, readerOf } from '../support/memoryTrace';
import { RunPageHarness, type RunPageOptions } from '../support/runPageHarness';
import { syntheticRun } from '../support/syntheticRun';
import type { ThemeName } from '../support/webviewThemes';

let browser: Browser;
let harness: RunPageHarness | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterEach(async () => {
  const { complaints } = harness ?? { complaints: [] };
  await harness?.page.close();
  harness = undefined;
  // Neither the policy nor the script may have anything to complain of.
  expect(complaints).toEqual([]);
});

afterAll(async () => {
  await browser?.close();
});

const stopped = { name: 'warehouse', state: 'stopped' } as const;

async function open(options: Omit<RunPageOptions, 'checkout'>): Promise<RunPageHarness> {
  harness = await RunPageHarness.open(browser, { checkout: process.cwd(), ...options });
  harness.page.setDefaultTimeout(120_000);
  return harness;
}

async function recorded(steps: number): Promise<TraceReader> {
  return readerOf(await longTraceBytes({ steps }));
}

const heading = (page: RunPageHarness['page']): Locator => page.locator('.detail h2');

/** The middle of a step's bar, where all steps are in view. */
async function clickBar(page: RunPageHarness['page'], step: number, steps: number): Promise<void> {
  const box = await page.locator('.graph').boundingBox();
  if (box === null) throw new Error('There is no graph.');
  // The axis on the left, and the margin on the right.
  const width = box.width - 46 - 10;
  await page.mouse.click(box.x + 46 + ((step + 0.5) / steps) * width, box.y + box.height - 60);
}

/** The colours of a bar's parts. */
async function fillsOf(page: RunPageHarness['page']): Promise<readonly unknown[]> {
  const fills: unknown = await page.evaluate(
    "[...document.querySelectorAll('path.part')].map((part) => getComputedStyle(part).fill)",
  );
  return Array.isArray(fills) ? fills : [];
}

it('goes to the step whose bar is clicked, and says what it was', async () => {
  const position = { branch: 0, step: 20, phase: 'observe' };
  const { page, actions } = await open({
    reader: await recorded(25),
    overview: { session: { ...stopped, position } },
  });
  await heading(page).getByText('Step 20').waitFor();
  await page.getByText('the session is here').waitFor();
  await clickBar(page, 3, 25);
  await heading(page).getByText('Step 3', { exact: true }).waitFor();
  await expect.poll(() => actions).toEqual([{ kind: 'goTo', branch: 0, step: 3 }]);
  await page.locator('.change.deleted', { hasText: '/inventory/shelf_103' }).waitFor();
  await page.locator('.change.added', { hasText: '/inventory/shelf_123' }).waitFor();

  // The reply that was rejected, and the rule that it broke.
  await page.getByText('rejected: schema').waitFor();
  await page.getByRole('button', { name: /^Open the rule, / }).click();
  await page.getByRole('button', { name: 'Open the prompt of attempt 2' }).click();
  await page.getByRole('button', { name: 'Compare Σ before and after' }).click();
  await page.getByRole('button', { name: 'Try this step: several answers of a model' }).click();
  await expect
    .poll(() => actions.slice(1))
    .toEqual([
      { kind: 'openRule', branch: 0, step: 3, attempt: 1, violation: 0 },
      { kind: 'open', branch: 0, step: 3, document: 'prompt', attempt: 2 },
      { kind: 'diff', branch: 0, step: 3 },
      { kind: 'tryStep', branch: 0, step: 3 },
    ]);

  await page.getByRole('button', { name: 'Who wrote this?' }).first().click();
  const blame = page.locator('.blame li');
  await blame.filter({ hasText: 'Step 3' }).waitFor();
  expect(await blame.last().textContent()).toContain('initial state');
});

it('leads to the requests of each attempt that the session keeps, also where none was answered', async () => {
  const made = (attempt: number, request: number) =>
    ({ attempt, request, outcome: 'answered', status: 200, failure: undefined }) as const;
  const failure = { class: 'rate-limit', message: 'Slow down <b>.', wait: 2_000 };
  const { page, actions } = await open({
    reader: await recorded(25),
    overview: { session: { ...stopped, position: { branch: 0, step: 3, phase: 'observe' } } },
    requests: [
      { ...made(1, 1), outcome: 'failed', status: 429, failure },
      made(1, 2),
      made(2, 1),
      { ...made(3, 1), outcome: 'under-way', status: undefined },
    ],
  });
  await heading(page).getByText('Step 3').waitFor();
  const attempts = page.locator('.attempts > li');
  await attempts
    .first()
    .getByText('failed with status 429 (rate-limit): Slow down <b>. Made again after 2 s.')
    .waitFor();
  expect(await attempts.allTextContents()).toMatchObject([
    expect.stringMatching(/^Attempt 1rejected: schema.*promptreplyrequestrequest 1 failed/),
    expect.stringMatching(/^Attempt 2valid.*promptreplyrequest$/),
    'Attempt 3not answeredrequest 1 under way',
  ]);
  // By keyboard alone, each button saying where it leads.
  const press = async (name: string) => {
    const button = page.getByRole('button', { name, exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
  };
  await press('Open the exact request and response of attempt 1');
  await press('Open request 1 of attempt 1, with its response');
  await press('Open request 1 of attempt 3, with its response');
  const place = { kind: 'openExchange', branch: 0, step: 3 };
  await expect
    .poll(() => actions)
    .toEqual([
      { ...place, attempt: 1, request: 2 },
      { ...place, attempt: 1, request: 1 },
      { ...place, attempt: 3, request: 1 },
    ]);
});

it('says what a run has used: who counted it, what of it was cached or thought with, and what it cost', async () => {
  const spending = { spent: 12_000, estimated: 2_000, prompt: 10_000, cached: 8_300, thinking: 450 };
  const branch = {
    id: 0,
    steps: 25,
    changedSkill: false,
    spending: { ...spending, byExtension: 2_000, cost: 'between ≈$0.12 and ≈$0.15' },
  };
  const { page } = await open({
    reader: await recorded(25),
    overview: { branches: [{ ...branch, parent: undefined, end: undefined }] },
  });
  const line = page.locator('.status-line');
  await line
    .getByText(
      "≈12,000 tokens (2,000 of them estimated by the model's extension) · 83 % of the prompts cached · 450 thinking",
    )
    .waitFor();
  await line.getByText('cost between ≈$0.12 and ≈$0.15').waitFor();
  await heading(page).getByText('Step 0').waitFor();
  await page.locator('.token-figures h3').getByText('estimated').waitFor();
});

it('only selects where there is no session to lead', async () => {
  const { page, actions } = await open({ reader: await recorded(25) });
  await heading(page).getByText('Step 0').waitFor();
  await clickBar(page, 12, 25);
  await heading(page).getByText('Step 12').waitFor();
  expect(actions).toEqual([]);
  expect(await page.getByRole('button', { name: 'Go to this step' }).count()).toBe(0);
});

it('follows the session, and stays where the user wants to stay', async () => {
  const at = (step: number) => ({ session: { ...stopped, position: { branch: 0, step, phase: 'act' } } });
  const { page } = await open({ reader: await recorded(400), overview: at(0) });
  await heading(page).getByText('Step 0').waitFor();
  await (harness as RunPageHarness).change(at(300));
  await heading(page).getByText('Step 300').waitFor();
  await page.getByRole('button', { name: 'Follow the debug session' }).click();
  await (harness as RunPageHarness).change(at(17));
  // The table says where the session is, though the page doesn't follow.
  await page.getByRole('button', { name: 'Show as table' }).click();
  await page.keyboard.press('Tab');
  await page.locator('.table').evaluate((table) => table.scrollTo(0, 0));
  await page.locator('tr[aria-current="step"]', { hasText: /^17/ }).waitFor();
  expect(await heading(page).textContent()).toBe('Step 300');
});

it('is walked through by keyboard alone, and says each step', async () => {
  const position = { branch: 0, step: 0, phase: 'act' };
  const { page, actions } = await open({
    reader: await recorded(1_000),
    overview: { session: { ...stopped, position } },
  });
  const graph = page.getByRole('slider', { name: 'Tokens of each step' });
  for (let presses = 0; presses < 20 && !(await graph.evaluate((one) => one.matches(':focus'))); presses++)
    await page.keyboard.press('Tab');
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('ArrowRight');
  await expect
    .poll(() => graph.getAttribute('aria-valuetext'))
    .toMatch(/^Step 3, accepted, Move item_\S+ .* tokens estimated, rejected: schema/);
  expect(await graph.getAttribute('aria-valuenow')).toBe('3');
  await page.locator('.tooltip', { hasText: 'mean of 5 steps' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => actions).toEqual([{ kind: 'goTo', branch: 0, step: 3 }]);

  const ticks = () => page.locator('.labels text').allTextContents();
  for (let presses = 0; presses < 8; presses++) await page.keyboard.press('+');
  await expect.poll(async () => (await ticks()).includes('900')).toBe(false);
  await page.keyboard.press('End');
  await heading(page).getByText('Step 999').waitFor();
  await expect.poll(ticks).toContain('999');
  await page.keyboard.press('PageUp');
  await page.keyboard.press('0');
  await expect.poll(ticks).toContain('900');
  await page.keyboard.press('Home');
  await heading(page).getByText('Step 0', { exact: true }).waitFor();
});

it('has a table that says the same, of which only what is in view is there', async () => {
  const { page } = await open({ reader: await recorded(1_000) });
  await page.getByRole('button', { name: 'Show as table' }).click();
  const table = page.getByRole('grid', { name: 'Steps' });
  await expect.poll(() => table.getAttribute('aria-rowcount')).toBe('1001');
  const row = (step: number) =>
    table.locator('tbody tr', { has: page.locator(`td:first-child:text-is("${step}")`) });
  await row(3).getByText('schema').waitFor();
  expect(await table.locator('tbody tr').count()).toBeLessThan(80);
  await row(3).click();
  await heading(page).getByText('Step 3', { exact: true }).waitFor();
  await page.keyboard.press('End');
  await heading(page).getByText('Step 999').waitFor();
  await expect.poll(() => row(999).getAttribute('aria-selected')).toBe('true');
  expect(await row(999).getAttribute('aria-rowindex')).toBe('1001');
  expect(await row(999).evaluate((one) => one.matches(':focus'))).toBe(true);
  await page.keyboard.press('ArrowUp');
  await heading(page).getByText('Step 998').waitFor();

  await page.getByLabel('Steps shown').selectOption('With rejections');
  await expect.poll(async () => Number(await table.getAttribute('aria-rowcount'))).toBeLessThan(250);
  await expect
    .poll(async () =>
      (await table.locator('tbody tr td:nth-child(7)').allTextContents()).every((text) => text !== ''),
    )
    .toBe(true);
  await page.getByRole('button', { name: 'Previous step' }).click();
  await page.locator('.detail .badge.error').first().waitFor();
  // The button is another one now, and has the focus still.
  await expect
    .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
    .toBe('Previous step');
  expect(harness?.largestAnswer).toBeLessThanOrEqual(300);
});

it.each([10_000, 100_000])('draws only what is in view of %i steps', async (steps) => {
  const page = (await open({ reader: syntheticRun(steps) })).page;
  await heading(page).getByText('Step 0').waitFor();
  const nodes = () => page.locator('*').count();
  const before = await nodes();
  expect(before).toBeLessThan(400);
  const graph = page.locator('.graph');
  const box = await graph.boundingBox();
  if (box === null) throw new Error('There is no graph.');
  await page.mouse.move(box.x + box.width / 2, box.y + 80);
  for (let turns = 0; turns < 40; turns++) await page.mouse.wheel(0, -300);
  const labels = () => page.locator('.labels text').allTextContents();
  await expect
    .poll(async () => (await labels()).filter((label) => /,\d\d\d$/.test(label)).length)
    .toBeGreaterThan(1);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 400, box.y + 80, { steps: 10 });
  await page.mouse.up();
  // Dragging is no click.
  expect(await heading(page).textContent()).toBe('Step 0');
  expect(await nodes()).toBeLessThan(600);
  await page.getByRole('button', { name: 'Show as table' }).click();
  await page.locator('.table').evaluate((table) => table.scrollTo(0, table.scrollHeight));
  await page
    .getByText(`Store item_${steps - 1} `)
    .first()
    .waitFor();
  const last = (steps - 1).toLocaleString('en-US');
  await page.locator(`tbody tr td:first-child:text-is("${last}")`).waitFor();
  expect(await nodes()).toBeLessThan(2_000);
  expect(harness?.largestAnswer).toBeLessThanOrEqual(300);
});

it('grows with the run', async () => {
  const lines: string[] = [];
  for await (const record of longTrace({ steps: 30, faults: 0 })) lines.push(formatRecord(record));
  const half = lines.findIndex((line) => line.includes('"kind":"step"') && line.includes('"step":12,'));
  const bytes = growingBytes(lines.slice(0, half).join(''));
  const reader = await readerOf(bytes);
  const session = (step: number) => ({
    session: { name: 'w', state: 'running' as const, position: { branch: 0, step } },
  });
  const { page } = await open({
    reader,
    overview: {
      session: { name: 'w', state: 'running', position: { branch: 0, step: 11, phase: undefined } },
    },
  });
  await heading(page).getByText('Step 11').waitFor();
  bytes.append(lines.slice(half).join(''));
  await reader.read();
  await harness?.change({
    session: { ...session(29).session, position: { branch: 0, step: 29, phase: undefined } },
  });
  await heading(page).getByText('Step 29').waitFor();
  await page.locator('.status-line', { hasText: '30 steps' }).waitFor();
  await expect.poll(() => page.locator('.labels text').allTextContents()).toContain('28');
});

it('shows the last step where the session stands at the end, and lets the user choose another', async () => {
  const session = (step: number, state: 'running' | 'stopped') => ({
    session: { name: 'w', state, position: { branch: 0, step, phase: undefined } },
  });
  const { page } = await open({ reader: await recorded(30), overview: session(12, 'running') });
  await heading(page).getByText('Step 12').waitFor();
  await harness?.change(session(30, 'stopped'));
  await heading(page).getByText('Step 29').waitFor();
  await page.locator('.graph').focus();
  await page.keyboard.press('ArrowLeft');
  await heading(page).getByText('Step 28').waitFor();
  await harness?.change({ ...session(30, 'stopped'), environment: 'elsewhere' });
  await page.locator('.status-line', { hasText: 'elsewhere' }).waitFor();
  expect(await heading(page).textContent()).toBe('Step 28');
});

it('dims the selected step while another one is on its way, and not when the run has only grown', async () => {
  const session = (step: number) => ({
    session: { ...stopped, position: { branch: 0, step, phase: undefined } },
  });
  const { page } = await open({ reader: await recorded(30), overview: session(3) });
  await page.locator('.detail .badge', { hasText: 'the session is here' }).waitFor();
  await page.evaluate(`
    globalThis.dimmed = 0;
    new MutationObserver(([{ target }]) => { if (target.hasAttribute('aria-busy')) dimmed++; })
      .observe(document.querySelector('.detail'), { attributes: true, attributeFilter: ['aria-busy'] });`);
  const dimmed = () => page.evaluate('dimmed');
  await page.getByRole('button', { name: 'Follow the debug session' }).click();
  await harness?.change(session(4));
  // The selected step came once more: it says now that the session isn't there.
  await page.getByRole('button', { name: /Go to this step/ }).waitFor();
  expect(await heading(page).textContent()).toBe('Step 3');
  expect(await dimmed()).toBe(0);
  await page.getByRole('button', { name: 'Next step' }).click();
  await heading(page).getByText('Step 4').waitFor();
  expect(await dimmed()).toBe(1);
});

it('names in its table the action that a reply has chosen, before it is executed', async () => {
  const lines: string[] = [];
  for await (const record of longTrace({ steps: 4, faults: 0 })) lines.push(formatRecord(record));
  const intent = lines.findLastIndex((line) => line.includes('"kind":"intent"'));
  const bytes = growingBytes(lines.slice(0, intent).join(''));
  const reader = await readerOf(bytes);
  const { page } = await open({ reader });
  await page.getByRole('button', { name: 'Show as table' }).click();
  const action = page
    .locator('tbody tr', { has: page.locator('td:first-child:text-is("3")') })
    .locator('.code');
  await expect.poll(() => action.locator('..').textContent()).toMatch(/^Move item_.* · not executed yet$/);
  bytes.append(lines.slice(intent).join(''));
  await reader.read();
  await harness?.change();
  await expect.poll(() => action.locator('..').textContent()).toMatch(/^Move item_\d+ shelf_\d+ shelf_\d+$/);
});

it('takes up again what it showed when it was hidden', async () => {
  const reader = await recorded(1_000);
  const first = await open({ reader });
  await heading(first.page).waitFor();
  await first.page.getByRole('button', { name: 'Show the running total' }).click();
  await first.page.locator('.graph').focus();
  for (const key of ['+', '+', '+', 'End']) await first.page.keyboard.press(key);
  await heading(first.page).getByText('Step 999').waitFor();
  const labels = await first.page.locator('.labels text').allTextContents();
  const remembered: unknown = first.remembered;
  await first.page.close();

  const second = await open({ reader, remembered });
  await heading(second.page).getByText('Step 999').waitFor();
  await expect.poll(() => second.page.locator('.labels text').allTextContents()).toEqual(labels);
  expect(
    await second.page.getByRole('button', { name: 'Show the running total' }).getAttribute('aria-pressed'),
  ).toBe('true');
});

it('tells of problems with their lines, and shows what can be read', async () => {
  const problems = [
    { line: 3, message: 'The line is not JSON.' },
    { line: 12_345, message: '<b>Record</b> 7 follows record 6, which is missing.' },
  ];
  const { page, actions } = await open({
    reader: await recorded(25),
    overview: { problems, problemsLeftOut: 40 },
  });
  await page.getByText('42 problems in this trace').click();
  await page.getByText('Line 12,345: <b>Record</b> 7').waitFor();
  await page.getByRole('button', { name: 'Open as Text' }).click();
  await expect.poll(() => actions).toEqual([{ kind: 'openText' }]);
  // Few are told at once.
  await harness?.change({ problems, problemsLeftOut: 0 });
  await page.getByText('2 problems in this trace').waitFor();
  await page.getByText('The line is not JSON.').waitFor();
  await heading(page).getByText('Step 0').waitFor();
});

it('says that it reads, that there is nothing, and what can not be shown', async () => {
  const reader = syntheticRun(3);
  const { page } = await open({ reader, overview: { complete: false, bytes: 100, bytesRead: 40 } });
  expect(await page.getByRole('progressbar', { name: 'Reading the trace' }).getAttribute('value')).toBe(
    '0.4',
  );
  await harness?.tell({ type: 'empty', message: 'Debug a skill to see its run here.' });
  await page.getByText('Debug a skill to see its run here.').waitFor();
  await page.close();

  const broken = {
    ...syntheticRun(3),
    step: async () => {
      throw new RangeError('The trace has lost step 0.');
    },
  };
  const next = await open({ reader: broken });
  await next.page.getByRole('alert').getByText('The trace has lost step 0.').waitFor();
});

it('shows of a step whose state is lost what is left, and says so where nothing passes a filter', async () => {
  const lines: string[] = [];
  for await (const record of longTrace({ steps: 12, faults: 0 })) lines.push(formatRecord(record));
  const { page } = await open({ reader: await readerOf(lines.slice(1).join('')) });
  await page.locator('.detail .error').getByText('the trace has lost').waitFor();
  await page.getByRole('button', { name: 'Open the reply of attempt 1' }).waitFor();
  await page.locator('.token-figures').waitFor();

  const filter = page.getByLabel('Steps shown');
  const notice = page.locator('.notice');
  const none = 'No step has a rejected reply.';
  await filter.selectOption('With rejections');
  await notice.getByText(none).waitFor();
  await page.getByRole('button', { name: 'Next step' }).click();
  await notice.getByText('There is no next step that passes the filter.').waitFor();
  await page.getByRole('button', { name: 'Show as table' }).click();
  await page.locator('.table').getByText(none).waitFor();
  await filter.selectOption('All steps');
  await page.locator('.table').getByText(none).waitFor({ state: 'hidden' });
  await notice.waitFor({ state: 'hidden' });
  await page.locator('tbody tr').first().waitFor();
});

it('names no step where there is none', async () => {
  const { page } = await open({ reader: await readerOf('') });
  await page.getByText('No step of this trace can be read.').waitFor();
  await page.locator('.graph').waitFor();
  expect(await page.locator('.labels text').allTextContents()).toEqual([]);
});

it.each(['highContrast', 'highContrastLight'] as const)(
  'has every part of the graph stand out from the ground by 3 to 1 in %s',
  async (theme) => {
    const { page } = await open({ reader: syntheticRun(1_000), theme });
    await page.locator('.graph[data-binned]').waitFor();
    const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    for (const fill of await fillsOf(page)) expect(contrast(String(fill), String(ground))).toBeGreaterThan(3);
    const stroke = await page.evaluate("getComputedStyle(document.querySelector('.peaks')).stroke");
    expect(contrast(String(stroke), String(ground))).toBeGreaterThan(3);
  },
);

/** The contrast of two opaque colours as the Web Content Accessibility Guidelines have it. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** @param colour `rgb(1, 2, 3)`, or `color(srgb 0.1 0.2 0.3)` as `color-mix()` gives it */
function luminance(colour: string): number {
  const scale = colour.startsWith('rgb') ? 255 : 1;
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
    const value = Number(part) / scale;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const markup = '<img src=x onerror="globalThis.hacked = true"><script>globalThis.hacked = true</script>';

it('shows hostile texts as what they are, and no more of them than there is room for', async () => {
  const patch = JSON.parse(`{"__proto__": {"polluted": 1}, ${JSON.stringify(markup)}: "x", "big": ""}`);
  patch.big = `\u202e${'A'.repeat(10_000_000)}`;
  const run = syntheticRun(5);
  const reader: TraceReader = {
    ...run,
    summary: (branch, step) => ({
      ...run.summary(branch, step),
      action: markup,
      changedKeys: [markup, '__proto__'],
    }),
    step: async (branch, step) => {
      const recordedStep = await run.step(branch, step);
      return {
        ...recordedStep,
        observation: `${markup}\u202e\u2066${'B'.repeat(1_000_000)}`,
        commits: recordedStep.commits.map((commit) => ({ ...commit, patch })),
        intent: recordedStep.intent && { ...recordedStep.intent, action: markup },
      };
    },
    stateAt: async () => ({}),
  };
  const { page, actions } = await open({
    reader,
    overview: { skill: markup, problems: [{ line: 1, message: markup }] },
  });
  await page.locator('.change', { hasText: '/__proto__/polluted' }).waitFor();
  await page.locator('.change .pointer', { hasText: '<img src=x onerror' }).waitFor();
  expect(await page.locator('img, script').count()).toBe(0);
  expect(await page.evaluate('[globalThis.hacked, ({}).polluted]')).toEqual([undefined, undefined]);
  const text = (await page.locator('body').textContent()) ?? '';
  expect(text.length).toBeLessThan(20_000);
  expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  await page.getByRole('button', { name: '… 10,000,003 characters: open' }).click();
  await expect
    .poll(() => actions)
    .toEqual([{ kind: 'openValue', branch: 0, step: 0, change: 2, side: 'after' }]);
  await page.getByRole('button', { name: 'Show as table' }).click();
  await page.locator('tbody tr', { hasText: markup }).first().waitFor();
  expect(await page.locator('img, script').count()).toBe(0);
});

const themes: readonly ThemeName[] = ['dark', 'light', 'highContrast', 'highContrastLight'];

it.each(themes)('has colours that can be told apart in the theme %s, and exports them', async (theme) => {
  const { page, actions } = await open({ reader: await recorded(100), theme });
  await heading(page).waitFor();
  const fills = await fillsOf(page);
  const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
  expect(new Set([...fills, background]).size).toBe(6);
  // Some themes have translucent colours, or leave some out.
  const others: unknown = await page.evaluate(`(() => {
    const refused = document.querySelector('.detail').appendChild(document.createElement('span'));
    refused.className = 'status refused';
    const line = document.querySelector('.total-line');
    return [getComputedStyle(line).stroke, getComputedStyle(refused, '::before').backgroundColor];
  })()`);
  const opaque: unknown = expect.stringMatching(/^rgb\(/);
  expect(others).toEqual([opaque, opaque]);
  await harness?.tell({ type: 'startExport', format: 'svg' });
  await expect.poll(() => actions).toEqual([{ kind: 'export', branch: 0, format: 'svg' }]);
  await harness?.tell({ type: 'takePicture', format: 'svg' });
  await harness?.tell({ type: 'takePicture', format: 'png' });
  await expect.poll(() => actions.length).toBe(3);
  const [svg, png] = actions.slice(1).map((action) => (action.kind === 'savePicture' ? action.data : ''));
  expect(svg).toMatch(/^<svg [\s\S]*<\/svg>$/);
  expect(svg).toContain('warehouse: tokens of each step');
  expect(svg).not.toMatch(/var\(|color\(|NaN/);
  const bytes = Buffer.from(png ?? '', 'base64');
  expect(bytes.subarray(1, 4).toString('latin1')).toBe('PNG');
  expect(bytes.readUInt32BE(16)).toBe(2 * (1100 + 32));
});

it.each([
  ['narrow', { width: 300, height: 800 }, 1],
  ['at 200 %', { width: 700, height: 450 }, 2],
  ['low', { width: 1200, height: 220 }, 1],
  ['low and narrow', { width: 360, height: 240 }, 1],
] as const)('has all its controls when it is %s', async (_name, size, zoom) => {
  const { page } = await open({
    reader: await recorded(100),
    size: { width: size.width / zoom, height: size.height / zoom },
  });
  await heading(page).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  for (const name of ['Zoom in', 'Show as table', 'Export…', 'Next step']) {
    const control = page.getByRole('button', { name });
    await control.scrollIntoViewIfNeeded();
    const box = await control.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(size.width / zoom);
  }
  const graph = await page.locator('.graph').boundingBox();
  expect(graph?.height).toBeGreaterThanOrEqual(60);
});

it('keeps still and keeps its colours where the system asks for it', async () => {
  const { page } = await open({ reader: await recorded(25) });
  await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active' });
  await heading(page).waitFor();
  expect(
    await page.evaluate("getComputedStyle(document.querySelector('.detail-content')).transitionDuration"),
  ).toBe('0s');
  const fills = await fillsOf(page);
  expect(new Set(fills).size).toBe(5);
});
