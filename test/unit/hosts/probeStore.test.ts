/** What probes found, kept in a file. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProbeStore, probeFilePath } from '../../../client/src/hosts/node/probeStore';
import type { ProbeResult } from '../../../client/src/models/decoding/probe';
import { temporaryFolder } from '../../support/commandLine';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const server = 'http://127.0.0.1:8080';
const result: ProbeResult = {
  encoding: 'json-schema',
  placement: 'response_format',
  explanation: 'It keeps to the schema.',
  tries: [{ encoding: 'json-schema', placement: 'response_format', outcome: 'enforced', detail: '{}' }],
  at: 5,
};
const free: ProbeResult = { ...result, encoding: 'free', placement: undefined, tries: [] };

function store(path = join(folder.path, 'deep', 'probes.json')) {
  const problems: string[] = [];
  return {
    path,
    problems,
    probes: createProbeStore({ path, onProblem: (problem) => problems.push(problem) }),
  };
}

describe('the store of probes', () => {
  it('keeps results by server and model, for later processes too', async () => {
    const { probes, path } = store();
    expect(await probes.get(server, 'm')).toBeUndefined();
    await probes.set(server, 'm', result);
    await probes.set(server, 'other', free);
    await probes.set('http://127.0.0.1:8081', 'm', { ...result, at: 6 });
    for (const { probes: later } of [{ probes }, store(path)]) {
      expect(await later.get(server, 'm')).toEqual(result);
      expect(await later.get(server, 'other')).toEqual({ ...free, placement: undefined });
      expect((await later.get('http://127.0.0.1:8081', 'm'))?.at).toBe(6);
      expect(await later.get(server, 'M')).toBeUndefined();
    }
    await probes.set(server, 'm', { ...result, at: 7 });
    expect((await probes.get(server, 'm'))?.at).toBe(7);
  });

  it('writes one after the other, whole, and leaves nothing beside the file', async () => {
    const { probes, path, problems } = store();
    const names = Array.from({ length: 20 }, (_, index) => `m${index}`);
    await Promise.all(names.map((name) => probes.set(server, name, result)));
    for (const name of names) expect(await probes.get(server, name)).toEqual(result);
    expect(readdirSync(join(path, '..'))).toEqual(['probes.json']);
    expect(problems).toEqual([]);
  });

  it('adds to what others wrote meanwhile, and is whole whenever somebody looks', async () => {
    const path = join(folder.path, 'probes.json');
    const [one, other] = [store(path), store(path)];
    await one.probes.set(server, 'a', result);
    await other.probes.set(server, 'b', result);
    await one.probes.set(server, 'c', result);
    for (const name of ['a', 'b', 'c']) expect(await other.probes.get(server, name)).toEqual(result);

    let isWriting = true;
    const writing = Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? one : other).probes.set(server, `m${index}`, result),
      ),
    ).finally(() => {
      isWriting = false;
    });
    let looks = 0;
    for (; isWriting; looks++) {
      expect(JSON.parse(readFileSync(path, 'utf8')).results.length).toBeGreaterThanOrEqual(3);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writing;
    expect(looks).toBeGreaterThan(0);
    expect([...one.problems, ...other.problems]).toEqual([]);
    // The last of each is there: nobody wrote after both.
    const kept = await Promise.all([38, 39].map((index) => one.probes.get(server, `m${index}`)));
    expect(kept.some((found) => found !== undefined)).toBe(true);
    expect(readdirSync(folder.path)).toEqual(['probes.json']);
  });

  it('keeps the newest two hundred', async () => {
    const { probes, path } = store();
    for (let index = 0; index < 205; index++) await probes.set(server, `m${index}`, result);
    expect(await probes.get(server, 'm4')).toBeUndefined();
    expect(await probes.get(server, 'm5')).toEqual(result);
    expect(JSON.parse(readFileSync(path, 'utf8')).results).toHaveLength(200);
  });

  it.each([
    '',
    'no JSON',
    '[]',
    '{"version":2,"results":[]}',
    '{"version":1,"results":{}}',
    '{"version":1,"results":[1,null,["k"],["k",{}],["[\\"s\\",\\"m\\"]",{"encoding":"auto","tries":[],"explanation":"","at":1}]]}',
    '{"version":1,"results":[["[\\"s\\",\\"m\\"]",{"encoding":"free","tries":[{"encoding":"free"}],"explanation":"","at":1}]]}',
    '{"version":1,"results":[["__proto__",{"encoding":"free","tries":[],"explanation":"","at":1}]]}',
    '{"version":1,"results":[["[\\"s\\",\\"m\\"]",{"encoding":"free","tries":[],"explanation":"","at":1e300}]]}',
    ' '.repeat(4_000_001),
  ])('takes a file of something else as empty, and writes it anew: %.60s', async (text) => {
    const { probes, path, problems } = store(join(folder.path, 'probes.json'));
    writeFileSync(path, text);
    expect(await probes.get('s', 'm')).toBeUndefined();
    await probes.set('s', 'm', result);
    expect(await probes.get('s', 'm')).toEqual(result);
    expect(problems).toEqual([]);
  });

  it('says once where nothing can be kept', async () => {
    mkdirSync(join(folder.path, 'probes.json'));
    const { probes, problems, path } = store(join(folder.path, 'probes.json'));
    await probes.set(server, 'm', result);
    await probes.set(server, 'm', result);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`What was found out about ${server} can't be kept in ${path}: `);
    expect(await probes.get(server, 'm')).toBeUndefined();
  });

  it('stands where the system keeps such files', () => {
    expect(probeFilePath({ SKILL_STATE_CACHE: '/c' }, 'win32', '/h')).toBe(join('/c', 'probes.json'));
    expect(probeFilePath({}, 'linux', '/h')).toBe(join('/h', '.cache', 'skill-state', 'probes.json'));
    expect(probeFilePath({ XDG_CACHE_HOME: '/x' }, 'linux', '/h')).toBe(
      join('/x', 'skill-state', 'probes.json'),
    );
    expect(probeFilePath({}, 'darwin', '/h')).toBe(
      join('/h', 'Library', 'Caches', 'skill-state', 'probes.json'),
    );
    expect(probeFilePath({ LOCALAPPDATA: '/l' }, 'win32', '/h')).toBe(
      join('/l', 'skill-state', 'Cache', 'probes.json'),
    );
    expect(probeFilePath({}, 'win32', '/h')).toBe(
      join('/h', 'AppData', 'Local', 'skill-state', 'Cache', 'probes.json'),
    );
  });
});
