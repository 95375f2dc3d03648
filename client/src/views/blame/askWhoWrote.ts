/** The list of who wrote a value, newest first; it fills while older writes are still being looked for. */
import * as vscode from 'vscode';
import { describeWrite, type ToldWrite } from './blameTexts';

/** How many writes are listed; who looks further back filters the Steps tree. */
const maxListed = 500;

/** Milliseconds between updates of the list. */
const updateDelay = 100;

type Item = vscode.QuickPickItem & { readonly write: ToldWrite | undefined };

/**
 * Lists writes until one is chosen or the list is closed.
 *
 * @param value as the title names it: `state.inventory.shelf_3`
 * @param writes newest first; the list stops asking for them when it is closed
 * @returns the chosen write
 */
export function askWhoWrote(value: string, writes: AsyncIterable<ToldWrite>): Promise<ToldWrite | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = `Who Wrote ${value}`;
  pick.placeholder = 'Newest first. Choose a step to go there.';
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.busy = true;
  pick.show();
  let isOpen = true;
  const fill = async () => {
    const items: Item[] = [];
    let shown = 0;
    for await (const write of writes) {
      if (!isOpen) return;
      items.push({ ...describeWrite(write), write });
      // The newest one is there at once.
      if (items.length > 1 && Date.now() - shown < updateDelay) continue;
      shown = Date.now();
      pick.items = items;
      if (items.length >= maxListed) break;
    }
    if (!isOpen) return;
    pick.items = items.length > 0 ? items : [nothing];
    pick.busy = false;
  };
  return new Promise((resolve) => {
    fill().catch((error: unknown) => {
      if (!isOpen) return;
      pick.hide();
      void vscode.window.showErrorMessage(
        `Who wrote ${value} can't be told: ${error instanceof Error ? error.message : String(error)}`,
      );
    });
    pick.onDidAccept(() => {
      const [chosen] = pick.selectedItems;
      // Who is faster than the first answer goes on waiting.
      if (chosen === undefined) return;
      resolve(chosen.write);
      pick.hide();
    });
    pick.onDidHide(() => {
      isOpen = false;
      resolve(undefined);
      pick.dispose();
    });
  });
}

const nothing: Item = { label: 'Nobody has written it yet.', write: undefined };
