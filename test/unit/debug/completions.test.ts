/** Completions of the debug console: what is offered at a cursor, and what it replaces. */
import { describe, expect, it } from 'vitest';
import { type CompletionContext, completionsAt } from '../../../client/src/debug/completions';
import type { JsonValue } from '../../../schemas/json/jsonValue';

const state: JsonValue = {
  inventory: { shelf_1: 'item_1', shelf_2: 'item_2', 'odd key': 3, 'a"b': 4, '😀x': 5, ünï: 6 },
  list: [10, { deep: null }],
  note: 'text',
};

const context: CompletionContext = {
  valueOfRoot: (root) => (root === 'state' ? state : root === 'step' ? 3 : undefined),
  declaredKeys: (path) => (path.length === 0 ? ['inventory', 'declared'] : []),
  commands: [{ label: 'delete ', detail: 'deletes' }],
};

/** The items at `|`, each as `label -> the text with it chosen`. */
function chosen(marked: string): readonly string[] {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  return completionsAt(text, offset, context).map(({ label, text: inserted = label, start, length }) => {
    expect(start + length).toBeLessThanOrEqual(offset);
    return `${label} -> ${text.slice(0, start)}${inserted}${text.slice(start + length)}`;
  });
}

function labels(marked: string): readonly string[] {
  return completionsAt(marked.replace('|', ''), marked.indexOf('|'), context).map(({ label }) => label);
}

describe('completions', () => {
  it('are roots, functions and, at the beginning, commands', () => {
    expect(chosen('sta|')).toEqual(['state -> state']);
    expect(chosen('1 < st|')).toEqual(['state -> 1 < state', 'step -> 1 < step', 'string() -> 1 < string()']);
    expect(labels('|')).toEqual(expect.arrayContaining(['state', 'tokens', 'has()', 'delete ']));
    expect(labels('1 + |')).not.toContain('delete ');
    expect(labels('toString|')).toEqual([]);
  });

  it('after a dot are the keys that there are and those that are declared, and functions', () => {
    expect(labels('state.|')).toEqual([
      'inventory',
      'list',
      'note',
      'declared',
      'size()',
      'all()',
      'exists()',
      'exists_one()',
      'filter()',
      'map()',
    ]);
    expect(chosen('state.inv|')).toEqual(['inventory -> state.inventory']);
    expect(chosen('size(state.inventory.sh|) > 1')).toEqual([
      'shelf_1 -> size(state.inventory.shelf_1) > 1',
      'shelf_2 -> size(state.inventory.shelf_2) > 1',
    ]);
    expect(chosen('state.list[1].d|')).toEqual(['deep -> state.list[1].deep']);
    expect(labels('state.note.st|')).toEqual(['startsWith()']);
    expect(labels('1+state.in|')).toEqual(['inventory']);
    expect(labels('step+state.in|')).toEqual(['inventory']);
  });

  it('put keys that are no words in brackets, in place of the dot', () => {
    expect(chosen('state.inventory.o|')).toEqual(['.["odd key"] -> state.inventory["odd key"]']);
    expect(chosen('state.inventory.a|')).toEqual([
      String.raw`.["a\"b"] -> state.inventory["a\"b"]`,
      'all() -> state.inventory.all()',
    ]);
    expect(labels('state.inventory.ü|')).toEqual(['.["ünï"]']);
  });

  it('in brackets are keys with quotes and indices', () => {
    expect(chosen('state.inventory[|')).toContain('odd key -> state.inventory["odd key"]');
    expect(chosen('state.inventory["o|')).toEqual(['odd key -> state.inventory["odd key"]']);
    expect(chosen("state['inv|")).toEqual(['inventory -> state["inventory"]']);
    expect(chosen('state.list[|')).toEqual(['0 -> state.list[0]', '1 -> state.list[1]']);
    expect(chosen('state.inventory["😀|')).toEqual(['😀x -> state.inventory["😀x"]']);
  });

  it('are none inside other texts, and where nothing is known', () => {
    for (const text of ['"sta|', 'state.inventory["x"] == "sta|', 'nothing.|', 'tokens.|', '"state.|'])
      expect(labels(text)).toEqual([]);
  });

  it('stay few and quick where there are many keys', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key_${index}`, index]));
    const large: CompletionContext = { ...context, valueOfRoot: () => many };
    expect(completionsAt('state.', 6, large)).toHaveLength(500);
    expect(completionsAt('state.key_9999', 14, large).map(({ label }) => label)).toEqual([
      'key_9999',
      ...Array.from({ length: 10 }, (_, index) => `key_9999${index}`),
    ]);
    const long = `${'state.'.repeat(50_000)}x`;
    expect(completionsAt(long, long.length, large).length).toBeLessThanOrEqual(500);
  });
});
