/**
 * Lets property tests try the same values in every run, so that a run tells about the change that it tests.
 * `SKILL_STATE_SEED=random` (or a number) tries others.
 */
import fc from 'fast-check';

const chosen = process.env.SKILL_STATE_SEED;
if (chosen !== 'random') fc.configureGlobal({ seed: Number(chosen ?? 20_261_130) });
