/** Whether a word is a name with a slip of the pen in it, and not just another word. */
import { nearestName } from '../../../../schemas/text/nearestName';

/** The parts of `open_tickets`, `openTickets` and `open-tickets`, in lower case. */
export function nameParts(name: string): string[] {
  return name
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .split(/[_\s-]+/)
    .filter((part) => part !== '');
}

/** Shorter words have too many neighbours. */
const minPart = 4;
const minSingle = 6;
/** Below that one letter makes another word: `content` and `context`. */
const minReplaced = 8;

/** True where a word hardly means anything but a name. Numbers that differ, and singular and plural, are no slips. */
export function isSlipOf(word: string, name: string): boolean {
  if (word === name || Math.abs(word.length - name.length) > 3) return false;
  // `WebFetch` is a tool or a class beside a field `web_fetch`.
  if (/^\p{Lu}[\p{L}\p{N}]*$/u.test(word) && /^\p{Ll}/u.test(name)) return false;
  if (isConstant(word) !== isConstant(name) || word.startsWith('$') !== name.startsWith('$')) return false;
  const written = nameParts(word);
  const meant = nameParts(name);
  const isCompound = meant.length > 1;
  if (written.join('') === meant.join(''))
    return isCompound && written.length > 0 && word.length >= minSingle;
  if (written.length !== meant.length) return false;
  if (!isCompound && (word.length < minSingle || name.length < minSingle)) return false;
  if (!isCompound && (word[0] !== name[0] || word !== word.toLowerCase() || name !== name.toLowerCase()))
    return false;
  return written.every((part, index) => {
    const other = meant[index] ?? '';
    if (part === other) return true;
    if (part.replace(/\d/g, '') === other.replace(/\d/g, '')) return false;
    if (stem(part) === stem(other) || Math.min(part.length, other.length) < minPart) return false;
    if (part.startsWith(other) || other.startsWith(part))
      return isCompound && Math.abs(part.length - other.length) === 1;
    return isCompound ? nearestName(part, [other]) === other : isOneSlip(part, other);
  });
}

/** Below that two real words may differ by no more: `form` and `from`. */
const minShort = 5;

/**
 * True for a slip in a word that is too short for {@link isSlipOf}: two neighbouring letters swapped, or one doubled. By
 * a letter that is missing or another many short words differ.
 */
export function isShortSlipOf(word: string, name: string): boolean {
  if (Math.min(word.length, name.length) < minShort || !/^\p{Ll}+$/u.test(word + name)) return false;
  if (word[0] !== name[0] || word === name) return false;
  let start = 0;
  while (start < name.length && word[start] === name[start]) start++;
  if (word.length === name.length + 1)
    return word[start] === word[start - 1] && word.slice(start + 1) === name.slice(start);
  return (
    word.length === name.length &&
    word[start] === name[start + 1] &&
    word[start + 1] === name[start] &&
    word.slice(start + 2) === name.slice(start + 2)
  );
}

/** `LIKE_THIS`, as variables of environments are written. */
function isConstant(word: string): boolean {
  return /^[\p{Lu}\p{N}_$]+$/u.test(word);
}

/** One character too many, too few, wrong, or two that are swapped. */
function isOneSlip(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length === 1 && right.length === 1) return a.length >= minReplaced;
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}

/** A word without the ending of a plural. */
export function stem(word: string): string {
  if (/(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (/ies$/.test(word)) return `${word.slice(0, -3)}y`;
  return word.replace(/s$/, '');
}
