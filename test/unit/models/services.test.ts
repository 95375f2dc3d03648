/** Addresses on which depends which key goes where. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLoopback, serviceOrigins } from '../../../client/src/models/services';
import { repository } from '../../support/memoryRun';

describe('the hosted services', () => {
  it('have their addresses in one place', () => {
    const folder = join(repository, 'client', 'src');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const code = (text: string) => text.replaceAll(/\/\*.*?\*\/|^\s*\/\/.*$/gms, '');
    const naming = files.filter((name) => {
      const text = code(readFileSync(join(folder, name), 'utf8'));
      return Object.values(serviceOrigins).some((origin) => text.includes(new URL(origin).host));
    });
    expect(naming.map((name) => name.replaceAll('\\', '/'))).toEqual(['models/services.ts']);
  });
});

describe('loopback addresses', () => {
  it.each([
    'http://127.0.0.1',
    'https://127.255.1.2:8',
    'http://127.1',
    'http://0x7f.1',
    'http://LOCALHOST:9',
    'http://[::1]:9',
  ])('has %s', (url) => expect(isLoopback(url)).toBe(true));
  it.each([
    'http://127.0.0.1.invalid',
    'http://localhost.invalid',
    'http://128.0.0.1',
    'http://[::2]',
    '127.0.0.1',
  ])("hasn't %s", (url) => expect(isLoopback(url)).toBe(false));
});
