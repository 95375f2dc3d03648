/** What a request to Gemini asks for beside the prompt. */
import type { GenerateContentConfig, ThinkingConfig } from '@google/genai';
import type { ModelRequest } from '../../runtime/model';
import type { ProbePlacement } from '../decoding/probe';
import type { ReplyConstraint } from '../decoding/replyConstraint';
import type { ModelSettings } from '../modelSettings';
import { sampleSeed } from '../sampleSeed';

/** Where the API takes a constraint, in order of preference; the names are recorded in traces. */
export const geminiPlacements: readonly ProbePlacement[] = [
  { encoding: 'json-schema', placement: 'responseJsonSchema', dialect: 'gemini' },
  { encoding: 'operations', placement: 'responseJsonSchema', dialect: 'gemini' },
];

export function geminiConfig(
  model: string,
  request: Omit<ModelRequest, 'prompt' | 'expected'>,
  settings: ModelSettings,
  constraint?: ReplyConstraint,
): GenerateContentConfig {
  const thinkingConfig = thinkingOf(model, settings);
  return {
    temperature: request.temperature,
    topP: request.topP,
    seed: sampleSeed(request),
    ...(request.maxTokens !== undefined && { maxOutputTokens: request.maxTokens }),
    ...(thinkingConfig && { thinkingConfig }),
    ...(constraint?.kind === 'json' && {
      responseMimeType: 'application/json',
      responseJsonSchema: constraint.schema,
    }),
  };
}

/**
 * Thoughts are asked for where the model has some: a model that doesn't think refuses a request that asks for them, also
 * one whose thinking was switched off.
 */
function thinkingOf(
  model: string,
  { thinkingBudget, reasoningEffort }: ModelSettings,
): ThinkingConfig | undefined {
  if (thinkingBudget === 0) return { thinkingBudget };
  if (thinkingBudget !== undefined) return { thinkingBudget, includeThoughts: true };
  if (reasoningEffort !== undefined) {
    // The library's enumeration has these words in capitals; what it doesn't know is for the server to judge.
    const thinkingLevel = reasoningEffort.toUpperCase() as NonNullable<ThinkingConfig['thinkingLevel']>;
    return { thinkingLevel, includeThoughts: true };
  }
  return thinksByDefault(model) ? { includeThoughts: true } : undefined;
}

/** Gemini 2.5 and later, by whatever path they are named; of 2.5 the smallest ones only where a budget is set. */
function thinksByDefault(model: string): boolean {
  const id = idOf(model);
  if (/^gemini-(flash|pro)-latest$/.test(id)) return true;
  const version = versionOf(id);
  if (version === undefined || /image|tts|audio|live|embedding/.test(id)) return false;
  return version >= 3 || (version >= 2.5 && !id.includes('lite'));
}

/** Whether a model, by whatever path it is named, says that it is one of Gemini 3. */
export function isGemini3(model: string): boolean {
  return Math.floor(versionOf(idOf(model)) ?? 0) === 3;
}

function idOf(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1);
}

function versionOf(id: string): number | undefined {
  const [, version] = /^gemini-(\d+(?:\.\d+)?)-/.exec(id) ?? [];
  return version === undefined ? undefined : Number(version);
}
