/** Who wrote a path before, newest first, each with a way to its step. */
import type { BlameRow } from '../../../../schemas/messages/runPanelMessages';
import { button, element, excerpt, foreign } from '../elements';

export type FetchBlame = (place: {
  readonly branch: number;
  readonly step: number;
  readonly change: number;
}) => Promise<{ readonly entries: readonly BlameRow[]; readonly complete: boolean }>;

/** Fills `target` with the history of a written path. */
export function blameList(
  target: HTMLElement,
  place: Parameters<FetchBlame>[0],
  options: { readonly blame: FetchBlame; select(step: number): void },
): void {
  target.replaceChildren(
    element('p', { class: 'muted', role: 'status' }, 'Looking through the steps before…'),
  );
  options.blame(place).then(
    ({ entries, complete }) => {
      target.replaceChildren(
        element('ol', { class: 'plain blame' }, ...entries.map((entry) => blameItem(entry, options.select))),
        ...(complete ? [] : [element('p', { class: 'muted' }, 'Older writes are left out.')]),
      );
    },
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      target.replaceChildren(element('p', { class: 'error', role: 'alert' }, foreign(message)));
    },
  );
}

function blameItem(entry: BlameRow, select: (step: number) => void): HTMLElement {
  const { step, attempt, by, change, value, action, observation, confirmed } = entry;
  const where =
    step === undefined
      ? element('span', {}, 'Σ_0')
      : button(`Step ${step}`, () => select(step), { class: 'link' });
  return element(
    'li',
    {},
    where,
    ` ${[attempt === undefined || attempt === 1 ? '' : `attempt ${attempt}`, by, change].filter((word) => word !== '').join(', ')} `,
    value === undefined ? undefined : excerpt(value, { attributes: { class: 'excerpt code' } }),
    confirmed ? undefined : element('span', { class: 'badge warning' }, 'not confirmed'),
    observation === undefined || observation.text === ''
      ? undefined
      : element('div', { class: 'muted' }, 'saw ', excerpt(observation)),
    action === undefined
      ? undefined
      : element(
          'div',
          { class: 'muted' },
          'did ',
          excerpt(action, { attributes: { class: 'excerpt code' } }),
        ),
  );
}
