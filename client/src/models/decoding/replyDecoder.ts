/** Turns what a model writes under an encoding into the reply format of the prompt, piece by piece. */
import type { ExpectedReply } from '../../runtime/model';
import type { Encoding } from '../modelSettings';
import { lineOfAction } from './actionObject';
import { HarmlessProse } from './harmlessProse';
import { JsonStringText } from './jsonStringText';
import { patchOfOperations } from './operationsPatch';

export interface ReplyDecoder {
  /** Takes the next piece of what the model wrote, and gives the next piece of the reply, which may be empty. */
  write(text: string): string;
  /** The rest of the reply. Called once, when the model has ended, early or not. */
  end(): string;
}

/**
 * `free` and `grammar` travel as the prompt asks, and stay as they are. Of the others `reasoning` becomes the prose, and
 * the other members of the object the fenced block, as they were written. Nothing is repaired: what ends early ends early,
 * and what is no JSON object stays as it is, so that the runtime says what is wrong with it. Without `reasoning` there is
 * no prose; one that is no text, or that comes twice, stands in the block, where the runtime allows no such key and no key
 * twice.
 */
export function createReplyDecoder(encoding: Encoding, expected: ExpectedReply): ReplyDecoder {
  if (encoding === 'json-schema' || encoding === 'operations') return new ObjectDecoder(encoding, expected);
  return { write: (text) => text, end: () => '' };
}

/** Where in the object the next character stands. `apart`: this is no such object. `loose`: it isn't well-formed from here on. */
type Place =
  | 'before'
  | 'first-key'
  | 'key'
  | 'in-key'
  | 'colon'
  | 'value'
  | 'in-value'
  | 'comma'
  | 'behind'
  | 'apart'
  | 'loose';

/** How a value ends: with its quote, its bracket, or before what can't belong to it. */
type ValueKind = 'string' | 'container' | 'plain';

/** What becomes of a value. `held` values are looked at as a whole. */
type ValueUse = 'prose' | 'passed' | 'held';

class ObjectDecoder implements ReplyDecoder {
  readonly #encoding: 'json-schema' | 'operations';
  readonly #expected: ExpectedReply;
  #place: Place = 'before';
  #before = '';
  #key = '';
  #isEscaped = false;
  #kind: ValueKind = 'plain';
  #use: ValueUse = 'passed';
  #depth = 0;
  #isInString = false;
  #held = '';
  #string = new JsonStringText();
  readonly #prose = new HarmlessProse();
  #hasProse = false;
  #members = 0;
  #isOpen = false;
  /** The member that became prose, as it was written; empty where there was one that didn't, or that has been passed on. */
  #reasoning: string | undefined;
  /** Reasoning that came when the block was open already; it stands behind it. */
  #later = '';
  #output = '';

  constructor(encoding: 'json-schema' | 'operations', expected: ExpectedReply) {
    this.#encoding = encoding;
    this.#expected = expected;
  }

  write(text: string): string {
    for (let index = 0; index < text.length; index++) {
      if (this.#place === 'apart' || this.#place === 'loose') {
        this.#output += text.slice(index);
        break;
      }
      this.#take(text[index] ?? '');
    }
    const output = this.#output;
    this.#output = '';
    return output;
  }

