/** Which parser checks which document. */
import { parseSkill } from '../../schemas/skill/skillDocument';
import type { CheckDocument } from './handlers';

/** Checks a SKILL.md; other documents are not looked at yet. */
export const checkDocument: CheckDocument = ({ uri, text }) =>
  uri.endsWith('/SKILL.md') ? parseSkill(text).problems : undefined;
