/** Requests that go elsewhere in a run. What they lead to is told by a stop, after the response. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { isGoToArguments } from '../../../schemas/messages/debugMessages';
import type { DebuggedRun } from './debuggedRun';
import { failures } from './errors';
import type { Routes } from './routes';

export interface TravelContext {
  /** @throws RequestFailure where nothing has been launched */
  readonly launched: () => DebuggedRun;
  /** @throws RequestFailure where nothing has been launched, and for a thread that there isn't */
  readonly runOf: (thread: { readonly threadId: number }) => DebuggedRun;
  /**
   * Says that the run has left its stop, because of a request of our own. Clients know that of the protocol's; without it
   * VS Code goes on saying why the run had stopped before. To be called before the request is answered: VS Code takes
   * `continued` and `stopped` that come without another message between them together, and forgets the new stop's
   * reason with the old one's.
   */
  readonly sayContinued: () => void;
}

/** All of them are refused while the run goes on. */
export function travelRoutes({ launched, runOf, sayContinued }: TravelContext) {
  const back = (thread: { readonly threadId: number }, way: 'stepBack' | 'reverseContinue') => {
    const run = runOf(thread);
    run.assertStopped();
    return { after: () => run.travel.goBack(way) };
  };
  return {
    stepBack: (thread: DebugProtocol.StepBackArguments) => back(thread, 'stepBack'),
    reverseContinue: (thread: DebugProtocol.ReverseContinueArguments) => back(thread, 'reverseContinue'),
    restartFrame: async ({ frameId }: DebugProtocol.RestartFrameArguments) => {
      const run = launched();
      run.assertFrame(frameId);
      await run.travel.restartStep();
      return { after: () => run.travel.stopRestarted() };
    },
    gotoTargets: async (request: DebugProtocol.GotoTargetsArguments) => ({
      body: await launched().travel.gotoTargets(request),
    }),
    goto: ({ threadId, targetId }: DebugProtocol.GotoArguments) => {
      const run = runOf({ threadId });
      const place = run.travel.target(targetId);
      return { after: () => run.travel.goTo(place) };
    },
    'skill-state/goTo': async (given: unknown) => {
      if (!isGoToArguments(given)) {
        const detail = 'branch and step are numbers from 0, phase is "observe" or "act".';
        throw failures.badArguments('skill-state/goTo', detail);
      }
      const run = launched();
      const place = await run.travel.placeOf(given);
      if (place === undefined) return {};
      sayContinued();
      return { after: () => run.travel.goTo(place) };
    },
    'skill-state/forkWithEditedSkill': async () => {
      const run = launched();
      const body = await run.travel.forkWithEditedSkill();
      sayContinued();
      return { body, after: () => run.travel.stopRestarted() };
    },
    'skill-state/edited': async () => ({ body: await launched().travel.edited() }),
  } satisfies Partial<Routes>;
}
