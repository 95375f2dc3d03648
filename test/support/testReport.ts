/**
 * How the tests inside VS Code tell their results: one line of JSON a result on the extension host's console, behind
 * a prefix, since in a served VS Code the page's console is all that comes out.
 */

export const reportPrefix = '##skill-state-test## ';

export type TestReport =
  | { readonly event: 'pass'; readonly title: string; readonly milliseconds: number }
  | { readonly event: 'fail'; readonly title: string; readonly reason: string }
  | { readonly event: 'skip'; readonly title: string }
  | { readonly event: 'end' };

/** How many tests of a level did what. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Which tests failed and why, to be said once more at the end. */
  readonly failures?: readonly string[];
}

/** Reads one line of console output, which may be anybody's. */
export function parseReport(line: string): TestReport | undefined {
  const start = line.indexOf(reportPrefix);
  if (start < 0) return undefined;
  // Consoles may put an address after the text.
  const text = line.slice(start + reportPrefix.length);
  try {
    return JSON.parse(text.slice(0, text.lastIndexOf('}') + 1)) as TestReport;
  } catch {
    return { event: 'fail', title: 'report', reason: `cut report line: ${text}` };
  }
}

/** Collects reports, printing each, until the end or a deadline. */
export class ReportCollector {
  #passed = 0;
  #failed = 0;
  #skipped = 0;
  readonly #failures: string[] = [];
  #finish: (() => void) | undefined;
  /** Settles with the last report. */
  readonly ended = new Promise<void>((resolve) => {
    this.#finish = resolve;
  });

  /** Takes a line; says whether it was a report. */
  accept(line: string): boolean {
    const report = parseReport(line);
    if (!report) return false;
    switch (report.event) {
      case 'pass':
        this.#passed++;
        console.log(`  ✓ ${report.title} (${report.milliseconds} ms)`);
        break;
      case 'fail':
        this.#failed++;
        this.#failures.push(`${report.title}\n${report.reason.replace(/^/gm, '      ')}`);
        console.log(`  ✗ ${this.#failures.at(-1)}`);
        break;
      case 'skip':
        this.#skipped++;
        console.log(`  - ${report.title}`);
        break;
      case 'end':
        this.#finish?.();
        break;
    }
    return true;
  }

  /** The counts so far. */
  get counts(): TestCounts {
    const failures = [...this.#failures];
    return { passed: this.#passed, failed: this.#failed, skipped: this.#skipped, failures };
  }
}
