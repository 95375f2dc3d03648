import { describe, expect, it } from 'vitest';
import { type Finding, limitedFindings } from '../../../server/src/languageService/finding';
import { FindingRuns, FindingsCancelled } from '../../../server/src/languageService/findingRuns';
import { skillWorkspace } from '../../support/skillWorkspace';

const frontMatter = '---\nname: sample\ndescription: What is asked for while it is checked.\n---\n';
const files = {
  'SKILL.md': `${frontMatter}## Actions\n\n- \`Store <item>\`: puts an item away.\n\nSet \`state.shelf\`.\n`,
  'state.schema.yaml': 'type: object\nproperties:\n  shelf: {type: string}\n',
};

/** A pause that the test ends. */
class Gate {
  /** How often it was come to. */
  count = 0;
  #open: (() => void)[] = [];
  #reached: (() => void) | undefined;

  readonly pause = (): Promise<void> => {
    this.count++;
    this.#reached?.();
    return new Promise((resolve) => this.#open.push(resolve));
  };

  /** Settles once somebody waits. */
  async reached(): Promise<void> {
    if (this.#open.length === 0)
      await new Promise<void>((resolve) => {
        this.#reached = resolve;
      });
    this.#reached = undefined;
  }

  /** Lets those who wait go on. */
  step(): void {
    for (const go of this.#open.splice(0)) go();
  }

  /** Lets everybody go on until a promise has settled. */
  async through<Result>(result: Promise<Result>): Promise<Result> {
    let hasSettled = false;
    const settle = () => {
      hasSettled = true;
      this.#reached?.();
    };
    result.then(settle, settle);
    for (;;) {
      await Promise.resolve();
      if (hasSettled) return result;
      await this.reached();
      this.step();
    }
  }
}

describe('findings', () => {
  it.each(['SKILL.md', 'state.schema.yaml'])(
    'of %s are looked for in pieces, and other questions are answered in between',
    async (path) => {
      const gate = new Gate();
      const { service, uri } = skillWorkspace(files, { pause: gate.pause });
      const found = service.findings(uri(path));
      for (let piece = 0; piece < 4; piece++) {
        await gate.reached();
        expect(await service.hover(uri('state.schema.yaml'), { line: 2, character: 3 })).toBeDefined();
        gate.step();
      }
      const findings = await gate.through(found);
      expect(gate.count).toBeGreaterThan(4);
      expect(findings).toEqual(
        await skillWorkspace(files).service.findings(uri(path)).then(withoutFixes(findings)),
      );
    },
  );

  it('are no longer looked for once who asked has cancelled', async () => {
    const gate = new Gate();
    const { service, uri } = skillWorkspace(files, { pause: gate.pause });
    const cancellation = { isCancellationRequested: false };
    const found = service.findings(uri('SKILL.md'), cancellation);
    await gate.reached();
    cancellation.isCancellationRequested = true;
    gate.step();
    await expect(found).rejects.toThrow(FindingsCancelled);
    expect(gate.count).toBe(1);
    // Whoever asks next is answered.
    expect(await gate.through(service.findings(uri('SKILL.md')))).toBeDefined();
  });

  it('are no longer looked for by who asked for fixes and has cancelled', async () => {
    const gate = new Gate();
    const { service, uri } = skillWorkspace(files, { pause: gate.pause });
    const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
    const cancellation = { isCancellationRequested: false };
    const found = service.fixes(uri('SKILL.md'), range, undefined, cancellation);
    await gate.reached();
    cancellation.isCancellationRequested = true;
    gate.step();
    await expect(found).rejects.toThrow(FindingsCancelled);
  });

  it('are found once for all who ask, as long as one of them still wants them', async () => {
    const gate = new Gate();
    const { service, uri } = skillWorkspace(files, { pause: gate.pause });
    const cancellation = { isCancellationRequested: false };
    const cancelled = service.findings(uri('SKILL.md'), cancellation);
    const wanted = service.findings(uri('SKILL.md'));
    await gate.reached();
    cancellation.isCancellationRequested = true;
    const findings = await gate.through(wanted);
    expect(await cancelled).toBe(findings);
    const { count } = gate;
    expect(await service.findings(uri('SKILL.md'))).toBe(findings);
    expect(gate.count).toBe(count);
  });

  it('are those of the text as it is after a change in the middle', async () => {
    const gate = new Gate();
    const { service, uri, set } = skillWorkspace(files, { pause: gate.pause });
    const found = service.findings(uri('state.schema.yaml'));
    await gate.reached();
    set('state.schema.yaml', 'type: text\n');
    expect((await gate.through(found))?.map(({ code }) => code)).toEqual(['state.invalid-keyword']);
  });

  it('that fail are looked for anew when asked for again', async () => {
    let fails = true;
    const runs = new FindingRuns(
      async () => {
        if (fails) throw new Error('The disk is gone.');
        return [];
      },
      async () => undefined,
    );
    await expect(runs.get('file:///a')).rejects.toThrow('The disk is gone.');
    fails = false;
    expect(await runs.get('file:///a')).toEqual([]);
  });
});

/** The same findings with the functions of others, which are equal to none. */
function withoutFixes(like: readonly Finding[] | undefined) {
  return (findings: readonly Finding[] | undefined) =>
    findings?.map((finding, index) => {
      const fixes = like?.[index]?.fixes;
      return { ...finding, ...(fixes && { fixes }) };
    });
}

describe('very many findings', () => {
  const finding = (line: number, severity: Finding['severity']): Finding => ({
    code: 'some.code',
    severity,
    message: `Line ${line}.`,
    range: { start: { line, character: 0 }, end: { line, character: 1 } },
  });

  it('are told in the order of the text where they are not too many', () => {
    const list = Array.from({ length: 2_000 }, (_, index) => finding(2_000 - index, 'hint'));
    expect(limitedFindings(list)).toEqual([...list].reverse());
  });

  it('are told by their gravity up to a number, and then that there are more', () => {
    const hints = Array.from({ length: 3_000 }, (_, index) => finding(index, 'hint'));
    const told = limitedFindings([...hints, finding(5_000, 'error'), finding(4_000, 'warning')]);
    expect(told).toHaveLength(2_001);
    expect(told[0]).toMatchObject({
      code: 'document.many-findings',
      severity: 'information',
      message:
        'There are 3002 findings here, of which the gravest 2000 are told; mend these to see the others.',
    });
    expect(told.slice(-2).map(({ message }) => message)).toEqual(['Line 4000.', 'Line 5000.']);
    expect(told.at(-3)?.message).toBe('Line 1997.');
  });
});
