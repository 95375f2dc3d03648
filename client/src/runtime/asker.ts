/** How a person, or a file in a person's place, answers for the manual model and the manual environment. */

/** What is wanted: the model's reply to a prompt, or the observation that an action led to. */
export type Question =
  | {
      readonly kind: 'reply';
      /** One line for the person who answers. */
      readonly title: string;
      /** t, from 0. */
      readonly step: number;
      /** 1 for the first attempt of a step. */
      readonly attempt: number;
      readonly prompt: string;
    }
  | {
      readonly kind: 'observation';
      readonly title: string;
      /** t of the observation O_t that is asked for. */
      readonly step: number;
      /** a_{t−1}; undefined for O_0, and after a step without action. */
      readonly action: string | undefined;
    };

export interface Asker {
  /** Gives undefined when there are no more answers. Rejects with the signal's reason once that is aborted. */
  ask(question: Question, signal: AbortSignal): Promise<string | undefined>;
}

/** Sends each question to the asker of its kind. */
export function createAskerByKind(askers: Readonly<Record<Question['kind'], Asker>>): Asker {
  return { ask: (question, signal) => askers[question.kind].ask(question, signal) };
}

/**
 * Gives one answer after the other, whatever the question.
 *
 * @param options.startAt How many answers an earlier part of the run has used, where a run is resumed; a function is
 * asked with the first question.
 */
export function createQueueAsker(
  answers: readonly string[],
  { startAt = 0 }: { readonly startAt?: number | (() => number) } = {},
): Asker {
  let next: number | undefined;
  return {
    async ask(_question, signal) {
      signal.throwIfAborted();
      next ??= typeof startAt === 'number' ? startAt : startAt();
      return answers[next++];
    },
  };
}

/** A file of answers, or the one line that says where it is wrong: `replies.jsonl:3: …`. */
export type ParsedAnswers =
  | { readonly ok: true; readonly answers: readonly string[] }
  | { readonly ok: false; readonly message: string };

/**
 * Reads a file of answers: one JSON string a line, blank lines ignored, line ends LF or CRLF, a byte order mark allowed.
 *
 * @param path Only names the file in the message.
 */
export function parseAnswers(text: string, path: string): ParsedAnswers {
  const answers: string[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const answer = parseString(line);
    if (answer === undefined) {
      const message = `${path}:${index + 1}: expected one JSON string, such as "Success: Waited.\\nNext event.".`;
      return { ok: false, message };
    }
    answers.push(answer);
  }
  return { ok: true, answers };
}

function parseString(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
