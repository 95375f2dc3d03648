/**
 * Asks a person, for the manual model and the manual environment: the next input of the debug console is the answer, unless
 * a client that shows questions otherwise sends one before.
 */
import type { QuestionBody, QuestionClosedBody } from '../../../schemas/messages/questionMessages';
import type { Asker, Question } from '../runtime/asker';

/** The input that says there is nothing more to answer, as Ctrl-D does at a terminal. */
const endOfAnswers = ':end';

interface Waiting {
  readonly id: number;
  readonly question: Question;
  readonly answer: (text: string | undefined) => void;
}

/** Who is told of questions. */
export interface QuestionListener {
  /** A question's turn has come. */
  onAsked(question: Question, id: number): void;
  /** A question that was asked waits no longer. */
  onClosed(closed: QuestionClosedBody): void;
}

export class ConsoleAsker implements Asker {
  readonly #listener: QuestionListener;
  readonly #waiting: Waiting[] = [];
  #asked = 0;

  constructor(listener: QuestionListener) {
    this.#listener = listener;
  }

  /** Whether the next input is an answer. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  ask(question: Question, signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = (how: QuestionClosedBody['how']) => {
        const at = this.#waiting.indexOf(waiting);
        if (at >= 0) this.#waiting.splice(at, 1);
        signal.removeEventListener('abort', abort);
        if (at !== 0) return;
        this.#listener.onClosed({ id: waiting.id, how });
        const next = this.#waiting[0];
        if (next) this.#listener.onAsked(next.question, next.id);
      };
      const abort = () => {
        leave('withdrawn');
        reject(signal.reason);
      };
      const waiting: Waiting = {
        id: ++this.#asked,
        question,
        answer: (text) => {
          leave('answered');
          resolve(text);
        },
      };
      signal.addEventListener('abort', abort);
      this.#waiting.push(waiting);
      if (this.#waiting.length === 1) this.#listener.onAsked(question, waiting.id);
    });
  }

  /** Whether a question is the one that waits. */
  waitsFor(id: number): boolean {
    return this.#waiting[0]?.id === id;
  }

  /** Takes an input as the answer to what was asked first; false where nothing was asked. */
  answer(input: string): boolean {
    const first = this.#waiting[0];
    if (first === undefined) return false;
    first.answer(input.trim() === endOfAnswers ? undefined : input);
    return true;
  }
}

/** A question as clients are told of it. */
export function questionBody(question: Question, id: number): QuestionBody {
  const { kind, title, step } = question;
  const body = { id, kind, title, step, attempt: undefined, prompt: undefined, refusable: undefined };
  if (kind === 'observation') return { ...body, refusable: question.action !== undefined };
  return { ...body, attempt: question.attempt, prompt: question.prompt };
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
      how: `Type the model's whole reply here, with Shift+Enter between lines, or send it from the editor that opened for it; ${endOfAnswers} when there is none. Pause to see the state and the observation under Variables.`,
    };
  }
  // Without an action there is nothing to refuse; without a first observation, no episode to end.
  const refusal = question.action === undefined ? [] : ['"Error: …" refuses the action'];
  const end =
    question.action === undefined && question.step === 0 ? [] : [`${endOfAnswers} ends the episode`];
  const rules = [...refusal, ...end].join(', ');
  return {
    title: question.title,
    about: '',
    how: `Type the observation here, with Shift+Enter between lines${rules === '' ? '' : `; ${rules}`}.`,
  };
}
