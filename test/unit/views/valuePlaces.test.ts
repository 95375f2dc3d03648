/** Which names in a skill's texts stand for values of the state, and as which expressions. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  proseValuePlaces,
  schemaValuePlaces,
  valuePlaceAt,
} from '../../../client/src/views/values/valuePlaces';
import { defaultStateSchema, loadStateSchema } from '../../../schemas/state/stateSchema';

function yaml(text: string) {
  return loadStateSchema({ path: 'state.schema.yaml', text });
}

/** The places as `line: expression`. */
function listed(places: ReturnType<typeof proseValuePlaces>): string[] {
  return places.map(({ range, expression }) => `${range.start.line}: ${expression}`);
}

const tasks = yaml(`type: object
properties:
  tasks:
    type: array
    items:
      properties:
        title: {type: string}
  current:
    $ref: "#/$defs/task"
  "a b":
    type: integer
$defs:
  task:
    properties:
      title: {type: string}
      next:
        $ref: "#/$defs/person"
  person:
    properties:
      name: {type: string}
      friend:
        $ref: "#/$defs/person"
`);

describe('schemaValuePlaces', () => {
  it('gives each property of the sample the value that it describes', () => {
    const text = readFileSync('samples/warehouse/state.schema.yaml', 'utf8');
    const line = text.split('\n').indexOf('  inventory:');
    expect(listed(schemaValuePlaces(yaml(text)))).toEqual([`${line}: state.inventory`]);
  });

  it('follows references, and leaves out what describes many values or itself', () => {
    expect(listed(schemaValuePlaces(tasks))).toEqual([
      '2: state.tasks',
      '7: state.current',
      '9: state["a b"]',
      '14: state.current.title',
      '15: state.current.next',
    ]);
  });

  it('has none for the default schema', () => {
    expect(schemaValuePlaces(defaultStateSchema())).toEqual([]);
  });
});

describe('proseValuePlaces', () => {
  const text = [
    '---',
    'name: tasks',
    'description: Keeps `tasks`.',
    '---',
    'Look at `tasks`, then at `current.title` and `tasks[0].title`.',
    'Never at `title`, `unknown`, `Store <tasks>`, `tasks.length + 1`; `state["a b"]` counts.',
    '',
    '    `tasks`',
    '',
    '- `/current/next` or `tasks.<index>.title`',
  ].join('\r\n');

  it('finds the code spans that name values, and no others', () => {
    expect(listed(proseValuePlaces(text, tasks))).toEqual([
      '4: state.tasks',
      '4: state.current.title',
      '4: state.tasks[0].title',
      '5: state["a b"]',
      '9: state.current.next',
      '9: state.tasks',
    ]);
  });

  it('wants "state." where no schema declares names', () => {
    const places = proseValuePlaces('`notes` and `state.notes`', defaultStateSchema());
    expect(listed(places)).toEqual(['0: state.notes']);
  });

  it('finds the place at a position', () => {
    const places = proseValuePlaces(text, tasks);
    const character = 'Look at `'.length;
    expect(valuePlaceAt(places, { line: 4, character })?.expression).toBe('state.tasks');
    expect(valuePlaceAt(places, { line: 4, character: character - 2 })).toBeUndefined();
    expect(valuePlaceAt(places, { line: 3, character })).toBeUndefined();
  });
});
