/** The adapter's error responses: each has its id; shown ones are for the user, silent ones for the client. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { rewindRefusalId } from '../../../schemas/messages/debugMessages';
import { RewindFailure } from '../runtime/runFailure';
import type { Remedy } from './debugHost';

/** What a request is answered with when it fails. */
export class RequestFailure extends Error {
  override readonly name: string = 'RequestFailure';
  readonly response: DebugProtocol.Message;

  constructor(response: DebugProtocol.Message, options?: { readonly cause?: unknown }) {
    super(formatMessage(response), options);
    this.response = response;
  }
}

/** The message with its variables filled in, in one pass, so that braces in values stay. */
function formatMessage({ format, variables }: DebugProtocol.Message): string {
  return format.replace(/\{([^{}]+)\}/g, (whole, name: string) => variables?.[name] ?? whole);
}

function silent(id: number, format: string, variables?: Record<string, string>): RequestFailure {
  return new RequestFailure({ id, format, ...(variables && { variables }), showUser: false });
}

function shown(id: number, format: string, variables?: Record<string, string>): RequestFailure {
  return new RequestFailure({ id, format, ...(variables && { variables }), showUser: true });
}

export const failures = {
  unknownRequest: (command: string) => silent(1001, 'There is no request "{command}" here.', { command }),
  badArguments: (command: string, detail: string) =>
    silent(1002, 'The arguments of "{command}" are wrong: {detail}', { command, detail }),
  uriPaths: () =>
    silent(1003, 'Paths have to be native paths: initialize with "pathFormat": "path" instead of "uri".'),
  notInitialized: (command: string) =>
    silent(1004, '"{command}" came before "initialize", which has to be first.', { command }),
  initializedTooLate: () => silent(1005, '"initialize" came after "launch": it has to be first.'),
  internal: (message: string) => shown(1099, 'The debug adapter failed: {message}', { message }),

  badConfiguration: (message: string) => shown(2001, '{message}', { message }),
  /** @param remedy what a client may offer beside the message */
  launchFailed: (message: string, remedy?: Remedy) =>
    new RequestFailure({
      ...shown(2002, '{message}', { message }).response,
      ...(remedy && { url: remedy.url, urlLabel: remedy.label }),
    }),
  attachUnsupported: () => shown(2003, 'A skill can be launched, not attached to: use "request": "launch".'),
  alreadyLaunched: () => silent(2004, 'This session has a run already: use "restart".'),
  launchAborted: () => silent(2005, 'The session ended before the skill was ready.'),
  stillLaunching: () => silent(2006, 'The skill is being made ready: restart it when it runs.'),

  notLaunched: () => silent(3001, 'No skill has been launched.'),
  running: () => silent(3002, 'The skill is running: pause it first.'),
  ended: () => silent(3003, 'The run is over.'),
  unknownThread: (id: number) =>
    silent(3004, 'There is no thread {id}; the only one is 1.', { id: String(id) }),
  /** The message of why a branch can't begin is for the user. */
  forkRefused: (message: string) => shown(3006, '{message}', { message }),
  /** The same where only `forkWithoutRewind` is missing. */
  rewindMissing: (message: string) => shown(rewindRefusalId, '{message}', { message }),
  noSuchPlace: (message: string) => silent(3007, '{message}.', { message }),
  unknownTarget: (id: number) => silent(3008, 'The target {id} is not known any more.', { id: String(id) }),
  wentOn: () => silent(3010, 'The skill went on meanwhile: ask again where it stands now.'),
  /** Why a request to the model can't be shown. */
  noExchange: (message: string) => silent(3011, '{message}.', { message }),
  questionGone: () => silent(3012, 'That question waits for no answer any more.'),
  noReplyAwaited: () => silent(3013, 'The run waits for no reply now.'),
  /** Why no samples of a step can be drawn, a sentence. */
  samplingRefused: (message: string) => silent(3014, '{message}', { message }),
  noException: () => silent(3005, 'The skill did not stop on an exception.'),

  expiredReference: (kind: string, reference: number) =>
    silent(4001, 'The {kind} {reference} has expired: the skill went on since.', {
      kind,
      reference: String(reference),
    }),
  unknownSource: (reference: number) =>
    silent(4002, 'The text {reference} is not kept any more.', { reference: String(reference) }),
  unreadableSource: (path: string) => shown(4003, '{path} is no file of this skill.', { path }),
  evaluation: (message: string) => silent(4004, '{message}', { message }),
  unknownVariable: (name: string) => silent(4005, 'There is no variable "{name}" here.', { name }),
  editRefused: (message: string) => silent(4006, '{message}', { message }),
} as const;

/** Whatever was thrown, as what the request is answered with. */
export function toRequestFailure(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error;
  return failures.internal(messageOf(error));
}

/** What a user sees of whatever was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof RewindFailure) return `${error.message} ${rewindAdvice}`;
  return error instanceof Error ? error.message : String(error);
}

/** What can be done where an environment can't be taken back; the runtime doesn't know how a run was launched. */
export const rewindAdvice =
  'Set "forkWithoutRewind" in the launch configuration to go on all the same, with the environment as it is.';
