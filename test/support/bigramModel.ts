/**
 * A language model of random quality for llama.cpp: the chance of each byte after the one before it, as counted in some
 * texts. It writes pronounceable nonsense with honest probabilities.
 */
import { type GgufTensor, type GgufValue, writeGguf } from './ggufFile';

/** Each byte is a token, and these come after them. */
const special = { endOfText: 256, start: 257, end: 258 };
const vocabularySize = 259;
/** Room for a direction of its own for each token. */
const width = 288;
/**
 * Attention gives nothing, but is computed over the whole prompt for every token: as narrow as it may be, it takes a
 * tenth of the time of one head in every 32 numbers of the width.
 */
const headWidth = 16;
const feedForwardWidth = 32;

export interface BigramOptions {
  /** The chance that a reply ends after any byte; with 0 it goes on until something stops it. */
  readonly endChance?: number;
  /** Whether a character beyond ASCII begins after each byte by a good chance, also such as make no UTF-8. */
  readonly isWide?: boolean;
}

/** Writes the model of these texts to a GGUF file. */
export function writeBigramModel(
  path: string,
  texts: readonly Uint8Array[],
  { endChance = 0.01, isWide = false }: BigramOptions = {},
): void {
  writeGguf(path, metadata(), tensors(chances(countPairs(texts, isWide), endChance, isWide)));
}

/** How often which byte comes after which, among those of ASCII or all. */
function countPairs(texts: readonly Uint8Array[], isWide: boolean): readonly Float64Array[] {
  const end = isWide ? 256 : 127;
  const counts = Array.from({ length: vocabularySize }, () => new Float64Array(vocabularySize));
  for (const text of texts) {
    let before: number = vocabularySize;
    for (const byte of text) {
      const row = before < end && byte < end ? counts[before] : undefined;
      if (row) row[byte] = (row[byte] ?? 0) + 1;
      before = byte;
    }
  }
  return counts;
}

/** For each token the chances of the next, of which none is zero, so that a grammar always finds one. */
function chances(
  counts: readonly Float64Array[],
  endChance: number,
  isWide: boolean,
): readonly Float64Array[] {
  const least = 1e-9;
  return counts.map((row, token) => {
    if (token === special.end || token === special.endOfText)
      return new Float64Array(vocabularySize).fill(least).fill(1, special.endOfText, special.endOfText + 1);
    const wide = row.reduce((sum, count) => sum + count, 0) / 20;
    const usual = (next: number): number => {
      if (isWide && next >= 0x80 && next < 256) return 0.05 + (leadBytes.has(next) ? wide : 0);
      return isWritten(next) ? 0.05 : least;
    };
    const weights = row.map((count, next) => count + usual(next));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    weights[special.end] = Math.max(least, endChance) * sum;
    return weights.map((weight) => weight / (sum * (1 + endChance)));
  });
}

/** Of characters of two, three and four bytes; behind two of them most other bytes would make an overlong form. */
const leadBytes: ReadonlySet<number> = new Set([0xc3, 0xe0, 0xe6, 0xf0]);

/** Printable ASCII and the line feed: bytes that texts are made of, whether or not these have them. */
function isWritten(token: number): boolean {
  return token === 0x0a || (token >= 0x20 && token < 0x7f);
}

/**
 * A token's embedding is a direction of its own, attention and feed-forward layers add nothing to it, the normalization
 * makes its length the root of the width, and the last matrix reads the logarithms of the chances off it.
 */
function tensors(rows: readonly Float64Array[]): readonly GgufTensor[] {
  const embedding = new Float32Array(width * vocabularySize);
  const output = new Float32Array(width * vocabularySize);
  for (const [token, row] of rows.entries()) {
    embedding[token * width + token] = 1;
    for (const [next, chance] of row.entries())
      output[next * width + token] = Math.log(chance) / Math.sqrt(width);
  }
  return [
    { name: 'token_embd.weight', shape: [width, vocabularySize], data: embedding },
    filled('blk.0.attn_norm.weight', [width], 1),
    filled('blk.0.attn_q.weight', [width, headWidth], 0),
    filled('blk.0.attn_k.weight', [width, headWidth], 0),
    filled('blk.0.attn_v.weight', [width, headWidth], 0),
    filled('blk.0.attn_output.weight', [headWidth, width], 0),
    filled('blk.0.ffn_norm.weight', [width], 1),
    filled('blk.0.ffn_gate.weight', [width, feedForwardWidth], 0),
    filled('blk.0.ffn_up.weight', [width, feedForwardWidth], 0),
    filled('blk.0.ffn_down.weight', [feedForwardWidth, width], 0),
    filled('output_norm.weight', [width], 1),
    { name: 'output.weight', shape: [width, vocabularySize], data: output },
  ];
}

function filled(name: string, shape: readonly number[], value: number): GgufTensor {
  const length = shape.reduce((product, side) => product * side, 1);
  return { name, shape, data: new Float32Array(length).fill(value) };
}

function metadata(): Readonly<Record<string, GgufValue>> {
  const uint32 = (value: number): GgufValue => ({ type: 'uint32', value });
  const float32 = (value: number): GgufValue => ({ type: 'float32', value });
  const text = (value: string): GgufValue => ({ type: 'string', value });
  const normal = 1;
  const control = 3;
  return {
    'general.architecture': text('llama'),
    'general.name': text('bigram'),
    'llama.context_length': uint32(131_072),
    'llama.embedding_length': uint32(width),
    'llama.block_count': uint32(1),
    'llama.feed_forward_length': uint32(feedForwardWidth),
    'llama.attention.head_count': uint32(1),
    'llama.attention.head_count_kv': uint32(1),
    'llama.attention.key_length': uint32(headWidth),
    'llama.attention.value_length': uint32(headWidth),
    'llama.attention.layer_norm_rms_epsilon': float32(1e-5),
    'llama.rope.dimension_count': uint32(headWidth),
    'llama.vocab_size': uint32(vocabularySize),
    'tokenizer.ggml.model': text('gpt2'),
    'tokenizer.ggml.pre': text('gpt-2'),
    'tokenizer.ggml.tokens': {
      type: 'strings',
      value: [...byteNames(), '<|endoftext|>', '<|im_start|>', '<|im_end|>'],
    },
    'tokenizer.ggml.token_type': {
      type: 'int32s',
      value: Array.from({ length: vocabularySize }, (_, token) => (token < 256 ? normal : control)),
    },
    'tokenizer.ggml.merges': { type: 'strings', value: [] },
    'tokenizer.ggml.bos_token_id': uint32(special.endOfText),
    'tokenizer.ggml.eos_token_id': uint32(special.end),
    'tokenizer.ggml.padding_token_id': uint32(special.endOfText),
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
    'tokenizer.chat_template': text(chatTemplate),
  };
}

/** ChatML, each message between its two marks. */
const chatTemplate = [
  '{% for message in messages %}',
  "{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}",
  '{% endfor %}',
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}",
].join('');

/**
 * The names of the bytes in GPT-2's vocabularies: a character of its own that can be seen. Latin-1's visible ones stand for
 * themselves, the others for those from U+0100 on, in order.
 */
function byteNames(): readonly string[] {
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    const visible = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    return String.fromCodePoint(visible ? byte : 0x100 + others++);
  });
}
