/** The selected step: what it saw, answered, wrote and did, with ways to open each of it. */
import {
  type PageAction,
  type StepDetail,
  sourceOfTokens,
  tokenParts,
} from '../../../../schemas/messages/runPanelMessages';
import { share, sourceText } from '../../../../schemas/text/spending';
import { button, element, excerpt, foreign } from '../elements';
import { icon } from '../icons';
import { count, counted, marked, partNames, retriedName, statusNames } from '../texts';
import { attemptList } from './attemptList';
import type { FetchBlame } from './blameList';
import { changeList } from './changeList';

export interface DetailOptions {
  act(action: PageAction): void;
  blame: FetchBlame;
  select(step: number): void;
  /** Steps by one, through those that pass the filter. */
  walk(direction: 'previous' | 'next'): void;
}

export class DetailView {
  readonly root: HTMLElement;
  readonly #options: DetailOptions;
  readonly #content = element('div', { class: 'detail-content' });
  #shown: { readonly branch: number; readonly step: number; readonly content: string } | undefined;

  constructor(options: DetailOptions) {
    this.#options = options;
    this.root = element(
      'section',
      { class: 'detail', 'aria-label': 'Selected step', tabindex: 0 },
      this.#content,
    );
    this.empty('Select a step to see what it saw, answered and wrote.');
  }

  empty(message: string): void {
    this.root.removeAttribute('aria-busy');
    this.#shown = undefined;
    this.#content.replaceChildren(element('p', { class: 'muted' }, message));
  }

  /** A step is on its way: what is shown of another one stays for as long, dimmed. Of the same one it is no news. */
  loading({ branch, step }: { readonly branch: number; readonly step: number }): void {
    if (this.#shown?.branch === branch && this.#shown.step === step) return;
    this.root.setAttribute('aria-busy', 'true');
  }

  failed(step: number, message: string): void {
    this.root.removeAttribute('aria-busy');
    this.#shown = undefined;
    this.#content.replaceChildren(
      element('h2', {}, `Step ${count(step)}`),
      element('p', { class: 'error', role: 'alert' }, foreign(message)),
    );
  }

  /** `here` where the debug session stands at this step, `leads` where it can be sent there. */
  show(detail: StepDetail, session: { readonly here: boolean; readonly leads: boolean }): void {
    this.root.removeAttribute('aria-busy');
    const { branch, step } = detail;
    const same = this.#shown?.branch === branch && this.#shown.step === step;
    const content = JSON.stringify([detail, session]);
    // What was opened in it stays open while the run goes on elsewhere.
    if (same && this.#shown?.content === content) return;
    this.#shown = { branch, step, content };
    const focused = this.#focusedName();
    this.#content.replaceChildren(
      this.#head(detail, session),
      this.#story(detail),
      this.#changes(detail),
      ...this.#troubles(detail),
      this.#tokens(detail),
    );
    if (!same) this.root.scrollTop = 0;
    if (focused !== undefined) this.#focusAgain(focused);
  }

