/** Which runs are offered to be compared: the present one's branches, and the workspace's traces. Free of VS Code. */
import { wholeNumber } from '../../../../schemas/text/spending';
import { fileName } from '../documents/traceDocument';

/** A run of a trace; of which branch is asked for where it is left out. */
export interface ChosenRun {
  readonly trace: string;
  readonly branch?: number;
}

export interface RunChoice {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly place: ChosenRun;
}

export interface RunChoicesOptions {
  /** The run that is looked at. */
  readonly current:
    | {
        readonly trace: string;
        readonly branches: readonly { readonly id: number; readonly steps: number }[];
        readonly ended: boolean;
      }
    | undefined;
  /** The traces of the workspace. */
  readonly found: readonly { readonly trace: string; readonly relative: string }[];
  /** The trace that is open in the active editor, which is offered first. */
  readonly open: string | undefined;
  /** The run that is on the other side already. */
  readonly other: ChosenRun | undefined;
}

/** A line for each, what is most likely meant first. */
export function runChoices({ current, found, open, other }: RunChoicesOptions): readonly RunChoice[] {
  const branches = (current?.branches ?? []).flatMap(({ id, steps }): RunChoice[] => {
    if (current === undefined || (other?.trace === current.trace && other.branch === id)) return [];
    return [
      {
        label: `Branch ${id} of the ${current.ended ? 'latest' : 'present'} run`,
        description: `${wholeNumber(steps)} ${steps === 1 ? 'step' : 'steps'}`,
        detail: fileName(current.trace),
        place: { trace: current.trace, branch: id },
      },
    ];
  });
  const traces = found
    .filter(({ trace }) => trace !== current?.trace)
    .map(({ trace, relative }): RunChoice => {
      const label = fileName(trace);
      return { label, ...(relative !== label && { description: relative }), place: { trace } };
    });
  const isOpen = ({ place }: RunChoice) => place.trace === open && place.trace !== other?.trace;
  return [...traces.filter(isOpen), ...branches, ...traces.filter((choice) => !isOpen(choice))];
}
