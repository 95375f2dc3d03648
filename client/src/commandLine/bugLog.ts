/** Mistakes in the debugger itself, on stderr: a client of the debug adapter gets no more than their message. */
import type { Writable } from 'node:stream';
import type { DebugHost } from '../debug/debugHost';
import { stackText } from '../hosts/node/stackText';

/** A client that started this may never read what stands on stderr, and a full pipe would stop the adapter. */
const mostBugs = 10;

/** Writes mistakes in the debugger itself, the first ones, for those who mend it. */
export function bugLog(stderr: Writable): NonNullable<DebugHost['onBug']> {
  let count = 0;
  return (error, during) => {
    if (++count <= mostBugs) stderr.write(`skill-state: A bug, ${during}: ${stackText(error)}\n`);
  };
}
