/** What is wrong with a user's text: coded, located, never thrown. Each format declares its closed union of codes. */
import type { Range } from './position';

export type Severity = 'error' | 'warning' | 'information' | 'hint';

/** One finding in a document. `message` says what is wrong and what to do, in a sentence. */
export interface Problem<Code extends string = string> {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  readonly range: Range;
}
