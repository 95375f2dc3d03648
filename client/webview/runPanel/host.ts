/** The page's end of the line to the extension. */
import {
  isPanelMessage,
  type PageAction,
  type PageAsk,
  type PageMessage,
  type PanelAnswer,
  type PanelMessage,
} from '../../../schemas/messages/runPanelMessages';
import { isCount, objectOf, oneOf } from '../../../schemas/messages/shape';

declare function acquireVsCodeApi(): {
  postMessage(message: PageMessage): void;
  getState(): unknown;
  setState(state: unknown): void;
};

type AnswerTo<Ask extends PageAsk> = Extract<PanelAnswer, { kind: Ask['kind'] }>;

/** An answer, whatever it says. */
const isAnyAnswer = objectOf({ type: oneOf('answer', 'refusal'), id: isCount });

/** Messages that aren't answers. */
export type Told = Exclude<PanelMessage, { type: 'answer' | 'refusal' }>;

export interface Host {
  /** Rejects with a message for the user. */
  ask<Ask extends PageAsk>(ask: Ask): Promise<AnswerTo<Ask>>;
  act(action: PageAction): void;
  ready(run: string | undefined): void;
  /** What the page remembers, across hiding and reloading. */
  readonly remembered: unknown;
  remember(state: unknown): void;
}

/** Who waits for an answer. */
interface Asked {
  resolve(answer: PanelAnswer): void;
  reject(error: Error): void;
}

const unreadable =
  "The trace has values here that can't be shown, such as numbers out of all bounds: open it as text.";

/** Connects once; `told` hears everything that was not asked for. */
export function connect(told: (message: Told) => void): Host {
  const vscode = acquireVsCodeApi();
  const open = new Map<number, Asked>();
  let next = 0;

  function settle(id: number, take: (asked: Asked) => void): void {
    const asked = open.get(id);
    open.delete(id);
    if (asked !== undefined) take(asked);
  }

  window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (!isPanelMessage(data)) {
      // Who asked must not wait for ever.
      if (isAnyAnswer(data)) settle(data.id, ({ reject }) => reject(new Error(unreadable)));
      return;
    }
    if (data.type !== 'answer' && data.type !== 'refusal') {
      told(data);
      return;
    }
    settle(data.id, ({ resolve, reject }) => {
      if (data.type === 'answer') resolve(data.answer);
      else reject(new Error(data.message));
    });
  });
  return {
    ask: <Ask extends PageAsk>(ask: Ask) =>
      new Promise<AnswerTo<Ask>>((resolve, reject) => {
        const id = next++;
        open.set(id, {
          resolve(answer) {
            if (isAnswerTo(ask, answer)) resolve(answer);
            else reject(new Error(`The answer is about ${answer.kind}, not ${ask.kind}.`));
          },
          reject,
        });
        vscode.postMessage({ type: 'ask', id, ask });
      }),
    act: (action) => vscode.postMessage({ type: 'act', action }),
    ready: (run) => vscode.postMessage({ type: 'ready', run }),
    remembered: vscode.getState(),
    remember: (state) => vscode.setState(state),
  };
}

function isAnswerTo<Ask extends PageAsk>(ask: Ask, answer: PanelAnswer): answer is AnswerTo<Ask> {
  return answer.kind === ask.kind;
}
