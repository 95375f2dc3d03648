/** The stack that a client has been shown: frames are numbered by their stop, so that those of an earlier one are known as such. */

import type { DebugProtocol } from '@vscode/debugprotocol';
import type { ClientConventions } from './clientConventions';
import { failures } from './errors';
import type { RunSources } from './sources';
import { type Frame, frameName } from './stackFrames';

/** Which frames a client asks for, and how it wants them named. */
export type StackRange = Pick<DebugProtocol.StackTraceArguments, 'startFrame' | 'levels' | 'format'>;

const framesPerStop = 10;

export class ShownStack {
  readonly #client: ClientConventions;
  readonly #sources: RunSources;
  #stops = 0;
  #frames: readonly Frame[] = [];

  constructor({ client, sources }: { readonly client: ClientConventions; readonly sources: RunSources }) {
    this.#client = client;
    this.#sources = sources;
  }

  /** Counts stops, so that what belongs to an earlier one is told apart. */
  get stops(): number {
    return this.#stops;
  }

  /** The run has stopped: what was shown belongs to an earlier stop. */
  begin(): void {
    this.#stops++;
    this.#frames = [];
  }

  show(
    frames: readonly Frame[],
    { startFrame = 0, levels = 0, format = {} }: StackRange,
  ): DebugProtocol.StackTraceResponse['body'] {
    this.#frames = frames;
    const described = frames.map((frame, index) => ({
      id: this.#stops * framesPerStop + index,
      name: frameName(frame, format, (line) => this.#client.line(line)),
      source: this.#sources.of(frame.place),
      ...this.#client.range(frame.place.range),
      ...(frame.subtle && { presentationHint: 'subtle' as const }),
    }));
    return {
      stackFrames: described.slice(startFrame, levels > 0 ? startFrame + levels : undefined),
      totalFrames: described.length,
    };
  }

  /**
   * Whether a frame belongs to this stop. A client may still ask for one of an earlier stop, since a stop overtakes
   * its requests: that frame has nothing to show any more, which is no failure.
   *
   * @throws RequestFailure for a frame that never was
   */
  has(frameId: number): boolean {
    const index = frameId - this.#stops * framesPerStop;
    if (this.#frames[index] !== undefined) return true;
    if (frameId >= framesPerStop && index < 0) return false;
    throw failures.expiredReference('frame', frameId);
  }

  /** Whether frames were shown, and are others now. */
  differsFrom(now: readonly Frame[]): boolean {
    return this.#frames.length > 0 && JSON.stringify(now) !== JSON.stringify(this.#frames);
  }
}
