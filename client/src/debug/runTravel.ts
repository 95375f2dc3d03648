/** Going elsewhere in a run at a client's request: back, to a step, to a step generated again, to an edited skill. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { EditedBody, ForkBody, GoToArguments } from '../../../schemas/messages/debugMessages';
import type { Skill } from '../../../schemas/skill/skill';
import type { ForkResult, Journey, JourneyPlace, RecordPart } from '../runtime/journey';
import type { ClientConventions } from './clientConventions';
import { type Clock, LaunchFailure, type OpenedRun } from './debugHost';
import { refusalText } from './editing';
import { failures } from './errors';
import { placeOfPhase, stepTargets } from './gotoTargets';
import { movedLines } from './movedLines';
import type { SkillPaths } from './skillPaths';
import { type DocumentStore, type RunSources, recordedFileOf } from './sources';
import type { StepController } from './stepController';
import { shownRun } from './view';

/** So many targets of `goto` are remembered. */
const keptTargets = 2_000;

export interface RunTravelOptions {
  readonly opened: OpenedRun;
  readonly controller: StepController;
  readonly clock: Clock;
  readonly client: ClientConventions;
  readonly documents: DocumentStore;
  readonly sources: RunSources;
  readonly paths: () => SkillPaths;
  /** @throws RequestFailure where the run isn't stopped */
  readonly assertStopped: () => void;
  /**
   * Waits for a part of a record that is still being read.
   *
   * @throws RequestFailure where the run isn't stopped, or went on meanwhile
   */
  readonly recordRead: (part: RecordPart) => Promise<void>;
  /** The run goes on; what was shown is over. */
  readonly leave: () => void;
  /** Writes a line to the console. */
  readonly tell: (line: string) => void;
}

export class RunTravel {
  readonly #options: RunTravelOptions;
  readonly #journey: Journey;
  readonly #targets = new Map<number, JourneyPlace>();
  #nextTarget = 1;
  /** How often somebody wanted to go to a place: the last time counts. */
  #wishes = 0;

  constructor(options: RunTravelOptions) {
    this.#options = options;
    this.#journey = options.opened.execution;
  }

  goBack(way: 'stepBack' | 'reverseContinue'): void {
    this.#options.leave();
    this.#options.controller.goBack(way);
  }

  goTo(place: JourneyPlace): void {
    this.#options.leave();
    this.#options.controller.goTo(place);
  }

  /** A stop that a change has led to, once its request was answered. */
  stopRestarted(): void {
    this.#options.leave();
    this.#options.controller.stop({ kind: 'restart' });
  }

