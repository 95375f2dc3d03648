/** The row of controls above graph and table. */
import {
  type BranchRow,
  isStepFilter,
  type RunOverview,
  type StepFilter,
} from '../../../schemas/messages/runPanelMessages';
import { button, element, setAttributes } from './elements';
import { type IconName, icon } from './icons';
import type { PageState } from './pageState';
import { count, counted } from './texts';

export interface ToolbarOptions {
  chooseBranch(branch: number): void;
  chooseFilter(filter: StepFilter): void;
  toggle(flag: 'table' | 'cumulative' | 'follow'): void;
  zoom(direction: 'in' | 'out' | 'fit'): void;
  export(): void;
}

const filters: Readonly<Record<StepFilter, string>> = {
  all: 'All steps',
  either: 'With rejections or warnings',
  rejections: 'With rejections',
  warnings: 'With warnings',
};

export class Toolbar {
  readonly root: HTMLElement;
  readonly #branch = element('select', { 'aria-label': 'Branch' });
  readonly #branchField: HTMLElement;
  readonly #filter = element('select', { 'aria-label': 'Steps shown' });
  readonly #toggles: Readonly<Record<'table' | 'cumulative' | 'follow', HTMLButtonElement>>;
  readonly #zoom: HTMLElement;
  #branches: readonly BranchRow[] = [];

  constructor(options: ToolbarOptions) {
    const iconButton = (label: string, name: IconName, act: () => void) =>
      button(label, act, { class: 'icon-button' }, icon(name));
    this.#branch.addEventListener('change', () => options.chooseBranch(Number(this.#branch.value)));
    this.#filter.append(
      ...Object.entries(filters).map(([value, text]) => element('option', { value }, text)),
    );
    this.#filter.addEventListener('change', () => {
      const { value } = this.#filter;
      if (isStepFilter(value)) options.chooseFilter(value);
    });
    this.#branchField = element('label', { class: 'field' }, element('span', {}, 'Branch'), this.#branch);
    this.#toggles = {
      table: iconButton('Show as table', 'table', () => options.toggle('table')),
      cumulative: iconButton('Show the running total', 'total', () => options.toggle('cumulative')),
      follow: iconButton('Follow the debug session', 'follow', () => options.toggle('follow')),
    };
    this.#zoom = element(
      'div',
      { class: 'group', role: 'group', 'aria-label': 'Zoom' },
      iconButton('Zoom out', 'zoomOut', () => options.zoom('out')),
      iconButton('Show all steps', 'fit', () => options.zoom('fit')),
      iconButton('Zoom in', 'zoomIn', () => options.zoom('in')),
    );
    this.root = element(
      'div',
      { class: 'toolbar', role: 'group', 'aria-label': 'Run' },
      this.#branchField,
      element('label', { class: 'field' }, this.#filter),
      element('span', { class: 'spring' }),
      this.#zoom,
      element(
        'div',
        { class: 'group' },
        this.#toggles.cumulative,
        this.#toggles.table,
        this.#toggles.follow,
        iconButton('Export…', 'share', options.export),
      ),
    );
  }

  update(state: PageState, { branches, session }: RunOverview): void {
    this.#showBranches(branches);
    this.#branch.value = String(state.branch);
    this.#branchField.hidden = branches.length < 2;
    this.#filter.value = state.filter;
    this.#zoom.hidden = state.table;
    this.#toggles.cumulative.hidden = state.table;
    this.#toggles.follow.hidden = session === undefined || session.state === 'ended';
    for (const flag of ['table', 'cumulative', 'follow'] as const)
      setAttributes(this.#toggles[flag], { 'aria-pressed': String(state[flag]) });
  }

  /** A list that somebody has open stays open while the run goes on: what is there is only said anew. */
  #showBranches(branches: readonly BranchRow[]): void {
    if (branches === this.#branches) return;
    this.#branches = branches;
    const { options } = this.#branch;
    for (const [index, branch] of branches.entries()) {
      const option = options[index] ?? this.#branch.appendChild(element('option', {}));
      const label = branchLabel(branch);
      option.value = String(branch.id);
      if (option.textContent !== label) option.textContent = label;
    }
    while (options.length > branches.length) options.remove(branches.length);
  }
}

function branchLabel({ id, parent, steps, changedSkill }: BranchRow): string {
  const origin =
    parent === undefined ? 'the original run' : `from step ${count(parent.step)} of branch ${parent.branch}`;
  const facts = [String(id), origin, counted(steps, 'step'), ...(changedSkill ? ['edited skill'] : [])];
  return facts.join(' · ');
}
