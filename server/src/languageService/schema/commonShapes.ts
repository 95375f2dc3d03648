/** Fields as most states have them, each with its bound: what completion offers below `properties`. */
import { dialectUris } from '../../../../schemas/state/schemaKeywords';
import type { Dialect } from '../../../../schemas/state/stateSchema';
import { fixed, list, map, stop, type TemplateEntry } from './snippet';

export interface CommonShape {
  readonly label: string;
  /** A name for a field of that shape. */
  readonly name: string;
  readonly documentation: string;
  readonly entries: readonly TemplateEntry[];
}

const text = (maxLength: number): readonly TemplateEntry[] => [
  ['type', fixed('string')],
  ['maxLength', stop(maxLength)],
];

export const commonShapes: readonly CommonShape[] = [
  {
    label: 'bounded string',
    name: 'note',
    documentation: 'A text with a length that it can’t exceed.',
    entries: text(200),
  },
  {
    label: 'status enum',
    name: 'status',
    documentation: 'One of a few words. The model can’t invent another.',
    entries: [
      ['type', fixed('string')],
      ['enum', list(stop('todo'), fixed('doing'), fixed('done'))],
    ],
  },
  {
    label: 'counter',
    name: 'count',
    documentation: 'A whole number from 0 that begins at 0.',
    entries: [
      ['type', fixed('integer')],
      ['minimum', stop(0)],
      ['maximum', stop(1000)],
      ['default', fixed(0)],
    ],
  },
  {
    label: 'flag',
    name: 'done',
    documentation: 'True or false, false in the beginning.',
    entries: [
      ['type', fixed('boolean')],
      ['default', stop(false, true)],
    ],
  },
  {
    label: 'timestamp',
    name: 'updated',
    documentation: 'A date and time with its offset.',
    entries: [
      ['type', fixed('string')],
      ['format', fixed('date-time')],
      ['maxLength', fixed(35)],
    ],
  },
  {
    label: 'keyed map',
    name: 'by_id',
    documentation:
      'Entries by a key: a patch changes one of them and leaves the others, and `null` removes one. Keys, values and their number are bounded.',
    entries: [
      ['type', fixed('object')],
      ['propertyNames', map(['pattern', stop('^[a-z0-9_]+$')], ['maxLength', stop(24)])],
      ['additionalProperties', map(...text(100))],
      ['maxProperties', stop(50)],
      ['default', map()],
    ],
  },
  {
    label: 'capped log',
    name: 'log',
    documentation:
      'The latest entries: a patch’s items are added at the end, and the oldest give way (`x-merge: append`, `x-evict: oldest`).',
    entries: [
      ['type', fixed('array')],
      ['items', map(...text(200))],
      ['maxItems', stop(20)],
      ['x-merge', fixed('append')],
      ['x-evict', fixed('oldest')],
      ['default', list()],
    ],
  },
  {
    label: 'list of records',
    name: 'records',
    documentation:
      'Objects of one shape, closed and bounded. Every patch to it writes the whole list; a keyed map changes one entry.',
    entries: [
      ['type', fixed('array')],
      [
        'items',
        map(
          ['type', fixed('object')],
          ['properties', map([stop('id'), map(...text(40))])],
          ['additionalProperties', fixed(false)],
        ),
      ],
      ['maxItems', stop(20)],
    ],
  },
];

/** A whole state schema to begin with, for an empty document. */
export function stateSchemaShape(dialect: Dialect): Omit<CommonShape, 'name'> {
  const uri = dialect === 'draft-07' ? `${dialectUris[dialect]}#` : dialectUris[dialect];
  return {
    label: 'state schema',
    documentation: 'A closed object with one bounded field: what every state schema begins with.',
    entries: [
      ['$schema', fixed(uri)],
      ['type', fixed('object')],
      ['properties', map([stop('note'), map(...text(200))])],
      ['additionalProperties', fixed(false)],
    ],
  };
}
