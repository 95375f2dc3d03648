/** Cuts the bytes of an event stream where events end, wherever the network cut them. */

const lineFeed = 10;
const carriageReturn = 13;

export interface EventPieces {
  /** Takes what came, and gives all whole events that there are by now. */
  write(bytes: Uint8Array): Uint8Array | undefined;
  /** What is left of an event that never ended. */
  end(): Uint8Array | undefined;
  /** How many bytes there are of an event that hasn't ended yet. */
  readonly length: number;
}

/** An event ends with an empty line; lines end with LF, CR LF or CR (HTML Standard, section 9.2.6). */
export function createEventPieces(): EventPieces {
  let parts: Uint8Array[] = [];
  let length = 0;

  /** The byte so many before the end of what is kept. */
  function kept(before: number): number | undefined {
    let left = before;
    for (let index = parts.length - 1; index >= 0; index--) {
      const part = parts[index];
      if (part === undefined) break;
      if (left <= part.length) return part[part.length - left];
      left -= part.length;
    }
    return undefined;
  }

  /** How many of the bytes belong to events that end in them. */
  function endOfEvents(bytes: Uint8Array): number {
    const at = (index: number) => (index < 0 ? kept(-index) : bytes[index]);
    for (let index = bytes.length - 1; index >= 0; index--) {
      const last = bytes[index];
      if (last !== lineFeed && last !== carriageReturn) continue;
      const isPair = at(index - 1) === last;
      const isLongPair =
        last === lineFeed &&
        at(index - 1) === carriageReturn &&
        at(index - 2) === lineFeed &&
        at(index - 3) === carriageReturn;
      if (isPair || isLongPair) return index + 1;
    }
    return 0;
  }

  function keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    parts.push(bytes);
    length += bytes.length;
  }

  function take(): Uint8Array | undefined {
    if (length === 0) return undefined;
    const whole = new Uint8Array(length);
    let offset = 0;
    for (const part of parts) {
      whole.set(part, offset);
      offset += part.length;
    }
    parts = [];
    length = 0;
    return whole;
  }

  return {
    write(bytes) {
      const end = endOfEvents(bytes);
      if (end === 0) {
        keep(bytes);
        return undefined;
      }
      keep(bytes.subarray(0, end));
      const whole = take();
      keep(bytes.subarray(end));
      return whole;
    },
    end: take,
    get length() {
      return length;
    },
  };
}