  end(): string {
    if (this.#place === 'before') this.#output += this.#before;
    else if (this.#place === 'in-key') this.#open(`${this.#members === 0 ? '' : ','}${this.#key}`);
    else if (this.#place === 'in-value' && this.#use === 'held') this.#output += this.#held;
    else if (this.#place === 'behind' || this.#place === 'loose') this.#output += '\n```';
    if (!this.#isOpen) this.#output += this.#prose.end();
    if (this.#later !== '') {
      const prose = new HarmlessProse();
      // Where the block isn't closed the reasoning would become a part of it.
      if (this.#place === 'behind') this.#output += `\n\n${prose.write(this.#later)}${prose.end()}`;
    }
    const output = this.#output;
    this.#output = '';
    return output;
  }

  #take(character: string): void {
    switch (this.#place) {
      case 'before':
        this.#takeBefore(character);
        break;
      case 'first-key':
      case 'key':
        this.#takeKeyStart(character);
        break;
      case 'in-key':
        this.#takeKey(character);
        break;
      case 'colon':
        if (character === ':') this.#place = 'value';
        else if (!isSpace(character)) this.#loosen(`${this.#separator()}${this.#key}${character}`);
        break;
      case 'value':
        if (!isSpace(character)) this.#startValue(character);
        break;
      case 'in-value':
        this.#takeValue(character);
        break;
      case 'comma':
        this.#takeComma(character);
        break;
      case 'behind':
        if (!isSpace(character)) this.#loosen(character);
        break;
      case 'apart':
      case 'loose':
        this.#output += character;
        break;
    }
  }

  #takeBefore(character: string): void {
    if (character === '{') {
      this.#place = 'first-key';
      return;
    }
    this.#before += character;
    if (isSpace(character) || character === '\ufeff') return;
    this.#place = 'apart';
    this.#output += this.#before;
  }

  #takeKeyStart(character: string): void {
    if (character === '"') {
      this.#key = character;
      this.#isEscaped = false;
      this.#place = 'in-key';
    } else if (character === '}' && this.#place === 'first-key') this.#close();
    else if (!isSpace(character)) this.#loosen(this.#place === 'key' ? `,${character}` : character);
  }

  #takeKey(character: string): void {
    this.#key += character;
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#place = 'colon';
  }

  #startValue(character: string): void {
    this.#place = 'in-value';
    this.#isEscaped = false;
    this.#isInString = false;
    this.#depth = 0;
    this.#kind =
      character === '"' ? 'string' : character === '{' || character === '[' ? 'container' : 'plain';
    const key = keyOf(this.#key);
    if (key === 'reasoning') this.#use = this.#useOfReasoning();
    else if (key === 'state_patch' && this.#encoding === 'operations') this.#use = 'held';
    else this.#use = key === 'action' && character === '{' ? 'held' : 'passed';
    this.#held = '';
    this.#string = new JsonStringText();
    if (this.#use !== 'prose') {
      this.#open(`${this.#separator()}${this.#key}:`);
      this.#members++;
    }
    if (this.#kind === 'string') {
      if (this.#use !== 'prose') this.#give(character);
    } else this.#takeValue(character);
  }

  /** Only the first one becomes prose. Before another one it is written into the block as well, so that both are there. */
  #useOfReasoning(): ValueUse {
    if (this.#reasoning === undefined && this.#kind === 'string') {
      this.#reasoning = `${this.#key}:"`;
      return 'prose';
    }
    if (this.#reasoning !== undefined && this.#reasoning !== '') {
      this.#open(`${this.#separator()}${this.#reasoning}`);
      this.#members++;
      this.#later = '';
    }
    this.#reasoning = '';
    return 'passed';
  }

  #takeValue(character: string): void {
    if (this.#kind === 'string') this.#takeString(character);
    else if (this.#kind === 'container') this.#takeContainer(character);
    else if (isSpace(character) || ',}]"'.includes(character)) {
      this.#endValue();
      this.#take(character);
    } else this.#give(character);
  }

  #takeString(character: string): void {
    const isEnd = character === '"' && !this.#isEscaped;
    this.#isEscaped = character === '\\' && !this.#isEscaped;
    if (this.#use !== 'prose') this.#give(character);
    else {
      this.#reasoning += character;
      if (!isEnd) this.#give(this.#string.write(character));
    }
    if (isEnd) this.#endValue();
  }

  #takeContainer(character: string): void {
    this.#give(character);
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === '\\') this.#isEscaped = true;
      else if (character === '"') this.#isInString = false;
    } else if (character === '"') this.#isInString = true;
    else if (character === '{' || character === '[') this.#depth++;
    else if (character === '}' || character === ']') {
      this.#depth--;
      if (this.#depth === 0) this.#endValue();
    }
  }

  /** A piece of a value. */
  #give(piece: string): void {
    if (this.#use === 'held') this.#held += piece;
    else if (this.#use === 'passed') this.#output += piece;
    else if (this.#isOpen) this.#later += piece;
    else {
      this.#hasProse ||= piece !== '';
      this.#output += this.#prose.write(piece);
    }
  }

  #endValue(): void {
    this.#place = 'comma';
    if (this.#use !== 'held') return;
    const { state, actions } = this.#expected;
    this.#output +=
      keyOf(this.#key) === 'action'
        ? lineOfAction(this.#held, actions)
        : patchOfOperations(this.#held, state);
  }

  #takeComma(character: string): void {
    if (character === ',') this.#place = 'key';
    else if (character === '}') this.#close();
    else if (!isSpace(character)) this.#loosen(character);
  }

  /** The comma before a member of the block. */
  #separator(): string {
    return this.#members === 0 ? '' : ',';
  }

  /** Begins the block where it hasn't begun, and writes into it. */
  #open(piece: string): void {
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#output += `${this.#prose.end()}${this.#hasProse ? '\n\n' : ''}\`\`\`json\n{`;
    }
    this.#output += piece;
  }

  #close(): void {
    this.#open('}');
    this.#place = 'behind';
  }

  /** From here on what comes stands in the block as it is: it is no JSON, and the runtime says so. */
  #loosen(piece: string): void {
    this.#open(piece);
    this.#place = 'loose';
  }
}

/** The text of a key; one that is no JSON string names nothing. */
function keyOf(written: string): string | undefined {
  try {
    const key: unknown = JSON.parse(written);
    return typeof key === 'string' ? key : undefined;
  } catch {
    return undefined;
  }
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}
