/** The tests inside VS Code: bundled with Mocha, loaded by the extension host, told of on its console. */
import Mocha from 'mocha';
import { reportPrefix, type TestReport } from '../support/testReport';

/** Milliseconds that one test may take, the start of its session included; each of its waits has a deadline of its own. */
const testDeadline = 600_000;

/** VS Code calls this once; a rejection makes its process end with an error. */
export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'bdd', timeout: testDeadline, reporter: class {} as never });
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  await import('./suites');
  const failures = await new Promise<number>((resolve) => {
    const runner = mocha.run(resolve);
    runner.on('pass', (test) =>
      tell({ event: 'pass', title: test.fullTitle(), milliseconds: test.duration ?? 0 }),
    );
    runner.on('pending', (test) => tell({ event: 'skip', title: test.fullTitle() }));
    runner.on('fail', (test, error) =>
      tell({ event: 'fail', title: test.fullTitle(), reason: error.stack ?? String(error) }),
    );
  });
  tell({ event: 'end' });
  if (failures > 0) throw new Error(`${failures} tests failed`);
}

function tell(report: TestReport): void {
  console.log(reportPrefix + JSON.stringify(report));
}
