/**
 * What the page of the Run panel and of the trace editor says to the extension, and is told. The page never gets a
 * whole trace: it asks for the stretches that it shows. Texts of models and environments come as excerpts without
 * control characters; what is to be opened, copied or blamed is named by its place in a step, never by its text.
 */
import {
  anyOf,
  type Guarded,
  isCount,
  isFiniteNumber,
  isFlag,
  isText,
  listOf,
  objectOf,
  oneOf,
  optional,
} from './shape';

/** What tokens are spent on, in the order in which a bar is stacked. */
export const tokenParts = ['instructions', 'scaffold', 'state', 'observation', 'output'] as const;

export type TokenPart = (typeof tokenParts)[number];

/** The most bars or rows that one answer has. */
export const answerLimit = 4_000;

/** The most branches that a page is told of. */
export const branchLimit = 10_000;

/** Tokens of a step or of several, all attempts added up. `retried`: what of the parts went into rejected attempts. */
const isPartTokens = objectOf({
  instructions: isFiniteNumber,
  scaffold: isFiniteNumber,
  state: isFiniteNumber,
  observation: isFiniteNumber,
  output: isFiniteNumber,
  retried: isFiniteNumber,
  /** What was spent, as far as the provider reported it; else the sum of the parts. */
  spent: isFiniteNumber,
  /** How many of `spent` are estimated: none, some, or all. */
  estimated: isFiniteNumber,
  /** How many of those the extension counted that has the model, and no tokenizer. */
  byExtension: isFiniteNumber,
});
export type PartTokens = Guarded<typeof isPartTokens>;

/** The beginning of a text, and how long the whole is in UTF-16 units. */
const isExcerpt = objectOf({ text: isText, characters: isCount });
export type Excerpt = Guarded<typeof isExcerpt>;

export const isStepFilter = oneOf('all', 'rejections', 'warnings', 'either');
export type StepFilter = Guarded<typeof isStepFilter>;

const isStatus = oneOf('accepted', 'refused', 'skipped', 'failed', 'running', 'unreadable');
export type StepStatus = Guarded<typeof isStatus>;

/** A stretch of steps as one bar: `from` up to, not including, `to`. Tokens are sums; `peak` is the largest step's. */
const isBin = objectOf({
  from: isCount,
  to: isCount,
  tokens: isPartTokens,
  peak: isFiniteNumber,
  /** How many replies were rejected, warnings given, steps without an accepted action, branches that begin. */
  rejections: isCount,
  warnings: isCount,
  refused: isCount,
  forks: isCount,
});
export type GraphBin = Guarded<typeof isBin>;

/** A step as one line. `before` is what was spent in all steps before it. */
const isRow = objectOf({
  step: isCount,
  status: isStatus,
  action: optional(isText),
  /** The action that a reply has chosen, where none was executed. */
  chosen: optional(isText),
  changed: listOf(isText, 100),
  changedCount: isCount,
  attempts: isCount,
  rejections: listOf(isText, 100),
  warnings: listOf(isText, 100),
  tokens: isPartTokens,
  /** Of prompts, as they were counted; what of them came from the provider's cache; what models thought with. */
  prompt: isFiniteNumber,
  cached: isFiniteNumber,
  thinking: isFiniteNumber,
  before: isFiniteNumber,
  /** How many of `before` are estimated. */
  beforeEstimated: isFiniteNumber,
  /** In words: `$0.12`, `between $0.12 and $0.15`, `unknown`; left out where nobody charges. */
  cost: optional(isText),
  edited: isFlag,
  forks: listOf(isCount, 100),
});
export type StepRow = Guarded<typeof isRow>;

/** One written path of Σ. */
const isChange = objectOf({
  pointer: isExcerpt,
  kind: oneOf('added', 'changed', 'deleted', 'replaced', 'appended', 'unchanged'),
  by: oneOf('model', 'environment', 'user'),
  before: optional(isExcerpt),
  after: optional(isExcerpt),
  /** Of arrays: how many items there were and are. */
  items: optional(objectOf({ before: isCount, after: isCount })),
});
export type StateChangeRow = Guarded<typeof isChange>;

const isViolation = objectOf({
  pointer: optional(isExcerpt),
  message: isExcerpt,
  /** The rule, such as `state.schema.yaml:12`; left out where there is none to open. */
  rule: optional(isText),
});
export type ViolationRow = Guarded<typeof isViolation>;

