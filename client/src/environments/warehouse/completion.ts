/** Completion of the warehouse's actions at a terminal: what would be accepted in the world as it is. */
import { actionSignatures, type World } from './actions';
import { itemName, parseItem, type Shelf, shelfCount, shelfName } from './names';

/** Alternatives beyond so many are no help at a terminal. */
const mostAlternatives = 20;

/** Actions, or beginnings of actions up to the end of a word, that start with what was typed. */
export function completeAction(typed: string, world: World): readonly string[] {
  const words = typed.trimStart().split(/[ \t]+/);
  const beginning = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const lines: string[] = [];
  for (const { word, last } of nextWords(before, world)) {
    if (!word.startsWith(beginning)) continue;
    lines.push([...before, last ? word : `${word} `].join(' '));
    if (lines.length === mostAlternatives) break;
  }
  return lines;
}

interface NextWord {
  readonly word: string;
  /** True where the action is complete with it. */
  readonly last: boolean;
}

function* nextWords(before: readonly string[], world: World): Generator<NextWord> {
  const [name, itemText, shelfText] = before;
  if (name === undefined) {
    for (const signature of actionSignatures) {
      const [word = '', ...parameters] = signature.split(' ');
      yield { word, last: parameters.length === 0 };
    }
    return;
  }
  const moves = name === 'Move';
  if (itemText === undefined) {
    if (name === 'Store') for (const item of world.dock) yield { word: itemName(item), last: false };
    if (name === 'Ship' || moves) {
      for (const [, item] of world.shelves.occupied()) yield { word: itemName(item), last: false };
    }
    return;
  }
  if (shelfText === undefined && (name === 'Ship' || moves)) {
    const shelf = world.shelves.shelfOf(parseItem(itemText) ?? Number.NaN);
    if (shelf !== undefined) yield { word: shelfName(shelf), last: !moves };
    return;
  }
  if ((name === 'Store' && shelfText === undefined) || (moves && before.length === 3)) {
    for (const shelf of emptyShelves(world)) yield { word: shelfName(shelf), last: true };
  }
}

function* emptyShelves(world: World): Generator<Shelf> {
  for (let shelf = 0; shelf < shelfCount; shelf++) {
    if (world.shelves.itemOn(shelf) === undefined) yield shelf;
  }
}
