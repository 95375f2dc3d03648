/** Commands about steps of the run that is looked at: going there, comparing states, opening texts. */
import * as vscode from 'vscode';
import { goToRequest } from '../../../schemas/messages/debugMessages';
import { contextKeys } from '../hosts/contextKeys';
import { firstItem, ownMember } from '../hosts/ownMember';
import type { DocumentPart } from '../views/documents/traceDocument';
import type { TraceDocuments } from '../views/documents/traceDocuments';
import type { SessionTraces, TracedRun } from '../views/sessionTraces';
import type { StepsTree } from '../views/steps/stepsTree';
import { type StepPlace, stepArgument, tracedStepArgument } from './stepArgument';
import { askFilter, filterArgument } from './stepFilterInput';

export interface StepCommandOptions {
  readonly traces: SessionTraces;
  readonly steps: StepsTree;
  readonly documents: TraceDocuments;
}

/** The handlers by the identifiers of their commands. */
export function stepCommands({ traces, steps, documents }: StepCommandOptions) {
  let selected: (StepPlace & { readonly trace: string }) | undefined;

  /** A step of the current run; what is missing is said. */
  function placeIn(
    argument: unknown,
  ): (StepPlace & { readonly run: TracedRun; readonly trace: string }) | undefined {
    const run = traces.current;
    const trace = run?.tracePath;
    if (run === undefined || trace === undefined) {
      void vscode.window.showInformationMessage(
        'There is no run to look at yet. Debug a skill or a trace first.',
      );
      return undefined;
    }
    const named = stepArgument(argument);
    const position = run.position;
    const place = named ?? (position && { branch: position.branch, step: position.step });
    return place && { ...place, run, trace };
  }

  async function openPart(part: DocumentPart, argument: unknown): Promise<void> {
    const place = placeIn(argument);
    if (place === undefined) return;
    const { trace, branch, step, run } = place;
    let attempt: number | undefined;
    if (part === 'prompt' || part === 'reply') {
      attempt = await chooseAttempt(run.reader?.summary(branch, step).attempts ?? 0, part);
      if (attempt === undefined) return;
    }
    await documents.open({ trace, branch, step, part, attempt });
  }

  async function diffStep(argument: unknown): Promise<void> {
    const place = placeIn(argument);
    if (place === undefined) return;
    const { trace, branch, step } = place;
    await documents.diffStates({ trace, branch, step }, { trace, branch, step: step + 1 });
  }

  async function diffSteps(argument: unknown): Promise<void> {
    const given = {
      from: tracedStepArgument(ownMember(argument, 'from')),
      to: tracedStepArgument(ownMember(argument, 'to')),
    };
    if (given.from !== undefined && given.to !== undefined) return documents.diffStates(given.from, given.to);
    const current = placeIn(undefined);
    if (current === undefined) return;
    const { run, trace, branch, step } = current;
    const states = stepsOf(run, branch);
    const from = await askStep(`Compare States (1/2): Older, 0 to ${states}`, states, String(step));
    if (from === undefined) return;
    const to = await askStep(
      `Compare States (2/2): Newer, 0 to ${states}`,
      states,
      String(Math.min(from + 1, states)),
    );
    if (to === undefined) return;
    await documents.diffStates({ trace, branch, step: from }, { trace, branch, step: to });
  }

  return {
    'skill-state.openStep': async (argument?: unknown) => {
      const place = placeIn(argument);
      if (place === undefined) return;
      if (place.run.ended || place.run.position?.stopped === false) await diffStep(place);
      else await goTo(place.run, place);
    },
    'skill-state.goToStep': async (argument?: unknown) => {
      const current = placeIn(argument);
      if (current === undefined) return;
      const { run, branch } = current;
      let { step } = current;
      if (stepArgument(argument) === undefined) {
        const last = stepsOf(run, branch) - 1;
        const asked = await askStep(`Go to Step: 0 to ${last}`, last, String(step));
        if (asked === undefined) return;
        step = asked;
      }
      if (run.ended) await diffStep({ branch, step });
      else await goTo(run, { branch, step });
    },
    'skill-state.diffStep': diffStep,
    'skill-state.diffSteps': diffSteps,
    'skill-state.selectStepForCompare': async (argument?: unknown) => {
      const place = placeIn(argument);
      if (place === undefined) return;
      const { trace, branch, step } = place;
      selected = { trace, branch, step };
      await vscode.commands.executeCommand('setContext', contextKeys.stepIsSelected, true);
    },
    'skill-state.compareWithSelectedStep': async (argument?: unknown) => {
      const place = placeIn(argument);
      if (place === undefined || selected === undefined) return;
      const { trace, branch, step } = place;
      const other = { trace, branch, step };
      const isOlder = branch === selected.branch && trace === selected.trace && step < selected.step;
      await (isOlder ? documents.diffStates(other, selected) : documents.diffStates(selected, other));
    },
    'skill-state.openPrompt': (argument?: unknown) => openPart('prompt', argument),
    'skill-state.openReply': (argument?: unknown) => openPart('reply', argument),
    'skill-state.openObservation': (argument?: unknown) => openPart('observation', argument),
    'skill-state.copyAction': async (argument?: unknown) => {
      const place = placeIn(argument);
      if (place === undefined) return;
      const recorded = await place.run.reader?.step(place.branch, place.step);
      const action = recorded?.intent?.action;
      if (action !== undefined) await vscode.env.clipboard.writeText(action);
      else void vscode.window.showInformationMessage(`Step ${place.step} has no action to copy.`);
    },
    'skill-state.restartStep': async (argument?: unknown) => {
      const place = placeIn(argument);
      if (place === undefined) return;
      const { run } = place;
      if (run.ended) {
        void vscode.window.showInformationMessage(
          'The session has ended. Debug its trace to generate a step again.',
        );
        return;
      }
      if (!(await goTo(run, place))) return;
      await restartFrame(run.session);
    },
    'skill-state.filterSteps': async (argument?: unknown) => {
      const filter = filterArgument(argument) ?? (await askFilter(steps.filter));
      if (filter !== undefined) steps.setFilter(filter);
    },
    'skill-state.clearStepsFilter': () => steps.setFilter({ kind: 'all' }),
    'skill-state.followSession': () => steps.setFollowing(true),
    'skill-state.stopFollowing': () => steps.setFollowing(false),
  };
}

