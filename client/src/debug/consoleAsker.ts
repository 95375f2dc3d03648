/** Asks a person in the debug console, for the manual model and the manual environment: the next input is the answer. */
import type { Asker, Question } from '../runtime/asker';

/** The input that says there is nothing more to answer, as Ctrl-D does at a terminal. */
const endOfAnswers = ':end';

interface Waiting {
  readonly question: Question;
  readonly answer: (text: string | undefined) => void;
}

export class ConsoleAsker implements Asker {
  readonly #show: (question: Question) => void;
  readonly #waiting: Waiting[] = [];

  /** @param show puts a question on the console, when its turn comes */
  constructor(show: (question: Question) => void) {
    this.#show = show;
  }

  /** Whether the next input is an answer. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  ask(question: Question, signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = () => {
        const at = this.#waiting.indexOf(waiting);
        if (at >= 0) this.#waiting.splice(at, 1);
        signal.removeEventListener('abort', abort);
      };
      const abort = () => {
        leave();
        reject(signal.reason);
      };
      const waiting: Waiting = {
        question,
        answer: (text) => {
          leave();
          resolve(text);
          const next = this.#waiting[0];
          if (next) this.#show(next.question);
        },
      };
      signal.addEventListener('abort', abort);
      this.#waiting.push(waiting);
      if (this.#waiting.length === 1) this.#show(question);
    });
  }

  /** Takes a console input as the answer to what was asked first; false where nothing was asked. */
  answer(input: string): boolean {
    const first = this.#waiting[0];
    if (first === undefined) return false;
    first.answer(input.trim() === endOfAnswers ? undefined : input);
    return true;
  }
}

/** The lines of a question: its title, what it is about, and how to answer. */
export function questionLines(question: Question): {
  readonly title: string;
  readonly about: string;
  readonly how: string;
} {
  if (question.kind === 'reply') {
    return {
      title: question.title,
      about: question.prompt,
      how: `Type the model's whole reply here, with Shift+Enter between lines; ${endOfAnswers} when there is none.`,
    };
  }
  return {
    title: question.title,
    about: '',
    how: `Type the observation here, with Shift+Enter between lines; "Error: …" refuses the action, ${endOfAnswers} ends the episode.`,
  };
}
