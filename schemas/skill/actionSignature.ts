/** Action signatures: the commands that a skill's instructions declare, and the check of an action against them. */
import type { Range } from '../text/position';

export { parseActions } from './actionList';
export { matchAction } from './actionMatch';

/** One argument of an action; `rest` (written `<text...>`) takes what remains of the line. */
export interface ActionParameter {
  readonly name: string;
  readonly rest: boolean;
}

/** A declared action, such as `Store <item_id> <empty_shelf_id>` (command) or `Commit(branch, file)` (call). */
export interface ActionSignature {
  readonly name: string;
  readonly form: 'command' | 'call';
  readonly parameters: readonly ActionParameter[];
  /** The code span's text, as written. */
  readonly text: string;
  /** The file it stands in, relative to the skill's folder: `SKILL.md` or an included file. */
  readonly file: string;
  /** Where the code span's text stands in that file. */
  readonly range: Range;
}

/** An action that fits a signature, with its arguments in the order of the parameters. */
export interface MatchedAction {
  readonly signature: ActionSignature;
  readonly arguments: readonly string[];
}

export type ActionMatch =
  | ({ readonly ok: true } & MatchedAction)
  | { readonly ok: false; readonly message: string };
