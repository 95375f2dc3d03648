/** Sees to it that started processes end with this one, however it ends: even killed, or stopped in the middle of a test. */
import { type ChildProcess, spawn } from 'node:child_process';

/** Reads `+pid` and `-pid` lines, and at the end of its input, which our end brings about, kills what is left. */
const guard = `
const alive = new Set();
let rest = '';
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) alive[line[0] === '+' ? 'add' : 'delete'](Number(line.slice(1)));
}).on('close', () => {
  for (const pid of alive) try { process.kill(pid, 'SIGKILL'); } catch (error) { if (error.code !== 'ESRCH') throw error; }
});`;

let tell: ((line: string) => void) | undefined;

/** From now on this process's end is the child's, too. */
export function endWithUs(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  tell ??= startGuard();
  tell(`+${pid}\n`);
  child.once('exit', () => tell?.(`-${pid}\n`));
}

function startGuard(): (line: string) => void {
  // A worker of a test runner that was killed would go on alone.
  if (process.connected) process.once('disconnect', () => process.exit(1));
  // In a group of its own: Ctrl-C in a terminal ends a whole group.
  const child = spawn(process.execPath, ['-e', guard], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  child.unref();
  const { stdin } = child;
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return (line) => {
    stdin.write(line);
  };
}
