/** Waiting on VS Code's events, each with a deadline that says what didn't happen. */
import type * as vscode from 'vscode';

/** Milliseconds that anything a test waits for may take: many times what a busy machine takes. */
const deadline = 120_000;
/** Milliseconds between looks: not everything has an event, an extension's activation for one. */
const lookInterval = 100;

/**
 * Waits until a condition holds, looking at once, after each of the events, and now and then between them.
 *
 * @param what what is awaited, for the message of a failure
 * @param look gives the awaited value, or undefined while there is none
 */
export function until<T>(
  what: string,
  events: readonly vscode.Event<unknown>[],
  look: () => T | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let subscriptions: vscode.Disposable[] = [];
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      clearInterval(interval);
      for (const subscription of subscriptions) subscription.dispose();
      settle();
    };
    const timer = setTimeout(
      () => finish(() => reject(new Error(`${what}: not within ${deadline / 1000} s`))),
      deadline,
    );
    const check = () => {
      try {
        const found = look();
        if (found !== undefined) finish(() => resolve(found));
      } catch (error) {
        finish(() => reject(error));
      }
    };
    const interval = setInterval(check, lookInterval);
    subscriptions = events.map((event) => event(check));
    check();
  });
}

/** Gives a promise a deadline. */
export async function within<T>(what: string, promise: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${deadline / 1000} s`)), deadline);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Asks until an answer is accepted: providers of other processes come when they are ready.
 *
 * @param accept gives what is awaited, or undefined where the answer isn't it yet
 */
export async function untilAnswered<Answer, T>(
  what: string,
  ask: () => PromiseLike<Answer>,
  accept: (answer: Answer) => T | undefined,
): Promise<T> {
  const end = Date.now() + deadline;
  for (;;) {
    const answer = await within(what, ask());
    const accepted = accept(answer);
    if (accepted !== undefined) return accepted;
    if (Date.now() > end)
      throw new Error(`${what}: not within ${deadline / 1000} s; the last answer: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, lookInterval));
  }
}
