/** The debug console's lines about rejected replies. */
import { expect, it } from 'vitest';
import { outputOf } from '../../../client/src/debug/runOutput';
import { replyingModel, replyOf, skillOf } from '../../support/memoryRun';
import { walkedRun } from '../../support/stoppedRun';

const files = {
  'SKILL.md':
    '---\nname: skill\ndescription: Test.\nmetadata:\n  state-schema: state.schema.yaml\n---\n\nDo it.\n',
  'state.schema.yaml': `
type: object
properties:
  bag:
    type: object
    additionalProperties: false
    properties: { n: { type: number } }
`,
};

it('say where in the patch, unless their sentence begins with it', async () => {
  const skill = await skillOf(files);
  const replies = [{ bag: { n: 'x' } }, { bag: { m: 1 } }, []].map((patch) => replyOf(patch, 'go'));
  const { phases } = await walkedRun({ skill, model: replyingModel(replies), options: { horizon: 1 } });
  const lines = phases.flatMap(({ report }) => outputOf(report, skill, true)).map(({ text }) => text);
  expect(lines.filter((text) => /^t=0 .* rejected /.test(text))).toEqual([
    't=0 attempt 1 rejected (schema): /bag/n must be number, not string.',
    't=0 attempt 2 rejected (schema) at /bag/m: /bag may not have the key "m".',
    't=0 attempt 3 rejected (not-an-object) at the patch: "state_patch" has to be an object of the keys to change; {} changes nothing.',
  ]);
});
