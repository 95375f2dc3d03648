/** What the page remembers of itself while it is hidden and after VS Code was reloaded. */
import { isStepFilter } from '../../../schemas/messages/runPanelMessages';
import {
  type Guarded,
  isCount,
  isFiniteNumber,
  isFlag,
  isText,
  objectOf,
  optional,
} from '../../../schemas/messages/shape';

const isPageState = objectOf({
  run: optional(isText),
  branch: isCount,
  step: optional(isCount),
  view: optional(objectOf({ from: isFiniteNumber, to: isFiniteNumber })),
  filter: isStepFilter,
  table: isFlag,
  cumulative: isFlag,
  follow: isFlag,
});
export type PageState = Guarded<typeof isPageState>;

export const firstState: PageState = {
  run: undefined,
  branch: 0,
  step: undefined,
  view: undefined,
  filter: 'all',
  table: false,
  cumulative: false,
  follow: true,
};

/** The state that was remembered, as far as this version of the page understands it. */
export function restoredState(remembered: unknown): PageState {
  return isPageState(remembered) ? remembered : firstState;
}
