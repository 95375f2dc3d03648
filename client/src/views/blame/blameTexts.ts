/** How a write to a value reads in a list. Free of VS Code. */
import { oneLine } from '../../../../schemas/text/oneLine';
import { printableLine } from '../../../../schemas/text/printable';

/** A write, as the debug adapter or a trace tells it. */
export interface ToldWrite {
  readonly step: number;
  readonly attempt?: number | undefined;
  readonly by: 'model' | 'environment' | 'user' | 'initial';
  readonly change: string;
  /** The value that it left, as JSON; undefined where that is gone. */
  readonly value?: string | undefined;
  readonly action?: string | undefined;
  readonly observation?: string | undefined;
  readonly confirmed: boolean;
  readonly proposedSince?: number | undefined;
}

export interface WriteTexts {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

const length = 160;

const authors: Readonly<Record<ToldWrite['by'], string>> = {
  model: 'the model',
  environment: 'the environment',
  user: 'you',
  initial: 'the initial state',
};

/** What was done, where the word of the trace isn't the one to say. */
const changes: Readonly<Record<string, string>> = {
  members: 'written into',
  same: 'written again, unchanged,',
  evicted: 'moved or dropped by eviction',
  'array-united': 'array united with others',
  'array-appended': 'appended to',
};

/** A write as an item of a quick pick, each part on one line. */
export function describeWrite(write: ToldWrite): WriteTexts {
  const { step, attempt, by, change, value, action, observation, confirmed, proposedSince } = write;
  const what = (Object.hasOwn(changes, change) ? changes[change] : undefined) ?? change.replaceAll('-', ' ');
  const from = [
    ...(action === undefined ? [] : [`action ${cut(action)}`]),
    ...(observation === undefined || observation === '' ? [] : [`from “${cut(oneLine(observation))}”`]),
  ];
  const since = proposedSince === undefined ? '' : ` since step ${proposedSince}`;
  return {
    label:
      by === 'initial'
        ? 'Initial state'
        : `Step ${step}${attempt === undefined || attempt === 1 ? '' : `, attempt ${attempt}`}: ${what} by ${authors[by]}`,
    description: `${value === undefined ? 'gone' : cut(value)}${confirmed ? '' : ` (proposed${since})`}`,
    detail: from.join(' · '),
  };
}

function cut(text: string): string {
  const line = printableLine(text);
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
