/** *Try This Step…*: several answers of models to the prompt of a step, with how they differ. Nothing runs. */
import * as vscode from 'vscode';
import {
  defaultSamples,
  isSamplingReport,
  type ModelReport,
  mostSampledModels,
  mostSamples,
  type SampleStepArguments,
  sampleStepRequest,
} from '../../../schemas/messages/samplingMessages';
import { oneLine } from '../../../schemas/text/oneLine';
import { type ChosenModel, readChosenModel } from '../hosts/chosenModel';
import type { Offered } from '../hosts/modelCatalog';
import { ownMember } from '../hosts/ownMember';
import type { ModelAccess } from '../hosts/vscode/modelAccess';
import { hasSetting } from '../models/settingOwners';
import { shortened } from '../runtime/quotation';
import type { ModelDocuments } from '../views/models/modelDocuments';
import { pickModel } from '../views/models/modelPicker';
import { askedModel } from '../views/models/sessionModel';
import type { SessionTraces, TracedRun } from '../views/sessionTraces';
import type { CommandId } from './commandTable';
import { pickerSources } from './modelCommands';
import { stepArgument } from './stepArgument';

export interface TryStepOptions {
  readonly traces: SessionTraces;
  readonly modelDocuments: ModelDocuments;
  readonly models: ModelAccess;
  readonly log: vscode.LogOutputChannel;
}

const title = 'Try This Step';

/** A model that is asked, perhaps the session's own, with all its settings. */
interface AskedModel extends ChosenModel {
  readonly isOwn?: boolean;
}

/** The handlers by the identifiers of their commands. */
export function tryStepCommands({ traces, modelDocuments, models: access, log }: TryStepOptions) {
  /** How often a step was tried, so that each result has a document of its own. */
  const tried = new Map<string, number>();
  /** Models that were asked for before, in this window. */
  const earlier: ChosenModel[] = [];

  /** Which models are asked; empty for the session's own, undefined where nobody wants to. */
  async function askModels(run: TracedRun): Promise<readonly AskedModel[] | undefined> {
    const own = ownModel(run);
    const picked = new Set<ChosenModel | 'own'>(['own']);
    for (;;) {
      const items: (vscode.QuickPickItem & { readonly model: ChosenModel | 'own' | 'another' })[] = [
        {
          label: own ?? 'The Model of the Session',
          description: own === undefined ? '' : 'the model of the session',
          model: 'own',
        },
        ...earlier.map((model) => ({ label: model.model, description: model.baseUrl ?? '', model })),
        { label: 'Another Model…', alwaysShow: true, model: 'another' as const },
      ];
      const chosen = await vscode.window.showQuickPick(
        items.map((item) => ({ ...item, picked: item.model !== 'another' && picked.has(item.model) })),
        {
          title: `${title} (2/3): Models`,
          placeHolder: `Choose up to ${mostSampledModels} models; each answers as often`,
          canPickMany: true,
          ignoreFocusOut: true,
        },
      );
      if (chosen === undefined || chosen.length === 0) return undefined;
      picked.clear();
      for (const { model } of chosen) if (model !== 'another') picked.add(model);
      if (chosen.every(({ model }) => model !== 'another')) break;
      const another = await pickModel(pickerSources({ models: access, log }), {
        title,
        placeholder: 'A model that answers beside the others',
        takes: isSampled,
      });
      if (another === undefined || another === 'automatic') continue;
      const known = earlier.find(
        ({ model, baseUrl }) => model === another.model && baseUrl === another.baseUrl,
      );
      if (known === undefined) earlier.push(another);
      picked.add(known ?? another);
    }
    return [...picked].flatMap((model) => {
      if (model !== 'own') return [model];
      return own === undefined || picked.size === 1 ? [] : [{ model: own, isOwn: true }];
    });
  }

  async function tryStep(argument?: unknown): Promise<void> {
    const run = traces.current;
    if (run === undefined || run.ended) {
      void vscode.window.showInformationMessage(
        run === undefined
          ? 'There is no run whose step can be tried. Debug a skill or a trace first.'
          : 'The session has ended. Debug its trace to try a step.',
      );
      return;
    }
    if (run.position?.stopped === false) {
      void vscode.window.showInformationMessage('The skill is running: pause it to try a step.');
      return;
    }
    const place = stepArgument(argument);
    const samples = samplesOf(argument) ?? (await askSamples());
    if (samples === undefined) return;
    const given = modelsOf(argument);
    const models: readonly AskedModel[] | undefined = given ?? (await askModels(run));
    if (models === undefined) return;
    const temperature =
      given === undefined ? await askTemperature(run, models, argument) : numberOf(argument, 'temperature');
    if (temperature === 'cancelled') return;
    const request: SampleStepArguments = {
      samples,
      models:
        models.length === 0
          ? undefined
          : models.map(({ model, baseUrl, isOwn }) => ({ name: model, baseUrl, isOwn })),
      temperature,
      step: place?.step,
      branch: place?.branch,
    };
    let answer: unknown;
    try {
      answer = await run.session.customRequest(sampleStepRequest, request);
    } catch (error) {
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
      return;
    }
    if (!isSamplingReport(answer)) throw new TypeError('The debug adapter answers something else.');
    const { samplingDocument } = await import('../runtime/samplingText');
    const { text, links: found } = samplingDocument(answer);
    const { tried: number, step, branch } = answer;
    const byNumber = found.toSorted((one, other) => one.model - other.model || one.sample - other.sample);
    const links = byNumber.map(({ model, sample, ...place }) => ({
      ...place,
      command: 'skill-state.openExchange' satisfies CommandId,
      argument: {
        sessionId: run.id,
        ...{ branch, step, attempt: sample },
        sampled: { tried: number, model },
      },
      label: `Sample ${sample}`,
      description: describeSample(answer.models[model], sample),
      tooltip: `Open the exact request and response of sample ${sample}`,
    }));
    const name = `Try Step ${answer.step} of ${answer.skill}`;
    const count = (tried.get(name) ?? 0) + 1;
    tried.set(name, count);
    await modelDocuments.open(count === 1 ? name : `${name} (${count})`, text, links);
  }

  return { 'skill-state.tryStep': tryStep };
}

