/** The warehouse's actions: reading an action's text, and carrying it out in a world or refusing it. */
import { shortened } from '../../runtime/quotation';
import { type Item, itemName, parseItem, parseShelf, type Shelf, shelfName } from './names';
import type { Shelves } from './shelves';

export const actionSignatures = [
  'Store <item_id> <empty_shelf_id>',
  'Ship <item_id> <shelf_id>',
  'Move <item_id> <old_shelf_id> <new_shelf_id>',
  'Wait',
] as const;

/** The agent's world: what stands on the shelves, and what has arrived and waits at the dock to be stored. */
export interface World {
  readonly shelves: Shelves;
  readonly dock: Set<Item>;
}

export type WarehouseAction =
  | { readonly kind: 'store'; readonly item: Item; readonly shelf: Shelf }
  | { readonly kind: 'ship'; readonly item: Item; readonly shelf: Shelf }
  | { readonly kind: 'move'; readonly item: Item; readonly from: Shelf; readonly to: Shelf }
  | { readonly kind: 'wait' };

/** What became of an action: `result` is the line that the next observation begins with. */
export type ActionResult =
  | { readonly accepted: true; readonly action: WarehouseAction; readonly result: string }
  | { readonly accepted: false; readonly result: string };

/**
 * Carries an action out, or refuses it and changes nothing. Of several reasons to refuse the first of these is told:
 * unknown action, unknown shelf, occupied, not on the shelf, has not arrived.
 */
export function perform(text: string, world: World): ActionResult {
  const { shelves, dock } = world;
  const command = text.trim();
  const [name, ...args] = /[\r\n]/.test(command) ? [] : command.split(/[ \t]+/);
  const [itemText = '', firstShelf = '', secondShelf = ''] = args;
  // A name that no item can have stands for an item that is nowhere.
  const item = parseItem(itemText) ?? Number.NaN;

  switch (`${name}/${args.length}`) {
    case 'Store/2': {
      const shelf = parseShelf(firstShelf);
      if (shelf === undefined) return unknownShelf(firstShelf);
      const occupant = shelves.itemOn(shelf);
      if (occupant !== undefined) return occupied(shelf, occupant);
      if (!dock.delete(item)) return refused(`${onOneLine(itemText)} has not arrived`);
      shelves.put(item, shelf);
      return done({ kind: 'store', item, shelf }, `Stored ${itemName(item)} on ${shelfName(shelf)}`);
    }
    case 'Ship/2': {
      const shelf = parseShelf(firstShelf);
      if (shelf === undefined) return unknownShelf(firstShelf);
      if (shelves.itemOn(shelf) !== item) return notOn(itemText, shelf);
      shelves.clear(shelf);
      return done({ kind: 'ship', item, shelf }, `Shipped ${itemName(item)} from ${shelfName(shelf)}`);
    }
    case 'Move/3': {
      const from = parseShelf(firstShelf);
      if (from === undefined) return unknownShelf(firstShelf);
      const to = parseShelf(secondShelf);
      if (to === undefined) return unknownShelf(secondShelf);
      const occupant = shelves.itemOn(to);
      if (occupant !== undefined) return occupied(to, occupant);
      if (shelves.itemOn(from) !== item) return notOn(itemText, from);
      shelves.clear(from);
      shelves.put(item, to);
      return done(
        { kind: 'move', item, from, to },
        `Moved ${itemName(item)} from ${shelfName(from)} to ${shelfName(to)}`,
      );
    }
    case 'Wait/0':
      return done({ kind: 'wait' }, 'Waited');
    default:
      return refused(`unknown action "${onOneLine(text)}"`);
  }
}

function done(action: WarehouseAction, what: string): ActionResult {
  return { accepted: true, action, result: `Success: ${what}.` };
}

function refused(reason: string): ActionResult {
  return { accepted: false, result: `Error: ${reason}.` };
}

function unknownShelf(name: string): ActionResult {
  return refused(`unknown shelf ${onOneLine(name)}`);
}

function occupied(shelf: Shelf, occupant: Item): ActionResult {
  return refused(`${shelfName(shelf)} is occupied by ${itemName(occupant)}`);
}

function notOn(item: string, shelf: Shelf): ActionResult {
  return refused(`${onOneLine(item)} is not on ${shelfName(shelf)}`);
}

const longestQuote = 200;

/** A text as given, unless it would break the line or the bound of O: line breaks become spaces, a long text is cut. */
export function onOneLine(text: string): string {
  return shortened(text.replace(/[\r\n]+/g, ' '), longestQuote);
}
