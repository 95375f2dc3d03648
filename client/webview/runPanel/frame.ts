/** What stands around graph and table: problems of the trace above, sums and progress below. */
import {
  type BranchRow,
  type RunOverview,
  sourceOfTokens,
  tokenParts,
} from '../../../schemas/messages/runPanelMessages';
import { share, sourceText } from '../../../schemas/text/spending';
import { button, element, foreign, svgElement } from './elements';
import { count, counted, marked, partNames, peakName, retriedName } from './texts';

/** The colours' meaning. The stripes of retries are drawn as in the graph. */
export function legend(): HTMLElement {
  return element(
    'div',
    { class: 'legend', 'aria-hidden': 'true' },
    ...tokenParts.map((part) =>
      element(
        'span',
        { class: 'legend-entry' },
        element('span', { class: `swatch ${part}` }),
        partNames[part],
      ),
    ),
    element('span', { class: 'legend-entry' }, element('span', { class: 'swatch retried' }), retriedName),
    // Shown where bars are of several steps.
    element(
      'span',
      { class: 'legend-entry legend-peak' },
      element('span', { class: 'swatch peak' }),
      peakName,
    ),
    element('span', { class: 'legend-entry' }, mark('rejected', 'M-3 -3L3 3M3 -3L-3 3'), 'rejected'),
    element('span', { class: 'legend-entry' }, mark('warned', 'M0 -3.5L3.5 3H-3.5z'), 'warning'),
  );
}

function mark(kind: string, d: string): SVGElement {
  return svgElement(
    'svg',
    { class: 'graph-drawing legend-mark', viewBox: '-5 -5 10 10' },
    svgElement('path', { class: `mark ${kind}`, d }),
  );
}

/** So many problems are shown at once. */
const unfoldedProblems = 3;

/** What is wrong with the trace, with line numbers. */
export class Banner {
  readonly root = element('div', { class: 'banner', role: 'alert', hidden: true });
  readonly #openText: () => void;
  #told = '';

  constructor(openText: () => void) {
    this.#openText = openText;
  }

  update({ problems, problemsLeftOut, branches }: RunOverview): void {
    // Where there is nothing else to see, or little to read, nobody has to unfold it.
    const isOpen =
      problems.length + problemsLeftOut <= unfoldedProblems || branches.every(({ steps }) => steps === 0);
    const told = JSON.stringify([problems, problemsLeftOut, isOpen]);
    if (told === this.#told) return;
    this.#told = told;
    this.root.hidden = problems.length === 0;
    const total = problems.length + problemsLeftOut;
    const items = problems.map(({ line, message }) =>
      element('li', {}, line === undefined ? '' : `Line ${count(line)}: `, foreign(message)),
    );
    const [first] = items;
    this.root.replaceChildren(
      ...(items.length === 1 && first !== undefined
        ? [element('ul', { class: 'plain' }, first)]
        : [
            element(
              'details',
              { open: isOpen },
              element(
                'summary',
                {},
                `${counted(total, 'problem')} in this trace: what can be read is shown.`,
              ),
              element('ul', {}, ...items),
              problemsLeftOut === 0
                ? undefined
                : element('p', {}, `${counted(problemsLeftOut, 'more problem')} left out.`),
            ),
          ]),
      button('Open as Text', this.#openText, { class: 'link' }),
    );
  }
}

/** What a run has used: tokens with who counted them, shares of cache and thinking, cost. */
function spendingFacts(spending: BranchRow['spending']): readonly string[] {
  if (spending === undefined) return [];
  const { spent, estimated, byExtension, prompt, cached, thinking, cost } = spending;
  const source = sourceOfTokens(spending);
  // That a tokenizer estimated all of them, their mark says.
  const isTold = source === 'mixed' || byExtension > 0;
  return [
    `${marked(spent, estimated)} tokens${isTold ? ` (${sourceText(source, estimated, byExtension)})` : ''}`,
    ...(cached > 0 ? [`${share(cached, prompt)} of the prompts cached`] : []),
    ...(thinking > 0 ? [`${count(thinking)} thinking`] : []),
    ...(cost === undefined ? [] : [`cost ${cost}`]),
  ];
}

/** The run in a line, and how far the trace has been read. */
export class StatusLine {
  readonly root: HTMLElement;
  readonly #text = element('span', {});
  readonly #keys = element('span', { id: 'graph-keys', class: 'muted keys' });
  readonly #progress = element('progress', { max: 1, 'aria-label': 'Reading the trace', hidden: true });

  constructor() {
    this.root = element(
      'div',
      { class: 'status-line' },
      this.#text,
      this.#progress,
      element('span', { class: 'spring' }),
      this.#keys,
    );
  }

  update(overview: RunOverview, branch: BranchRow | undefined): void {
    const { skill, model, environment, complete, bytes, bytesRead, session } = overview;
    const facts = [
      counted(branch?.steps ?? 0, 'step'),
      ...(skill === undefined ? [] : [skill]),
      ...(model === undefined ? [] : [`model ${model}`]),
      ...(environment === undefined ? [] : [`environment ${environment}`]),
      ...(session === undefined ? [] : [`session ${session.state}`]),
      ...(branch?.end === undefined ? [] : [branch.end]),
      ...spendingFacts(branch?.spending),
    ];
    const parts = facts.flatMap((fact, index) => [index === 0 ? '' : ' · ', foreign(fact)]);
    this.#text.replaceChildren(...parts);
    // Without a session there is nowhere to go.
    const leads = session !== undefined && session.state !== 'ended';
    this.#keys.textContent = `← → step · ${leads ? 'Enter go there · ' : ''}+ − 0 zoom · drag, wheel`;
    this.#progress.hidden = complete;
    this.#progress.value = bytes === 0 ? 0 : bytesRead / bytes;
  }
}
