/** The words of `metadata` values that name files, actions or environments, and where they stand. */
import { normalizeRelativePath } from '../../../../schemas/skill/fileMentions';
import type { SkillDocument } from '../../../../schemas/skill/skillDocument';

/** A word as it is written, with its offsets. */
export interface MetadataWord {
  readonly key: string;
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** The keys whose words name files. */
const fileKeys: ReadonlySet<string> = new Set(['state-schema', 'initial-state', 'include']);

/** The words of one key of `metadata`; of a path that is one value, the whole value. */
export function wordsOfMetadata(document: SkillDocument, key: string): readonly MetadataWord[] {
  const node = document.source?.properties?.get('metadata')?.node.properties?.get(key)?.node;
  if (node === undefined || typeof node.value !== 'string') return [];
  const written = document.text.slice(node.start, node.end);
  if (key !== 'include' && key !== 'terminal-actions') {
    const inner = node.value.trim();
    const at = inner === '' ? -1 : written.indexOf(inner);
    const start = node.start + at;
    return at < 0 ? [] : [{ key, word: inner, start, end: start + inner.length }];
  }
  return [...written.matchAll(/[^\s"']+/g)].map(({ 0: word, index }) => {
    const start = node.start + index;
    return { key, word, start, end: start + word.length };
  });
}

/** The files that `metadata` names, by paths inside the folder. */
export function filesInMetadata(
  document: SkillDocument,
): readonly (MetadataWord & { readonly path: string })[] {
  return [...fileKeys].flatMap((key) =>
    wordsOfMetadata(document, key).flatMap((word) => {
      const path = normalizeRelativePath(word.word);
      return path === undefined ? [] : [{ ...word, path }];
    }),
  );
}
