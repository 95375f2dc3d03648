/** Foreign text inside our messages: quoted on one line, and never at length. */

/** Cuts a text to at most `max` UTF-16 units, an ellipsis included and surrogate pairs whole. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 2);
  const isHighSurrogate = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, isHighSurrogate ? max - 2 : max - 1)}…`;
}

/** A text as a JSON string of at most about `max` characters: `"shelf_3"`. */
export function quoted(text: string, max = 60): string {
  return JSON.stringify(shortened(text, max));
}

/** `one`, `one and two`, `one, two and three`; beyond `max` items it says how many more there are. */
export function listed(items: readonly string[], conjunction: 'and' | 'or', max = 10): string {
  const shown = items.slice(0, max);
  if (items.length > max) shown.push(`${items.length - max} more`);
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} ${conjunction} ${last}`;
}

/** `1 key`, `2 keys`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
