/** How the status bar names a model. Free of VS Code. */
import type { ChosenModel } from '../../hosts/chosenModel';
import { shortened } from '../../runtime/quotation';

/** Characters of a name that the status bar has room for. */
const room = 40;

/**
 * The texts of the status bar item, its tooltip, and for screen readers.
 *
 * @param chosen undefined where none was chosen
 * @param running the model of the session that is looked at
 */
export function describeModel(
  chosen: ChosenModel | undefined,
  running: string | undefined,
): { readonly label: string; readonly tooltip: string; readonly spoken: string } {
  const next =
    chosen === undefined
      ? 'scripted where the environment has a policy, else manual'
      : `${chosen.model}${chosen.baseUrl === undefined ? '' : ` at ${chosen.baseUrl}`}`;
  const shown = running ?? chosen?.model ?? 'automatic';
  return {
    // A name could have what the status bar takes for an icon.
    label: `$(hubot) ${shortened(shown, room).replaceAll('$(', '$ (')}`,
    tooltip: [
      ...(running === undefined ? [] : [`Model of this run: ${running}`]),
      `Model of the next run, where launch.json names none: ${next}`,
      'Click to choose another one',
    ].join('\n'),
    spoken: running === undefined ? `Skill model: ${shown}` : `Model of the running skill: ${shown}`,
  };
}
