/** How writes to a value read, and which value a line of a state shows. */
import { describe, expect, it } from 'vitest';
import { describeWrite } from '../../../client/src/views/blame/blameTexts';
import { pathOfLine } from '../../../client/src/views/documents/pathOfLine';
import { formatPointer } from '../../../schemas/json/jsonPointer';

describe('describeWrite', () => {
  it('says who wrote what, from what, and whether it holds', () => {
    expect(
      describeWrite({
        step: 4,
        attempt: 2,
        by: 'model',
        change: 'array-replaced',
        value: '["item_1"]',
        action: 'Store item_1 shelf_0',
        observation: 'Shipment arrived\n  containing item_1.',
        confirmed: false,
        proposedSince: 4,
      }),
    ).toEqual({
      label: 'Step 4, attempt 2: array replaced by the model',
      description: '["item_1"] (proposed since step 4)',
      detail: 'action Store item_1 shelf_0 · from “Shipment arrived containing item_1.”',
    });
  });

  it('says that a value is gone, and where it came from', () => {
    const gone = { step: 7, by: 'environment', change: 'deleted', confirmed: true } as const;
    expect(describeWrite(gone)).toEqual({
      label: 'Step 7: deleted by the environment',
      description: 'gone',
      detail: '',
    });
    const part = { step: 2, by: 'model', change: 'members', value: '{}', confirmed: true } as const;
    expect(describeWrite(part).label).toBe('Step 2: written into by the model');
    const initial = { step: 0, by: 'initial', change: 'initial', value: '1', confirmed: true } as const;
    expect(describeWrite(initial).label).toBe('Initial state');
  });
});

describe('pathOfLine', () => {
  it('names what each line of a state begins', () => {
    const text = JSON.stringify({ a: { 'b/c': [1, { d: 2 }, [3], []] }, '': { e: {} } }, undefined, 2);
    const pointers: string[] = [];
    let offset = 0;
    for (const line of text.split('\n')) {
      pointers.push(formatPointer(pathOfLine(text, offset + line.search(/\S/))));
      offset += line.length + 1;
    }
    expect(pointers).toEqual([
      '',
      '/a',
      '/a/b~1c',
      '/a/b~1c/0',
      '/a/b~1c/1',
      '/a/b~1c/1/d',
      '/a/b~1c/1',
      '/a/b~1c/2',
      '/a/b~1c/2/0',
      '/a/b~1c/2',
      '/a/b~1c/3',
      '/a/b~1c',
      '/a',
      '/',
      '//e',
      '/',
      '',
    ]);
  });
});
