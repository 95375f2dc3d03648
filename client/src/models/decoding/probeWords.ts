/** How encodings and what came of a probe read. */
import type { Encoding } from '../modelSettings';
import type { ProbeOutcome } from './probe';
import { type DroppedKeyword, maxReasoning, maxWordLength } from './replyConstraint';
import { asciiShare } from './replyGrammar';
import { maxItems, maxPatternLength, maxTextLength } from './shapeGrammar';
import { maxKeyLength } from './stringTexts';

export const encodingWords: Readonly<Record<Encoding, string>> = {
  free: 'as the prompt asks, held to nothing',
  'json-schema': 'one JSON object by a schema, reasoning first',
  operations: 'one JSON object by a schema, the patch as a list of set and delete',
  grammar: 'prose and the fenced block as the prompt asks, by a grammar',
};

export const outcomeWords: Readonly<Record<ProbeOutcome, string>> = {
  enforced: 'kept to it',
  ignored: 'took it, and did not keep to it',
  refused: 'refused it',
  unanswered: 'did not answer',
};

/** So many keywords stand in the sentence about them, and so many are listed below one; a probe shows all. */
const namedKeywords = 3;
const listedKeywords = 20;

/** How a model is held to the format of a run's replies, for the run's beginning: lines to be shown one below the other. */
export function decodingRemarks(
  { encoding, explanation }: { readonly encoding: Encoding; readonly explanation: string },
  dropped: readonly DroppedKeyword[],
): readonly string[] {
  const held = `Decoding: ${encoding} (${encodingWords[encoding]}). ${explanation}`;
  const lines = [held, ...boundsWords(encoding)];
  if (encoding === 'free' || dropped.length === 0) return lines;
  const { sentence, keywords } = droppedWords(encoding, dropped);
  if (keywords.length <= namedKeywords) return [...lines, `${sentence}: ${keywords.join('; ')}.`];
  const listed = keywords.slice(0, listedKeywords).map((keyword) => `- ${keyword}`);
  const more = keywords.length - listed.length;
  const rest = more > 0 ? [`- and ${more} more, which \`skill-state models probe --skill\` lists`] : [];
  return [...lines, `${sentence}:`, ...listed, ...rest];
}

/** What a model can't write under an encoding though the runtime would take it: a sentence, or none. */
export function boundsWords(encoding: Encoding): readonly string[] {
  if (encoding !== 'grammar') return [];
  const count = (value: number | undefined): string => (value ?? 0).toLocaleString('en-US');
  const bounds = [
    `texts have ${count(maxTextLength)} characters (by a pattern ${count(maxPatternLength)})`,
    `keys ${maxKeyLength}`,
    `words of an action ${maxWordLength}`,
    `lists ${count(maxItems[0])} items (fewer inside of others)`,
    `thoughts ${count(maxReasoning * asciiShare)} characters, or what max tokens leaves if a token is a byte`,
  ];
  const others =
    'Maps get as many keys at once as can be told apart, and no line of thoughts begins with ```.';
  return [`Where nothing else bounds them, ${bounds.join(', ')}. ${others}`];
}

/** What of a skill a model isn't held to while it writes: a sentence, and a line for each keyword. */
export function droppedWords(
  encoding: Encoding,
  dropped: readonly DroppedKeyword[],
): { readonly sentence: string; readonly keywords: readonly string[] } {
  if (encoding === 'free') {
    const sentence =
      'The model is held to nothing of the skill while it writes; replies are checked as always.';
    return { sentence, keywords: [] };
  }
  if (dropped.length === 0)
    return { sentence: 'The model is held to all of the state schema while it writes.', keywords: [] };
  return {
    sentence: 'Not held to while it writes, and checked afterwards as always',
    keywords: dropped.map(({ pointer, keyword, reason }) => `${pointer || '(root)'}: ${keyword} ${reason}`),
  };
}
