/** Faults on purpose, in the classes and shares of the paper's section 5.7, drawn from the prompt alone. */
import type { Sha256 } from '../../../../schemas/text/digest';

export type FaultClass = 'overwrite' | 'coercion' | 'syntax';

/** What share of the faults each class has. */
const shares: readonly (readonly [FaultClass, number])[] = [
  ['overwrite', 0.68],
  ['coercion', 0.2],
  ['syntax', 0.12],
];

export interface Fault {
  readonly class: FaultClass;
  /** Uniform in [0, 1): which of the class's variants. */
  readonly variant: number;
  /** Uniform in [0, 1): where in the state, for variants that touch one entry of it. */
  readonly place: number;
}

export interface FaultOptions {
  /** The share of replies that have a fault, from 0 to 1. */
  readonly rate: number;
  readonly seed: number;
  readonly sha256: Sha256;
}

/** The fault of the reply to a prompt, or undefined. Has no memory: the same seed and prompt give the same fault. */
export function drawFault(prompt: string, { rate, seed, sha256 }: FaultOptions): Fault | undefined {
  if (rate <= 0) return undefined;
  const digest = sha256(`${seed}\n${prompt}`);
  const uniform = (index: number) =>
    Number.parseInt(digest.slice(index * 12, (index + 1) * 12), 16) / 16 ** 12;
  if (uniform(0) >= rate) return undefined;
  return { class: classAt(uniform(1)), variant: uniform(2), place: uniform(3) };
}

function classAt(position: number): FaultClass {
  let end = 0;
  for (const [name, share] of shares) {
    end += share;
    if (position < end) return name;
  }
  return 'syntax';
}

/** Picks one of `choices` by a number in [0, 1); undefined of an empty list. */
export function pick<T>(choices: readonly T[], position: number): T | undefined {
  return choices[Math.floor(position * choices.length)];
}
