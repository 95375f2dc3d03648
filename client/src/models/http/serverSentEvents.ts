/**
 * The events of a stream (HTML Standard, section 9.2.6) whose pieces end where events end. The SDK's own reader tells
 * neither that `[DONE]` came nor that an event was cut off, on which it depends here whether a reply is whole.
 */

/** The data of each event in the piece; of an event that was cut off, what came of it. */
export function eventsOf(piece: string): readonly string[] {
  const events: string[] = [];
  let data: string[] = [];
  const dispatch = () => {
    if (data.length > 0) events.push(data.join('\n'));
    data = [];
  };
  for (const line of piece.split(/\r\n|\r|\n/)) {
    if (line === '') {
      dispatch();
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const given = colon < 0 ? '' : line.slice(colon + 1);
    const value = given.startsWith(' ') ? given.slice(1) : given;
    if (field === 'data') data.push(value);
    // llama.cpp had a field of its own for errors once.
    else if (field === 'error') data.push(`{"error":${value}}`);
  }
  dispatch();
  return events;
}
