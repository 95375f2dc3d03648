/** Writes to a value in words, for consoles and terminals. */
import type { BlameChange } from './blame';

/** What a write did, to follow who wrote: `the model changed it`. */
export const changeWords: Readonly<Record<BlameChange, string>> = {
  initial: 'was there from the start',
  set: 'set it',
  changed: 'changed it',
  deleted: 'deleted it',
  members: 'wrote into it',
  'array-replaced': 'replaced the array',
  'array-appended': 'appended to it',
  'array-united': 'added what was not in it',
  evicted: 'let older items of it give way',
  same: 'wrote the same value again',
};
