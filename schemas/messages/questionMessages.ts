/**
 * What the debug adapter and a client that knows it say to each other where a person answers for the model or the
 * environment. The debug console takes the answer as well; whoever answers first has answered.
 */
import { type Guarded, isCount, isFlag, isText, listOf, objectOf, oneOf, optional } from './shape';

/** Event: a person is asked. One question waits at a time. */
export const questionEvent = 'skill-state/question';

export const isQuestion = objectOf({
  /** Names the question within its session. */
  id: isCount,
  /** The model's reply to a prompt, or the observation that an action led to. */
  kind: oneOf('reply', 'observation'),
  /** One line for the person. */
  title: isText,
  /** t, from 0. */
  step: isCount,
  /** Of a reply: 1 for the first attempt of a step. */
  attempt: optional(isCount),
  /** Of a reply: the exact prompt, with the correction where the reply before was rejected. */
  prompt: optional(isText),
  /** Of an observation: whether an action led to it, which `Error:` refuses. */
  refusable: optional(isFlag),
});
export type QuestionBody = Guarded<typeof isQuestion>;

/** Event: a question waits no longer. */
export const questionClosedEvent = 'skill-state/questionClosed';

export const isQuestionClosed = objectOf({
  id: isCount,
  /** `withdrawn`: the run went elsewhere, or ended. */
  how: oneOf('answered', 'withdrawn'),
});
export type QuestionClosedBody = Guarded<typeof isQuestionClosed>;

/** Request: answers a question. Refused where it waits no longer. */
export const answerRequest = 'skill-state/answer';

export const isAnswerArguments = objectOf({ id: isCount, text: isText });
export type AnswerArguments = Guarded<typeof isAnswerArguments>;

/**
 * Request: what the run would make of a text as the reply that it waits for, by the rules by which it will be taken or
 * rejected. Changes nothing. Refused where the run waits for no reply.
 */
export const checkReplyRequest = 'skill-state/checkReply';

export const isCheckReplyArguments = objectOf({ text: isText });
export type CheckReplyArguments = Guarded<typeof isCheckReplyArguments>;

const isReplyProblem = objectOf({
  /** The class of the rejection, or of the warning. */
  class: isText,
  message: isText,
  /** The stretch of the text that it is about, in UTF-16 units. */
  start: isCount,
  end: isCount,
  /** The place in the state schema whose rule is violated, where there is one. */
  schemaLocation: optional(isText),
});
export type ReplyProblem = Guarded<typeof isReplyProblem>;

export const isReplyCheck = objectOf({
  /** Whether the reply would be taken. */
  accepted: isFlag,
  /** Why not: the first failure counts, with all its violations. */
  rejections: listOf(isReplyProblem),
  /** What a reply that is taken is warned of. */
  warnings: listOf(isReplyProblem),
  /** Of a reply that is taken: its action, and how many keys of the state it changes. */
  action: optional(isText),
  changes: optional(isCount),
});
export type ReplyCheck = Guarded<typeof isReplyCheck>;
