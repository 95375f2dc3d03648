/** How the status bar names a model. Free of VS Code. */
import { type ChosenModel, modelText } from '../../hosts/chosenModel';
import { shortened } from '../../runtime/quotation';

/** Characters of a name that the status bar has room for, and of the host where that isn't the provider's own. */
const room = { name: 40, host: 30 };

/**
 * The texts of the status bar item, its tooltip, and for screen readers.
 *
 * @param chosen undefined where none was chosen
 * @param running the model of the session that is looked at
 */
export function describeModel(
  chosen: ChosenModel | undefined,
  running: ChosenModel | undefined,
): { readonly label: string; readonly tooltip: string; readonly spoken: string } {
  const next =
    chosen === undefined ? 'scripted where the environment has a policy, else manual' : modelText(chosen);
  const shown = running ?? chosen ?? { model: 'automatic' };
  const host = hostOf(shown);
  const place = host === undefined ? '' : ` at ${shortened(host, room.host)}`;
  return {
    // A name could have what the status bar takes for an icon.
    label: `$(hubot) ${`${shortened(shown.model, room.name)}${place}`.replaceAll('$(', '$ (')}`,
    tooltip: [
      ...(running === undefined ? [] : [`Model of this run: ${modelText(running)}`]),
      `Model of the next run, where launch.json names none: ${next}`,
      'Click to choose another one',
    ].join('\n'),
    spoken: `${running === undefined ? 'Skill model' : 'Model of the running skill'}: ${shown.model}${place}`,
  };
}

/** The host of a server that isn't the provider's own, with its port. */
function hostOf({ baseUrl }: ChosenModel): string | undefined {
  if (baseUrl === undefined) return undefined;
  return /^https?:\/\/([^\s/?#]+)/i.exec(baseUrl)?.[1] ?? baseUrl;
}
