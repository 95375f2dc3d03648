/** SHA-256 by Node's own crypto. */
import { createHash } from 'node:crypto';
import type { Sha256 } from '../../../../schemas/text/digest';

export const sha256: Sha256 = (text) => createHash('sha256').update(text, 'utf8').digest('hex');