/** Asks the session to go to a step; what it refuses is said. Whether it went. */
export async function goTo({ session }: TracedRun, { branch, step }: StepPlace): Promise<boolean> {
  return tells(session.customRequest(goToRequest, { branch, step }));
}

/** Generates the step in which the session stands again: the top frame is the phase's. */
async function restartFrame(session: vscode.DebugSession): Promise<void> {
  const stack: unknown = await session.customRequest('threads').then((body: unknown) => {
    const threadId = ownMember(firstItem(ownMember(body, 'threads')), 'id');
    return session.customRequest('stackTrace', { threadId, startFrame: 0, levels: 1 });
  });
  const frameId = ownMember(firstItem(ownMember(stack, 'stackFrames')), 'id');
  await tells(session.customRequest('restartFrame', { frameId }));
}

/** Waits for an answer and says why it is a refusal. Whether it is none. */
export async function tells(answer: Thenable<unknown>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    return false;
  }
}

function stepsOf({ reader }: TracedRun, branch: number): number {
  return reader?.branches.find(({ id }) => id === branch)?.steps ?? 0;
}

async function askStep(title: string, last: number, value: string): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    value,
    prompt: `A step from 0 to ${last}.`,
    validateInput: (written) =>
      /^\s*\d+\s*$/.test(written) && Number(written) <= last
        ? undefined
        : `Write the number of a step, from 0 to ${last}.`,
  });
  return text === undefined ? undefined : Number(text);
}

async function chooseAttempt(attempts: number, part: string): Promise<number | undefined> {
  if (attempts <= 1) return 1;
  const items = Array.from({ length: attempts }, (_, index) => ({
    label: `Attempt ${index + 1}`,
    attempt: index + 1,
  }));
  const picked = await vscode.window.showQuickPick(items.reverse(), {
    title: `Open the ${part} of…`,
    placeHolder: 'Choose an attempt, the last one first',
  });
  return picked?.attempt;
}
