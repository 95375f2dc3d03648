/** The prompt of SKILL.state (the paper's appendix A.4, to the letter), the correction of a retry, and the way back. */
import { isJsonObject, type JsonObject } from '../../../schemas/json/jsonValue';
import { shortened } from './quotation';
import type { Rejection } from './rejection';

/** The template with its placeholders. It ends without a line break. */
export const promptTemplate: { readonly name: 'skill-state'; readonly text: string } = {
  name: 'skill-state',
  text: `Instructions:
{skill.instructions}

Skill Execution State:
\`\`\`json
{state}
\`\`\`

Latest Observation: {observation}

Provide your response with:
1. Step-by-step reasoning (will be discarded after execution)
2. A JSON block fenced with \`\`\`json ... \`\`\` containing both your State Patch and your Action. The JSON block MUST have exactly these two keys: { "state_patch": { <dict: your state updates, set keys to null to delete> }, "action": "<string: the exact command you want to execute>" }`,
};

/** What a prompt is made of: A_t = (P, Σ_t, O_t), and the correction where a reply was rejected. */
export interface PromptInput {
  readonly instructions: string;
  readonly state: JsonObject;
  readonly observation: string;
  readonly correction?: string | undefined;
}

/** A half-open stretch of the prompt, in UTF-16 offsets. */
export interface PromptSpan {
  readonly start: number;
  readonly end: number;
}

export interface Prompt {
  readonly text: string;
  /** Σ as it stands in the prompt: JSON without spaces. */
  readonly stateText: string;
  /** Where the parts stand in `text`. */
  readonly parts: {
    readonly instructions: PromptSpan;
    readonly state: PromptSpan;
    readonly observation: PromptSpan;
    readonly correction?: PromptSpan;
  };
}

const correctionSeparator = '\n\n';

/** The template's own text around P, Σ and O. */
const [beforeInstructions, beforeState, beforeObservation, afterObservation] = templatePieces();

function templatePieces(): readonly [string, string, string, string] {
  const pieces = promptTemplate.text.split(/\{skill\.instructions\}|\{state\}|\{observation\}/);
  const [first = '', second = '', third = '', fourth = ''] = pieces;
  return [first, second, third, fourth];
}

/** The template's own text, as the pieces that stand around P, Σ and O. */
export const scaffoldPieces: readonly string[] = [
  beforeInstructions,
  beforeState,
  beforeObservation,
  afterObservation,
];

/** What a correction adds to the end of a prompt. */
export function correctionSuffix(correction: string): string {
  return correctionSeparator + correction;
}

/** Fills the template, literally and in one pass: a `{observation}` inside P stays as it is. */
export function composePrompt(input: PromptInput): Prompt {
  const stateText = JSON.stringify(input.state);
  let text = '';
  const append = (scaffold: string, part: string): PromptSpan => {
    const start = text.length + scaffold.length;
    text += scaffold + part;
    return { start, end: text.length };
  };
  const instructions = append(beforeInstructions, input.instructions);
  const state = append(beforeState, stateText);
  const observation = append(beforeObservation, input.observation);
  text += afterObservation;
  if (input.correction === undefined) return { text, stateText, parts: { instructions, state, observation } };
  const correction = append(correctionSeparator, input.correction);
  return { text, stateText, parts: { instructions, state, observation, correction } };
}

/** The prompt that a run sends next: its skill's P, and Σ, O and the correction as they are now. */
export function promptOf(
  { instructions }: Pick<PromptInput, 'instructions'>,
  { state, observation, correction }: Omit<PromptInput, 'instructions'>,
): Prompt {
  return composePrompt({ instructions, state, observation, correction });
}

const maxCorrectionLength = 600;
const maxCorrectedViolations = 3;

/** What a model is told after a rejected reply: what was wrong and where, on one line of at most 600 characters. */
export function correctionFor(rejection: Rejection): string {
  const others = (rejection.violations ?? [])
    .slice(1, maxCorrectedViolations)
    .map((violation) => violation.message);
  const messages = [rejection.correction ?? rejection.message, ...others].map((message) =>
    message.replaceAll(/\s+/g, ' ').trim(),
  );
  const more = (rejection.violations?.length ?? 0) - maxCorrectedViolations;
  if (more > 0) messages.push(`(${more} more)`);
  const ending = ' The state is unchanged. Reply again in the format above.';
  const opening = `Your previous reply was rejected (${rejection.class}): `;
  return (
    opening + shortened(messages.join(' '), maxCorrectionLength - opening.length - ending.length) + ending
  );
}

/** The parts of a prompt, read back from its text. */
export interface PromptParts {
  readonly instructions: string;
  readonly stateText: string;
  readonly observation: string;
  readonly correction?: string;
}

/**
 * The inverse of {@link composePrompt}, or undefined where a text is no such prompt. P and O may contain the template's
 * phrases, the whole template included. Only where one of them contains a filled template is there a choice: the last
 * state block before the closing text counts, since P is more likely to show an example prompt than O.
 */
export function readPrompt(text: string): PromptParts | undefined {
  if (!text.startsWith(beforeInstructions)) return undefined;
  const closing = text.lastIndexOf(afterObservation);
  if (closing < 0) return undefined;
  const rest = text.slice(closing + afterObservation.length);
  if (rest !== '' && !rest.startsWith(correctionSeparator)) return undefined;
  const correction = rest === '' ? {} : { correction: rest.slice(correctionSeparator.length) };
  for (
    let at = text.lastIndexOf(beforeState, closing);
    at >= beforeInstructions.length;
    at = text.lastIndexOf(beforeState, at - 1)
  ) {
    const stateStart = at + beforeState.length;
    const stateEnd = text.indexOf('\n', stateStart);
    if (stateEnd < 0 || !text.startsWith(beforeObservation, stateEnd)) continue;
    const observationStart = stateEnd + beforeObservation.length;
    const stateText = text.slice(stateStart, stateEnd);
    if (observationStart > closing || !isObjectText(stateText)) continue;
    const instructions = text.slice(beforeInstructions.length, at);
    return { instructions, stateText, observation: text.slice(observationStart, closing), ...correction };
  }
  return undefined;
}

/** Where the part of a prompt begins that is another one at each step: the heading of Σ. Undefined where a text is no such prompt. */
export function changingPartOf(text: string): number | undefined {
  const parts = readPrompt(text);
  if (parts === undefined) return undefined;
  const lineBreaks = beforeState.length - beforeState.trimStart().length;
  return beforeInstructions.length + parts.instructions.length + lineBreaks;
}

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}