const isAttempt = objectOf({
  attempt: isCount,
  prompt: isFiniteNumber,
  completion: isFiniteNumber,
  cached: isFiniteNumber,
  thinking: isFiniteNumber,
  estimated: isFlag,
  /** Whether the extension did that which has the model, and no tokenizer. */
  byExtension: isFlag,
  cost: optional(isText),
  finish: optional(isText),
  /** Of requests that failed before the model answered, such as `1 request failed: rate limited`. */
  failedRequests: optional(isText),
  rejection: optional(
    objectOf({ class: isText, violations: listOf(isViolation, 1_000), leftOut: isCount, exhausted: isFlag }),
  ),
});
export type AttemptRow = Guarded<typeof isAttempt>;

/** A request to the model that the session keeps. */
const isStepRequest = objectOf({
  attempt: isCount,
  /** From 1 in each attempt. */
  request: isCount,
  /** What became of it, such as `answered with status 200`. */
  outcome: isExcerpt,
  failed: isFlag,
});
export type StepRequest = Guarded<typeof isStepRequest>;

/** All that is shown of the selected step. */
const isDetail = objectOf({
  branch: isCount,
  step: isCount,
  row: isRow,
  observation: isExcerpt,
  action: optional(isExcerpt),
  /** The action that a reply has chosen, as long as it is not executed. */
  chosen: optional(isExcerpt),
  outcome: optional(objectOf({ accepted: isFlag, done: isFlag, skipped: isFlag, observation: isExcerpt })),
  attempts: listOf(isAttempt, 1_000),
  attemptsLeftOut: isCount,
  /** The latest ones, oldest first, also of attempts that have no record yet. */
  requests: listOf(isStepRequest, 1_000),
  changes: listOf(isChange, 1_000),
  changesLeftOut: isCount,
  /** Why it can't be told what was written, where the trace has lost what it takes. */
  changesLost: optional(isExcerpt),
  warnings: listOf(objectOf({ class: isText, message: isExcerpt, pointer: optional(isExcerpt) }), 1_000),
  warningsLeftOut: isCount,
  edits: listOf(objectOf({ target: isText, pointer: isExcerpt, value: optional(isExcerpt) }), 1_000),
});
export type StepDetail = Guarded<typeof isDetail>;

/** Who wrote a path, newest first. */
const isBlameEntry = objectOf({
  branch: isCount,
  step: optional(isCount),
  attempt: optional(isCount),
  by: isText,
  change: isText,
  value: optional(isExcerpt),
  action: optional(isExcerpt),
  observation: optional(isExcerpt),
  confirmed: isFlag,
});
export type BlameRow = Guarded<typeof isBlameEntry>;

const isBranch = objectOf({
  id: isCount,
  steps: isCount,
  parent: optional(objectOf({ branch: isCount, step: isCount })),
  end: optional(isText),
  changedSkill: isFlag,
  /** What was spent along its line; left out where there are too many branches to say. */
  spending: optional(
    objectOf({
      spent: isFiniteNumber,
      estimated: isFiniteNumber,
      byExtension: isFiniteNumber,
      prompt: isFiniteNumber,
      cached: isFiniteNumber,
      thinking: isFiniteNumber,
      cost: optional(isText),
    }),
  ),
});
export type BranchRow = Guarded<typeof isBranch>;

/** What a run is, as far as it was read. Sent whenever it changes. */
const isOverview = objectOf({
  /** Where the trace is, for the page's own memory; the extension alone reads it. */
  run: isText,
  trace: isText,
  skill: optional(isText),
  model: optional(isText),
  environment: optional(isText),
  branches: listOf(isBranch, branchLimit),
  bytesRead: isCount,
  bytes: isCount,
  complete: isFlag,
  problems: listOf(objectOf({ line: optional(isCount), message: isText }), 100),
  problemsLeftOut: isCount,
  /** The debug session that writes or replays the trace; left out where there is none. */
  session: optional(
    objectOf({
      name: isText,
      state: oneOf('running', 'stopped', 'ended'),
      position: optional(objectOf({ branch: isCount, step: isCount, phase: optional(isText) })),
    }),
  ),
});
export type RunOverview = Guarded<typeof isOverview>;

const isStepPlace = { branch: isCount, step: isCount };

/** What the page asks; each has an answer. */
const isAsk = anyOf(
  /** The steps from `from` up to `to` in stretches of `size`, and the tokens before them. */
  objectOf({ kind: oneOf('bins'), branch: isCount, from: isCount, to: isCount, size: isCount }),
  /** `count` of the steps that pass a filter, by their place among those. */
  objectOf({ kind: oneOf('rows'), branch: isCount, filter: isStepFilter, from: isCount, count: isCount }),
  /** The step at or nearest to a step, or the next one in a direction, that passes a filter. */
  objectOf({
    kind: oneOf('find'),
    ...isStepPlace,
    filter: isStepFilter,
    direction: oneOf('nearest', 'next', 'previous'),
  }),
  objectOf({ kind: oneOf('detail'), ...isStepPlace }),
  objectOf({ kind: oneOf('blame'), ...isStepPlace, change: isCount }),
);
export type PageAsk = Guarded<typeof isAsk>;

