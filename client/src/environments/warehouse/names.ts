/** Names of the warehouse's shelves and items: `shelf_0` to `shelf_499`, `item_0` and up. */

/** A shelf's number, from 0 to {@link shelfCount} − 1. */
export type Shelf = number;
/** An item's number, in order of arrival from 0. */
export type Item = number;

export const shelfCount = 500;

export function shelfName(shelf: Shelf): string {
  return `shelf_${shelf}`;
}

export function itemName(item: Item): string {
  return `item_${item}`;
}

/** `shelf_42` gives 42. Names of no shelf, such as `shelf_500`, `shelf_007` and `Shelf_1`, give undefined. */
export function parseShelf(name: string): Shelf | undefined {
  const shelf = numberAfter('shelf_', name);
  return shelf !== undefined && shelf < shelfCount ? shelf : undefined;
}

/** `item_12` gives 12. What no item can be called gives undefined. */
export function parseItem(name: string): Item | undefined {
  return numberAfter('item_', name);
}

function numberAfter(prefix: string, name: string): number | undefined {
  if (!name.startsWith(prefix)) return undefined;
  const digits = name.slice(prefix.length);
  return /^(0|[1-9]\d{0,14})$/.test(digits) ? Number(digits) : undefined;
}
