/** What a trace can't tell any more. */

/** A state or a prompt can't be made again, since the trace has lost what it is made of. `message` is for the user. */
export class TraceGap extends Error {
  override readonly name: string = 'TraceGap';
}
