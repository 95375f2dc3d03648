/**
 * The estimated split of a prompt into P, Σ, O and scaffold. P and scaffold are counted once; Σ by its parts, so that a
 * step costs what changed.
 */
import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../../schemas/json/jsonValue';
import { correctionSuffix, scaffoldPieces } from './prompt';
import type { PromptTokens, Tokenizer } from './tokens';

export interface PromptTokenCounter {
  /** The tokens of one prompt. The same input always gives the same counts, whatever was counted before. */
  count(input: {
    state: JsonObject;
    /** Σ as it stands in the prompt. */
    stateText: string;
    observation: string;
    correction?: string | undefined;
  }): PromptTokens;
  /** The tokens of a reply. */
  completion(text: string): number;
}

/** Makes the counter of one run: `instructions` is its P. The tokenizer is not used before something is to be counted. */
export function createPromptTokenCounter(tokenizer: Tokenizer, instructions: string): PromptTokenCounter {
  const count = (text: string): number => (text === '' ? 0 : tokenizer.count(text));
  const stateTokens = new StateTokens(count);
  let same: { readonly instructions: number; readonly scaffold: number } | undefined;
  return {
    count({ state, observation, correction }) {
      same ??= {
        instructions: count(instructions),
        scaffold: scaffoldPieces.reduce((sum, piece) => sum + count(piece), 0),
      };
      return {
        instructions: same.instructions,
        state: stateTokens.count(state),
        observation: count(observation),
        scaffold: same.scaffold + (correction === undefined ? 0 : count(correctionSuffix(correction))),
      };
    },
    completion: count,
  };
}

/**
 * The JSON text of an object or array, cut into pieces. Cuts lie behind the opening quote of a string and before a
 * number of an array, where tokenizers cut as well: of `{"a":"b","c":[1,2]}` the pieces are `{"`, `a":"`, `b","`,
 * `c":[`, `1,` and `2]}`. `head` and `tail` are the first and last piece, which join what stands around the value.
 */
interface CutText {
  readonly head: string;
  /** The tokens between head and tail. */
  readonly tokens: number;
  /** Undefined where the text has no cut; `head` is all of it then. */
  readonly tail: string | undefined;
}

/** How many UTF-16 units of counted pieces are remembered. */
const memoCapacity = 100_000;

/** Counts JSON objects; unchanged parts, which are the same objects in Σ and Σ', are counted once. */
class StateTokens {
  readonly #tokenize: (text: string) => number;
  readonly #containers = new WeakMap<object, CutText>();
  readonly #pieces = new Map<string, number>();
  #remembered = 0;

  constructor(tokenize: (text: string) => number) {
    this.#tokenize = tokenize;
  }

  count(state: JsonObject): number {
    const { head, tokens, tail } = this.#cut(state);
    return this.#piece(head) + tokens + (tail === undefined ? 0 : this.#piece(tail));
  }

  #cut(value: JsonObject | JsonArray): CutText {
    const known = this.#containers.get(value);
    if (known !== undefined) return known;
    const writer = new PieceWriter((piece) => this.#piece(piece));
    if (isJsonObject(value)) this.#writeMembers(value, writer);
    else this.#writeItems(value, writer);
    const cut = writer.end();
    this.#containers.set(value, cut);
    return cut;
  }

  #writeMembers(object: JsonObject, writer: PieceWriter): void {
    let separator = '{';
    for (const key of Object.keys(object)) {
      writer.string(separator, key);
      writer.text(':');
      this.#writeValue('', object[key] ?? null, writer);
      separator = ',';
    }
    writer.text(separator === '{' ? '{}' : '}');
  }

  #writeItems(items: JsonArray, writer: PieceWriter): void {
    let separator = '[';
    for (const item of items) {
      this.#writeValue(separator, item, writer);
      separator = ',';
    }
    writer.text(separator === '[' ? '[]' : ']');
  }

  #writeValue(before: string, value: JsonValue, writer: PieceWriter): void {
    if (typeof value === 'string') {
      writer.string(before, value);
    } else if (typeof value === 'object' && value !== null) {
      writer.text(before);
      writer.cutText(this.#cut(value));
    } else {
      writer.text(before);
      if (before !== '' && typeof value === 'number' && value >= 0) writer.cut();
      writer.text(JSON.stringify(value));
    }
  }

  #piece(text: string): number {
    const known = this.#pieces.get(text);
    if (known !== undefined) return known;
    const tokens = this.#tokenize(text);
    if (this.#remembered > memoCapacity) {
      this.#pieces.clear();
      this.#remembered = 0;
    }
    this.#pieces.set(text, tokens);
    this.#remembered += text.length;
    return tokens;
  }
}

/** Collects the text of one container and counts the pieces between its cuts. */
class PieceWriter {
  readonly #count: (piece: string) => number;
  #head: string | undefined;
  #tokens = 0;
  #piece = '';

  constructor(count: (piece: string) => number) {
    this.#count = count;
  }

  text(text: string): void {
    this.#piece += text;
  }

  cut(): void {
    if (this.#head === undefined) this.#head = this.#piece;
    else this.#tokens += this.#count(this.#piece);
    this.#piece = '';
  }

  /** A string in quotes, behind `before` and the cut after its opening quote. */
  string(before: string, value: string): void {
    this.text(`${before}"`);
    this.cut();
    this.text(JSON.stringify(value).slice(1));
  }

  cutText({ head, tokens, tail }: CutText): void {
    this.text(head);
    if (tail === undefined) return;
    this.cut();
    this.#tokens += tokens;
    this.text(tail);
  }

  end(): CutText {
    if (this.#head === undefined) return { head: this.#piece, tokens: 0, tail: undefined };
    return { head: this.#head, tokens: this.#tokens, tail: this.#piece };
  }
}
