/** What a bar is made of, beside it. It says nothing that the table and the selected step don't say too. */
import { type GraphBin, type StepRow, tokenParts } from '../../../../schemas/messages/runPanelMessages';
import { element, foreign } from '../elements';
import { count, counted, marked, notExecuted, partNames, retriedName, statusNames } from '../texts';

export interface Tooltip {
  readonly root: HTMLElement;
  /** Shows a bar's figures above a place of the graph. */
  show(bin: GraphBin, place: { readonly x: number; readonly y: number; readonly width: number }): void;
  /** Adds what is known of a step whose bar is shown. */
  explain(bin: GraphBin, row: StepRow): void;
  hide(): void;
}

const width = 230;

/** Hidden at first; places are pixels in the graph. */
export function createTooltip(): Tooltip {
  const root = element('div', { class: 'tooltip', 'aria-hidden': 'true', hidden: true });
  let shown: GraphBin | undefined;
  return {
    root,
    show(bin, { x, y, width: available }) {
      if (shown !== bin) root.replaceChildren(...figures(bin));
      shown = bin;
      root.hidden = false;
      root.style.left = `${Math.max(4, Math.min(x + 10, available - width - 8))}px`;
      root.style.top = `${Math.max(4, y - 30)}px`;
    },
    explain(bin, row) {
      if (shown !== bin) return;
      const head = root.querySelector('.tooltip-more');
      head?.replaceChildren(
        ...(row.action === undefined ? [] : [foreign(row.action, { class: 'code' })]),
        ...(row.chosen === undefined
          ? []
          : [foreign(row.chosen, { class: 'code' }), ` · ${notExecuted(row)}`]),
        element(
          'div',
          {},
          [
            statusNames[row.status],
            ...row.rejections,
            ...row.warnings,
            ...(row.edited ? ['edited by hand'] : []),
          ].join(' · '),
        ),
      );
    },
    hide() {
      root.hidden = true;
      shown = undefined;
    },
  };
}

function figures(bin: GraphBin): readonly Node[] {
  const steps = bin.to - bin.from;
  const title = steps === 1 ? `Step ${count(bin.from)}` : `Steps ${count(bin.from)} – ${count(bin.to - 1)}`;
  const list = element('dl', {});
  const add = (name: string, tokens: number, part = '') =>
    list.append(
      element('dt', {}, element('span', { class: `swatch ${part}` }), name),
      element('dd', {}, count(tokens / steps)),
    );
  for (const part of [...tokenParts].reverse())
    if (bin.tokens[part] > 0) add(partNames[part], bin.tokens[part], part);
  if (bin.tokens.retried > 0) add(retriedName, bin.tokens.retried, 'retried');
  const notes = [
    ...(bin.tokens.estimated === 0 && bin.tokens.spent > 0 ? ['the parts are estimated'] : []),
    ...(steps > 1 ? [`mean of ${counted(steps, 'step')}, at most ${count(bin.peak)}`] : []),
    ...(bin.rejections > 0 ? [counted(bin.rejections, 'rejected reply', 'rejected replies')] : []),
    ...(bin.refused > 0 ? [`${counted(bin.refused, 'step')} not accepted`] : []),
    ...(bin.warnings > 0 ? [counted(bin.warnings, 'warning')] : []),
    ...(bin.forks > 0 ? [`${counted(bin.forks, 'branch', 'branches')} from here`] : []),
  ];
  return [
    element(
      'div',
      { class: 'tooltip-title' },
      `${title}: ${marked(bin.tokens.spent / steps, bin.tokens.estimated)} tokens`,
    ),
    element('div', { class: 'tooltip-more' }),
    list,
    ...notes.map((note) => element('div', { class: 'muted' }, note)),
  ];
}
