/** The Σ diff of a step: a line for each path that was written, and under it, when asked, who wrote it before. */
import type { PageAction, StateChangeRow, StepDetail } from '../../../../schemas/messages/runPanelMessages';
import { button, element, excerpt } from '../elements';
import { counted } from '../texts';
import { blameList, type FetchBlame } from './blameList';

export interface ChangeListOptions {
  act(action: PageAction): void;
  blame: FetchBlame;
  select(step: number): void;
}

/** A sign and a word for each kind: colour alone says nothing here. */
const kinds: Readonly<Record<StateChangeRow['kind'], { readonly sign: string; readonly word: string }>> = {
  added: { sign: '+', word: 'added' },
  changed: { sign: '~', word: 'changed' },
  deleted: { sign: '−', word: 'deleted by null' },
  replaced: { sign: '⇄', word: 'array replaced' },
  appended: { sign: '⊕', word: 'array merged' },
  unchanged: { sign: '=', word: 'unchanged' },
};

const authors: Readonly<Record<StateChangeRow['by'], string | undefined>> = {
  model: undefined,
  environment: 'by the environment',
  user: 'by hand',
};

/** A line for each write, in the order in which they happened. */
export function changeList(detail: StepDetail, options: ChangeListOptions): HTMLElement {
  return element(
    'ul',
    { class: 'changes plain' },
    ...detail.changes.map((change, index) => changeItem(detail, change, index, options)),
  );
}

function changeItem(
  { branch, step }: StepDetail,
  change: StateChangeRow,
  index: number,
  { act, blame, select }: ChangeListOptions,
): HTMLElement {
  const { sign, word } = kinds[change.kind];
  const author = authors[change.by];
  const place = { branch, step, change: index };
  const value = (side: 'before' | 'after') => {
    const text = change[side];
    if (text === undefined) return undefined;
    return excerpt(text, {
      open: () => act({ kind: 'openValue', ...place, side }),
      attributes: { class: `excerpt code ${side}` },
    });
  };
  const history = element('div', { class: 'history', hidden: true });
  const who = button('Who wrote this?', () => toggleHistory(), {
    class: 'link who',
    'aria-expanded': 'false',
  });
  function toggleHistory(): void {
    const opens = history.hidden;
    history.hidden = !opens;
    who.setAttribute('aria-expanded', String(opens));
    if (opens) blameList(history, { branch, step, change: index }, { blame, select });
  }
  const before = value('before');
  const after = value('after');
  return element(
    'li',
    { class: `change ${change.kind}` },
    element(
      'div',
      { class: 'change-line' },
      element('span', { class: 'sign', title: word, role: 'img', 'aria-label': word }, sign),
      excerpt(change.pointer, { attributes: { class: 'excerpt code pointer' } }),
      change.items === undefined
        ? undefined
        : element(
            'span',
            { class: 'muted' },
            `${change.items.before.toLocaleString('en-US')} → ${counted(change.items.after, 'item')}`,
          ),
      element(
        'span',
        { class: 'values' },
        before,
        before !== undefined && after !== undefined
          ? element('span', { class: 'arrow', 'aria-label': 'became' }, ' → ')
          : undefined,
        after,
      ),
      author === undefined ? undefined : element('span', { class: 'badge' }, author),
      who,
    ),
    history,
  );
}