/** The name of the session's own model. */
function ownModel({ reader, session }: TracedRun): string | undefined {
  return reader && askedModel(reader, session.configuration);
}

/** A sample in a list: its model, what became of it, and what it wants to do. */
function describeSample(report: ModelReport | undefined, number: number): string {
  const sample = report?.samples.find((one) => one.number === number);
  const action = sample?.action === undefined ? '' : ` · ${shortened(oneLine(sample.action), 80)}`;
  return `${report?.model ?? ''} · ${sample?.outcome ?? ''}${action}`;
}

/** Whether samples can be drawn of it: a person's answers are none. */
function isSampled(offered: Offered): boolean {
  return offered.kind !== 'automatic' && !(offered.kind === 'model' && offered.chosen.model === 'manual');
}

async function askSamples(): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title: `${title} (1/3): Samples`,
    prompt: 'How many answers each model gives. Each is a request of its own, which may cost money.',
    value: String(defaultSamples),
    ignoreFocusOut: true,
    validateInput: (written) =>
      isSamples(Number(written)) && written.trim() !== ''
        ? undefined
        : `Write a whole number from 1 to ${mostSamples}.`,
  });
  return text === undefined ? undefined : Number(text);
}

/**
 * At which temperature the models are asked; undefined for that of the session, and where none of them takes one.
 *
 * @param models empty for the session's own
 */
async function askTemperature(
  run: TracedRun,
  models: readonly AskedModel[],
  argument: unknown,
): Promise<number | undefined | 'cancelled'> {
  const temperature = numberOf(argument, 'temperature');
  if (temperature !== undefined) return temperature;
  const header = run.reader?.header;
  const names = models.length > 0 ? models.map(({ model }) => model) : [ownModel(run)];
  if (!names.some((name) => name === undefined || hasSetting(name, 'temperature'))) return undefined;
  const began = header === undefined ? '' : `, which began at ${header.options.temperature}`;
  const text = await vscode.window.showInputBox({
    title: `${title} (3/3): Temperature`,
    prompt: `How freely the models choose their words, from 0 to ${highestTemperature}. At 0, answers may all be equal; 0.7 shows what else they might do. Empty for the temperature of the session.`,
    placeHolder: `As in the session${began}`,
    ignoreFocusOut: true,
    validateInput: (written) =>
      written.trim() === '' || isTemperature(Number(written))
        ? undefined
        : `Write a number from 0 to ${highestTemperature}, or nothing.`,
  });
  if (text === undefined) return 'cancelled';
  return text.trim() === '' ? undefined : Number(text);
}

/** As in launch.json. */
const highestTemperature = 2;

function isTemperature(value: number): boolean {
  return value >= 0 && value <= highestTemperature;
}

function isSamples(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= mostSamples;
}

function samplesOf(argument: unknown): number | undefined {
  const samples = numberOf(argument, 'samples');
  return samples !== undefined && isSamples(samples) ? samples : undefined;
}

/** The models that an argument names; an empty list means the session's own. */
function modelsOf(argument: unknown): readonly ChosenModel[] | undefined {
  const models = ownMember(argument, 'models');
  if (!Array.isArray(models)) return undefined;
  return models.flatMap((model: unknown) => readChosenModel(model) ?? []);
}

function numberOf(argument: unknown, name: string): number | undefined {
  const value = ownMember(argument, name);
  return typeof value === 'number' ? value : undefined;
}