const isAnswer = anyOf(
  objectOf({
    kind: oneOf('bins'),
    branch: isCount,
    before: isFiniteNumber,
    bins: listOf(isBin, answerLimit),
  }),
  objectOf({
    kind: oneOf('rows'),
    branch: isCount,
    filter: isStepFilter,
    from: isCount,
    /** How many steps pass the filter. */
    total: isCount,
    rows: listOf(isRow, answerLimit),
  }),
  objectOf({ kind: oneOf('find'), found: optional(objectOf({ step: isCount, index: isCount })) }),
  objectOf({ kind: oneOf('detail'), detail: isDetail }),
  objectOf({ kind: oneOf('blame'), entries: listOf(isBlameEntry, 1_000), complete: isFlag }),
);
export type PanelAnswer = Guarded<typeof isAnswer>;

const isDocument = oneOf('prompt', 'reply', 'observation', 'action', 'outcome');

/** What a picture is saved as; a PNG's bytes come in base64. */
const isPicture = oneOf('svg', 'png');
export type PictureFormat = Guarded<typeof isPicture>;

/** What a run is exported as: its graph, or the numbers of all steps. */
export const isExportFormat = oneOf('svg', 'png', 'csv');
export type ExportFormat = Guarded<typeof isExportFormat>;

/** What the page wants done. */
const isAction = anyOf(
  objectOf({ kind: oneOf('goTo'), ...isStepPlace }),
  objectOf({ kind: oneOf('open'), ...isStepPlace, document: isDocument, attempt: optional(isCount) }),
  /** A request with its answer, to the letter. */
  objectOf({ kind: oneOf('openExchange'), ...isStepPlace, attempt: isCount, request: isCount }),
  objectOf({ kind: oneOf('openRule'), ...isStepPlace, attempt: isCount, violation: isCount }),
  objectOf({ kind: oneOf('openValue'), ...isStepPlace, change: isCount, side: oneOf('before', 'after') }),
  objectOf({ kind: oneOf('diff'), ...isStepPlace }),
  /** Asks how often, and of whom. */
  objectOf({ kind: oneOf('tryStep'), ...isStepPlace }),
  objectOf({ kind: oneOf('copy'), ...isStepPlace, what: oneOf('action', 'patch') }),
  /** Asks where to, and what where no format is named; a picture is then asked for by `takePicture`. */
  objectOf({ kind: oneOf('export'), branch: isCount, format: optional(isExportFormat) }),
  objectOf({ kind: oneOf('savePicture'), format: isPicture, data: isText }),
  objectOf({ kind: oneOf('openText') }),
);
export type PageAction = Guarded<typeof isAction>;

/** Whether a value is what the page may send. */
export const isPageMessage = anyOf(
  /** The page is there; `run` is what it remembers to have shown. */
  objectOf({ type: oneOf('ready'), run: optional(isText) }),
  objectOf({ type: oneOf('ask'), id: isCount, ask: isAsk }),
  objectOf({ type: oneOf('act'), action: isAction }),
);
export type PageMessage = Guarded<typeof isPageMessage>;

/** Whether a value is what the extension may send. */
export const isPanelMessage = anyOf(
  objectOf({ type: oneOf('run'), overview: isOverview }),
  /** There is no run to show; `message` says what to do. */
  objectOf({ type: oneOf('empty'), message: isText }),
  objectOf({ type: oneOf('answer'), id: isCount, answer: isAnswer }),
  objectOf({ type: oneOf('refusal'), id: isCount, message: isText }),
  objectOf({ type: oneOf('select'), ...isStepPlace }),
  /** A command wants an export; the page knows of which branch. */
  objectOf({ type: oneOf('startExport'), format: optional(isExportFormat) }),
  objectOf({ type: oneOf('takePicture'), format: isPicture }),
  objectOf({ type: oneOf('notice'), message: isText }),
);
export type PanelMessage = Guarded<typeof isPanelMessage>;

/** Who counted what was spent. */
export function sourceOfTokens({
  spent,
  estimated,
}: Pick<PartTokens, 'spent' | 'estimated'>): 'reported' | 'estimated' | 'mixed' {
  if (estimated === 0) return 'reported';
  return estimated >= spent ? 'estimated' : 'mixed';
}

/** The tokens of all parts together: the height of a bar. */
export function totalOf(tokens: PartTokens): number {
  let total = 0;
  for (const part of tokenParts) total += tokens[part];
  return total;
}
