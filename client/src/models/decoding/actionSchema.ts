/** The actions that a skill declares, as JSON Schema. */
import type { JsonObject } from '../../../../schemas/json/jsonValue';
import type { ActionSignature } from '../../../../schemas/skill/actionSignature';
import { actionText, maxActionLength, type NamedTexts, textsOfParameter } from './actionTexts';
import { noEscapes } from './automatonExpression';
import { textsOf } from './automatonLength';
import { ExpressionTooLong } from './grammarExpression';
import { wholePattern } from './regexpText';
import type { Dialect } from './replyConstraint';
import type { Note } from './stringTexts';

/** The longest schema of actions, in characters: OpenAI's limit is 120,000 for all, and it goes with every request. */
const maxLength = 40_000;
const maxSignatures = 1_000;
/** The longest argument and the longest rest of a line in characters: engines unroll what a pattern repeats. */
const lengths = { maxWord: 64, maxRest: 400 };

/**
 * Actions as texts that match a pattern; where patterns are unknown, as objects of a name and arguments; any text where
 * they are too many to be written out.
 */
export function actionSchema(
  signatures: readonly ActionSignature[],
  named: NamedTexts,
  dialect: Dialect,
  note: Note,
): JsonObject {
  const notes: Parameters<Note>[] = [];
  const keep: Note = (...one) => notes.push(one);
  const schema = signatures.length > maxSignatures ? undefined : actionsOf(signatures, named, dialect, keep);
  if (schema !== undefined && JSON.stringify(schema).length <= maxLength) {
    for (const one of notes) note(...one);
    return schema;
  }
  note('', 'action', `can be any text: ${signatures.length} signatures are too many to be written out`);
  return anyAction(dialect);
}

function actionsOf(
  signatures: readonly ActionSignature[],
  named: NamedTexts,
  dialect: Dialect,
  note: Note,
): JsonObject {
  if (signatures.length === 0) return anyAction(dialect);
  const plain = signatures.filter(({ parameters }) => parameters.length === 0);
  const others = signatures.filter(({ parameters }) => parameters.length > 0);
  const lines = plain.map(({ name, form }) => (form === 'call' ? `${name}()` : name));
  const options: JsonObject[] =
    dialect === 'gemini'
      ? others.map((one) => actionObject(one, named))
      : actionPatterns(others, named, dialect, note);
  if (lines.length > 0) options.push({ type: 'string', enum: lines });
  const [only] = options;
  return options.length === 1 && only !== undefined ? only : { anyOf: options };
}

/** Quotes end the text in servers that take a pattern's characters for those of JSON; only OpenAI's don't. */
function actionPatterns(
  signatures: readonly ActionSignature[],
  named: NamedTexts,
  dialect: Dialect,
  note: Note,
): JsonObject[] {
  const isQuoteless = dialect !== 'openai';
  const writing = { escapes: noEscapes, ...lengths, isQuoteless, named: new Map() };
  if (isQuoteless && signatures.some(({ parameters }) => parameters.some(({ rest }) => rest)))
    note('', 'action', 'can have no quotes and backslashes');
  return signatures.map((signature) => {
    try {
      return { type: 'string', pattern: wholePattern(actionText(signature, named, writing)) };
    } catch (error) {
      if (!(error instanceof ExpressionTooLong)) throw error;
      note('', 'action', `${signature.name} has arguments that are too many to be written out`);
      return anyAction(dialect);
    }
  });
}

/** Of those that know no length, OpenAI's would refuse it, and Gemini's ignore it. */
function anyAction(dialect: Dialect): JsonObject {
  const isLimited = dialect === 'llama.cpp' || dialect === 'json-schema';
  return { type: 'string', ...(isLimited && { maxLength: maxActionLength }) };
}

/** How many values of an argument are listed. */
const maxListed = 64;

function actionObject({ name, parameters }: ActionSignature, named: NamedTexts): JsonObject {
  const argumentOf = (parameter: string): JsonObject => {
    const texts = textsOfParameter(parameter, named);
    const listed = texts && textsOf(texts, maxListed);
    return { type: 'string', ...(listed !== undefined && { enum: listed.map(([value]) => value) }) };
  };
  const names = parameters.map((parameter) => parameter.name);
  const values: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map((one) => [one.name, one.rest ? { type: 'string' } : argumentOf(one.name)]),
    ),
    required: names,
    additionalProperties: false,
    propertyOrdering: names,
  };
  return {
    type: 'object',
    properties: { name: { type: 'string', enum: [name] }, arguments: values },
    required: ['name', 'arguments'],
    additionalProperties: false,
    propertyOrdering: ['name', 'arguments'],
  };
}