  /** The name of the button that has the focus. */
  #focusedName(): string | undefined {
    const { activeElement } = document;
    return activeElement !== null && this.#content.contains(activeElement)
      ? nameOf(activeElement)
      : undefined;
  }

  /** The same button of the step that is shown now; where it has none, the focus doesn't leave for the page's start. */
  #focusAgain(name: string): void {
    const buttons = [...this.#content.querySelectorAll('button')];
    (buttons.find((one) => nameOf(one) === name) ?? this.root).focus({ preventScroll: true });
  }

  #head(
    { branch, step, row }: StepDetail,
    session: { readonly here: boolean; readonly leads: boolean },
  ): Node {
    const { act, walk } = this.#options;
    return element(
      'div',
      { class: 'detail-head' },
      element('h2', {}, `Step ${count(step)}`),
      element('span', { class: `status ${row.status}` }, statusNames[row.status]),
      session.here ? element('span', { class: 'badge' }, 'the session is here') : undefined,
      element('span', { class: 'spring' }),
      button('Previous step', () => walk('previous'), { class: 'icon-button' }, icon('previous')),
      button('Next step', () => walk('next'), { class: 'icon-button' }, icon('next')),
      session.leads && !session.here
        ? button('Go to this step', () => act({ kind: 'goTo', branch, step }), { class: 'primary' })
        : undefined,
      session.leads
        ? button(
            'Try this step: several answers of a model',
            () => act({ kind: 'tryStep', branch, step }),
            { class: 'secondary' },
            'Try…',
          )
        : undefined,
      button(
        'Compare Σ before and after',
        () => act({ kind: 'diff', branch, step }),
        { class: 'secondary' },
        'Compare Σ',
      ),
    );
  }

  /** Observation, action, outcome. */
  #story(detail: StepDetail): Node {
    const { branch, step, row, observation, action, chosen, outcome, edits } = detail;
    const { act } = this.#options;
    const open = (document: 'observation' | 'action' | 'outcome') => () =>
      act({ kind: 'open', branch, step, document, attempt: undefined });
    const list = element('dl', { class: 'story' });
    const add = (name: string, ...children: readonly (Node | string | undefined)[]) =>
      list.append(element('dt', {}, name), element('dd', {}, ...children));
    add(
      'Observation',
      excerpt(observation, { open: open('observation') }),
      ' ',
      button('Open observation', open('observation'), { class: 'link' }, 'open'),
    );
    add(
      'Action',
      action === undefined
        ? element(
            'span',
            { class: 'muted' },
            chosen === undefined ? undefined : excerpt(chosen, { attributes: { class: 'excerpt code' } }),
            chosen === undefined ? undefined : ' · ',
            row.status === 'running' ? 'not executed yet' : 'none',
          )
        : excerpt(action, { open: open('action'), attributes: { class: 'excerpt code' } }),
      ' ',
      action === undefined
        ? undefined
        : button(
            'Copy action',
            () => act({ kind: 'copy', branch, step, what: 'action' }),
            { class: 'link' },
            'copy',
          ),
    );
    if (outcome !== undefined) {
      const verdict = outcome.skipped ? 'skipped' : outcome.accepted ? 'accepted' : 'refused';
      add(
        'Outcome',
        element('span', { class: `status ${verdict}` }, verdict),
        outcome.done ? ' ' : undefined,
        outcome.done ? element('span', { class: 'badge' }, 'done') : undefined,
        ' · ',
        excerpt(outcome.observation, { open: open('outcome') }),
      );
    }
    for (const { target, pointer, value } of edits) {
      add(
        'Edited by hand',
        `${target} `,
        excerpt(pointer, { attributes: { class: 'excerpt code' } }),
        value === undefined ? ' deleted' : ' = ',
        value === undefined ? undefined : excerpt(value, { attributes: { class: 'excerpt code' } }),
      );
    }
    return list;
  }

  #changes(detail: StepDetail): Node {
    const { branch, step, changes, changesLeftOut, changesLost } = detail;
    const { act, blame, select } = this.#options;
    const title = element(
      'h3',
      {},
      'Σ',
      changesLost === undefined
        ? element('span', { class: 'muted' }, ` ${counted(changes.length + changesLeftOut, 'write')}`)
        : undefined,
      element('span', { class: 'spring' }),
      button(
        'Copy patch',
        () => act({ kind: 'copy', branch, step, what: 'patch' }),
        { class: 'link' },
        'copy patch',
      ),
    );
    if (changesLost !== undefined)
      return element('section', {}, title, element('p', { class: 'error' }, excerpt(changesLost)));
    if (changes.length === 0)
      return element('section', {}, title, element('p', { class: 'muted' }, 'Nothing was written.'));
    return element(
      'section',
      {},
      title,
      changeList(detail, { act, blame, select }),
      changesLeftOut === 0
        ? undefined
        : element(
            'p',
            { class: 'muted' },
            `${counted(changesLeftOut, 'more write')}: open the diff to see all.`,
          ),
    );
  }

  #troubles(detail: StepDetail): readonly Node[] {
    const { warnings, warningsLeftOut, attempts, attemptsLeftOut } = detail;
    const sections: Node[] = [
      element(
        'section',
        {},
        element(
          'h3',
          {},
          'Replies',
          element('span', { class: 'muted' }, ` ${counted(attempts.length + attemptsLeftOut, 'attempt')}`),
        ),
        attemptList(detail, this.#options.act),
        attemptsLeftOut === 0
          ? undefined
          : element('p', { class: 'muted' }, `${counted(attemptsLeftOut, 'more attempt')} left out.`),
      ),
    ];
    if (warnings.length === 0) return sections;
    sections.push(
      element(
        'section',
        {},
        element('h3', {}, 'Warnings'),
        element(
          'ul',
          { class: 'plain' },
          ...warnings.map(({ class: name, message, pointer }) => {
            // Most messages name it.
            const place = pointer === undefined || message.text.includes(pointer.text) ? undefined : pointer;
            return element(
              'li',
              {},
              element('span', { class: 'badge warning' }, name),
              ' ',
              excerpt(message),
              place === undefined ? undefined : ' ',
              place === undefined ? undefined : excerpt(place, { attributes: { class: 'excerpt code' } }),
            );
          }),
        ),
        warningsLeftOut === 0
          ? undefined
          : element('p', { class: 'muted' }, `${counted(warningsLeftOut, 'more warning')} left out.`),
      ),
    );
    return sections;
  }

  #tokens({ row }: StepDetail): Node {
    const { tokens, prompt, cached, thinking, cost, before, beforeEstimated } = row;
    const list = element('dl', { class: 'figures' });
    const add = (name: string, value: string, part?: string) =>
      list.append(
        element(
          'dt',
          {},
          part === undefined ? undefined : element('span', { class: `swatch ${part}` }),
          name,
        ),
        element('dd', {}, value),
      );
    for (const part of tokenParts) add(partNames[part], count(tokens[part]), part);
    if (tokens.retried > 0) add(retriedName, count(tokens.retried), 'retried');
    if (cached > 0) add('cached', `${count(cached)} (${share(cached, prompt)} of the prompt)`);
    if (thinking > 0) add('thinking', count(thinking));
    add('all', marked(tokens.spent, tokens.estimated));
    add('so far', marked(before + tokens.spent, beforeEstimated + tokens.estimated));
    if (cost !== undefined) add('cost', cost);
    const counted = sourceText(sourceOfTokens(tokens), tokens.estimated, tokens.byExtension);
    const note = tokens.estimated === 0 ? `${counted}; the split of the prompt is estimated` : counted;
    return element(
      'section',
      { class: 'token-figures' },
      element('h3', {}, 'Tokens', element('span', { class: 'muted' }, ` ${note}`)),
      list,
    );
  }
}

function nameOf(button: Element): string {
  return button.getAttribute('aria-label') ?? button.textContent ?? '';
}
