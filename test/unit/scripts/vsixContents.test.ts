import { describe, expect, it } from 'vitest';
import { listZipEntries, packageProblems } from '../../../.scripts/vsixContents.mjs';

/** A zip archive of empty, stored files: local headers, central directory, end record. */
function zipOf(names: readonly string[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const name of names) {
    const local = Buffer.alloc(30 + name.length);
    local.write('PK\x03\x04', 'latin1');
    local.writeUInt16LE(name.length, 26);
    local.write(name, 30);
    const entry = Buffer.alloc(46 + name.length);
    entry.write('PK\x01\x02', 'latin1');
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    entry.write(name, 46);
    locals.push(local);
    central.push(entry);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(names.length, 8);
  end.writeUInt16LE(names.length, 10);
  end.writeUInt32LE(Buffer.concat(central).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...central, end]);
}

const needed = [
  'extension/package.json',
  'extension/dist/extension.js',
  'extension/dist/server.js',
  'extension/dist/o200k_base.json.br',
  'extension/dist/webview/runPanel.js',
];
const entriesOf = (names: readonly string[]) => names.map((name) => ({ name }));

describe('listZipEntries', () => {
  it('lists the files, not the folders', () => {
    expect(listZipEntries(zipOf(['extension/', 'extension/package.json'])).map(({ name }) => name)).toEqual([
      'extension/package.json',
    ]);
  });

  it('refuses what is no archive', () => {
    expect(() => listZipEntries(Buffer.from('no archive'))).toThrow('not a zip archive');
  });
});

describe('packageProblems', () => {
  it('accepts what the extension needs', () => {
    const rest = [
      'extension/dist/schemas/trace.schema.json',
      'extension/client/media/icon.png',
      'extension/readme.md',
    ];
    expect(packageProblems(entriesOf([...needed, ...rest]), 1000)).toEqual([]);
  });

  it.each([
    'extension/dist/extension.js.map',
    'extension/dist/cli.js',
    'extension/dist/test/host/index.js',
    'extension/client/src/extension.ts',
    'extension/node_modules/yaml/package.json',
    'extension/.env',
  ])('refuses %s', (name) => {
    expect(packageProblems(entriesOf([...needed, name]), 1000)).toEqual([
      `${name} doesn't belong into the package.`,
    ]);
  });

  it('notices what is missing and what is too much', () => {
    expect(packageProblems(entriesOf(needed.slice(1)), 2_000_001)).toEqual([
      'extension/package.json is missing.',
      'It has 2000001 bytes; the limit is 2000000.',
    ]);
  });
});