  /**
   * A place to go to; undefined where somebody wants to go elsewhere by now.
   *
   * @throws RequestFailure where there is no such place, or the run went on meanwhile
   */
  async placeOf({ branch, step, phase = 'observe' }: GoToArguments): Promise<JourneyPlace | undefined> {
    this.#options.assertStopped();
    const wish = ++this.#wishes;
    try {
      if (this.#journey.isReading) await this.#options.recordRead({ branch, step });
      await this.#journey.startOf(branch, step);
      const place = await placeOfPhase(this.#journey, { branch, step, phase });
      if (wish !== this.#wishes) return undefined;
      this.#options.assertStopped();
      return place;
    } catch (error) {
      if (wish !== this.#wishes) return undefined;
      if (error instanceof RangeError) throw failures.noSuchPlace(error.message);
      throw error;
    }
  }

  /** Begins a branch at the start of the step that is shown, to generate it again. @throws RequestFailure */
  async restartStep(): Promise<void> {
    this.#options.assertStopped();
    if (this.#journey.isReading) await this.#options.recordRead('whole');
    const { branch: left } = this.#journey.position;
    const step = this.#shownStep();
    const forked = await this.#options.controller.forkAt(step);
    if (!forked.ok) throw this.#refused(forked, this.#journey.skill);
    this.#tellFork({ step, branch: forked.branch, left, why: 'to try this step again' });
  }

  #tellFork(fork: {
    readonly step: number;
    readonly branch: number;
    readonly left: number;
    readonly why: string;
  }): void {
    const { step, branch, left, why } = fork;
    this.#options.tell(
      `t=${step} branch ${branch} begins ${why}; what was recorded stays as branch ${left}.`,
    );
  }

  /** Begins a branch at the start of the step that is shown, with the skill as it is on disk. @throws RequestFailure */
  async forkWithEditedSkill(): Promise<ForkBody> {
    this.#options.assertStopped();
    if (this.#journey.isReading) await this.#options.recordRead('whole');
    const skill = await this.#loadEdited();
    await this.#options.sources.refresh();
    if (this.#changed(skill).length === 0)
      throw failures.forkRefused('No file of the skill differs from what the run has.');
    this.#options.assertStopped();
    const { branch: left } = this.#journey.position;
    const step = this.#shownStep();
    const forked = await this.#options.controller.forkAt(step, skill);
    if (!forked.ok) throw this.#refused(forked, skill);
    this.#tellFork({ step, branch: forked.branch, left, why: 'with the edited skill' });
    return { branch: forked.branch, step };
  }

  /** Which of the skill's files differ now from what the run has. */
  async edited(): Promise<EditedBody> {
    const { opened, sources } = this.#options;
    await sources.refresh();
    // A file that can't be read as part of the skill is told of when somebody wants to go on with it.
    const skill = await opened.loadEdited().catch((error: unknown) => {
      if (error instanceof LaunchFailure) return undefined;
      throw error;
    });
    return { files: skill === undefined ? sources.changed : this.#changed(skill) };
  }

  /** The files that differ, as of the last look at them, those that the skill has got since among them. */
  #changed(edited: Skill): readonly string[] {
    const known = new Set(this.#journey.skill.files.map(({ path }) => path));
    const added = edited.files.map(({ path }) => path).filter((path) => !known.has(path));
    return [...this.#options.sources.changed, ...added];
  }

  async gotoTargets({
    source,
    line,
  }: DebugProtocol.GotoTargetsArguments): Promise<DebugProtocol.GotoTargetsResponse['body']> {
    this.#options.assertStopped();
    const { client, clock } = this.#options;
    const path = this.#fileOf(source);
    const at = path === undefined ? undefined : await this.#recordedLine(path, source, client.fromLine(line));
    if (path === undefined || at === undefined) return { targets: [] };
    // They are looked for from the last step back.
    if (this.#journey.isReading) await this.#options.recordRead('whole');
    const { branch } = this.#journey.position;
    const found = await stepTargets(this.#journey, { path, line: at }, () => clock.yieldToMessages());
    const targets: DebugProtocol.GotoTarget[] = [];
    for (const { step, phase, label } of found) {
      const id = this.#nextTarget++;
      this.#targets.set(id, await placeOfPhase(this.#journey, { branch, step, phase }));
      targets.push({ id, label, line });
    }
    for (const oldest of this.#targets.keys()) {
      if (this.#targets.size <= keptTargets) break;
      this.#targets.delete(oldest);
    }
    return { targets };
  }

  /** @throws RequestFailure for a target that is not known any more */
  target(id: number): JourneyPlace {
    this.#options.assertStopped();
    const place = this.#targets.get(id);
    if (place === undefined) throw failures.unknownTarget(id);
    return place;
  }

  #shownStep(): number {
    const { position } = this.#options.controller;
    return position === undefined ? 0 : shownRun(position).step;
  }

  async #loadEdited(): Promise<Skill> {
    try {
      return await this.#options.opened.loadEdited();
    } catch (error) {
      if (error instanceof LaunchFailure) throw failures.forkRefused(error.message);
      throw error;
    }
  }

  #refused(refusal: ForkResult & { readonly ok: false }, skill: Skill) {
    const text = refusalText(refusal, skill, (line) => this.#options.client.line(line));
    return refusal.liftedBy === undefined ? failures.forkRefused(text) : failures.rewindMissing(text);
  }

  #fileOf({ path, sourceReference }: DebugProtocol.Source): string | undefined {
    if (sourceReference !== undefined && sourceReference > 0)
      return recordedFileOf(this.#options.documents.text(sourceReference));
    return path === undefined ? undefined : this.#options.paths().relative(path);
  }

  /** The line of the recorded file that a line of what a client shows was; undefined for one that it hasn't. */
  async #recordedLine(
    path: string,
    { sourceReference = 0 }: DebugProtocol.Source,
    line: number,
  ): Promise<number | undefined> {
    if (sourceReference > 0) return line;
    const recorded = this.#journey.skill.files.find((file) => file.path === path);
    const current = await this.#options.sources.currentText(path);
    return recorded && movedLines(recorded.text, current ?? '')(line);
  }
}
