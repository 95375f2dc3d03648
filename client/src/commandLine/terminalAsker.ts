/** Asks the person at the terminal for what the manual model and the manual environment need. */
import { createInterface, type Interface } from 'node:readline';
import { printable } from '../../../schemas/text/printable';
import type { Asker, Question } from '../runtime/asker';
import { orAborted } from '../runtime/orAborted';
import type { Terminal } from './terminal';

export interface TerminalAsker extends Asker {
  /** Lets go of the terminal's input. */
  close(): void;
}

/**
 * An answer is what is typed up to a line that holds a single full stop; end of input (Ctrl-D) means there are no
 * more answers. Questions go to stderr, so that stdout stays what was asked for.
 */
export function createTerminalAsker(terminal: Terminal): TerminalAsker {
  let lines: Interface | undefined;
  let iterator: AsyncIterator<string> | undefined;

  async function nextLine(signal: AbortSignal): Promise<string | undefined> {
    lines ??= createInterface({ input: terminal.stdin, crlfDelay: Number.POSITIVE_INFINITY });
    iterator ??= lines[Symbol.asyncIterator]();
    const next = await orAborted(iterator.next(), signal);
    return next.done ? undefined : next.value;
  }

  return {
    async ask(question, signal) {
      terminal.stderr.write(printable(`${questionText(question)}\n`));
      const answer: string[] = [];
      for (;;) {
        const line = await nextLine(signal);
        if (line === undefined) return answer.length > 0 ? answer.join('\n') : undefined;
        if (line === '.') return answer.join('\n');
        answer.push(line);
      }
    },
    close() {
      lines?.close();
    },
  };
}

function questionText(question: Question): string {
  const how = 'End with a line that holds only a full stop; Ctrl-D when there is nothing more.';
  if (question.kind === 'observation') {
    // Before the first action there is nothing to refuse.
    const refusal = question.action === undefined ? '' : 'Begin with "Error:" to refuse the action. ';
    return `\n${question.title}\n${refusal}${how}`;
  }
  return `\n${question.title}\n${'-'.repeat(60)}\n${question.prompt}\n${'-'.repeat(60)}\n${how}`;
}
