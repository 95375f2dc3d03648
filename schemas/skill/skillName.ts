/** Names after the Agent Skills standard. */

const maxNameLength = 64;

/** Letters that are no Latin letter with a mark. */
const latin: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ı', 'i'],
]);

/** A name after the standard: `My Skill_2` becomes `my-skill-2`. Undefined where nothing is left of it. */
export function kebabCase(name: string): string | undefined {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1-$2')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => latin.get(letter) ?? '')
    .match(/[a-z0-9]+/g);
  if (words === null) return undefined;
  const joined = words.join('-');
  if (joined.length <= maxNameLength) return joined;
  const cut = joined.slice(0, maxNameLength + 1).replace(/-[^-]*$/, '');
  return (cut.length <= maxNameLength ? cut : joined.slice(0, maxNameLength)).replace(/-+$/, '');
}

/** True for a name as the standard wants it. */
export function isStandardName(name: string): boolean {
  return name.length <= maxNameLength && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);
}
