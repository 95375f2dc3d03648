/** What a debug session or a run is started with: `launchConfiguration.schema.json` read strictly, with its defaults. */
import { formatPointer, type JsonPath } from '../json/jsonPointer';
import { isJsonObject } from '../json/jsonValue';
import type { LaunchConfiguration } from './launchConfiguration.generated';
import schema from './launchConfiguration.schema.json';

export type { LaunchConfiguration } from './launchConfiguration.generated';

type Attributes = typeof schema.properties;

/** The attributes that are always there after parsing, since the schema has a default for them. */
type DefaultedAttribute = {
  [Name in keyof Attributes]: Attributes[Name] extends { default: unknown } ? Name : never;
}[keyof Attributes];

/** A launch configuration with every default filled in. */
export type CompleteLaunchConfiguration = Readonly<
  LaunchConfiguration & Required<Pick<LaunchConfiguration, DefaultedAttribute>>
>;

/** What is wrong with an attribute, such as `/budget/steps`; the message says what to write. */
export interface LaunchProblem {
  /** JSON Pointer into the configuration; empty for the configuration itself. */
  readonly path: string;
  readonly message: string;
}

export type LaunchConfigurationResult =
  | { readonly configuration: CompleteLaunchConfiguration; readonly problems?: undefined }
  | { readonly configuration?: undefined; readonly problems: readonly LaunchProblem[] };

/** The keywords that the schema of an attribute uses; the reader below knows these and no others. */
interface AttributeSchema {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, AttributeSchema>>;
}

/**
 * Reads a configuration. Attributes that belong to VS Code or to another tool (`name`, `preLaunchTask`, …) are left
 * out of the result without a word; an undefined attribute counts as absent.
 */
export function parseLaunchConfiguration(value: unknown): LaunchConfigurationResult {
  if (!isJsonObject(value)) {
    return {
      problems: [
        {
          path: '',
          message:
            'The launch configuration has to be an object with at least a skill, or a trace to replay.',
        },
      ],
    };
  }
  const problems: LaunchProblem[] = [];
  const configuration = readAttributes(value, schema.properties, [], problems);
  const isNamed = (name: string) =>
    Object.hasOwn(configuration, name) || problems.some(({ path }) => path === `/${name}`);
  if (!isNamed('skill') && !isNamed('replay')) {
    problems.push({
      path: '/skill',
      message: "skill is missing: name the skill's folder or its SKILL.md, or a trace by replay.",
    });
  }
  if (problems.length > 0) return { problems };
  return { configuration: configuration as unknown as CompleteLaunchConfiguration };
}

export type LaunchAttribute = keyof Attributes;

/**
 * What is wrong with a value that stands for an attribute elsewhere, as in a setting: one sentence; undefined where it fits.
 *
 * @param name of the place where it stands
 */
export function attributeProblem(
  attribute: LaunchAttribute,
  value: unknown,
  name: string,
): string | undefined {
  return problemOf(schema.properties[attribute], value, name);
}

function readAttributes(
  source: Readonly<Record<string, unknown>>,
  attributes: Readonly<Record<string, AttributeSchema>>,
  path: JsonPath,
  problems: LaunchProblem[],
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = Object.hasOwn(source, name) ? source[name] : undefined;
    if (value === undefined) {
      if (attribute.default !== undefined) result[name] = attribute.default;
      continue;
    }
    const here = [...path, name];
    const message = problemOf(attribute, value, here.join('.'));
    if (message !== undefined) {
      problems.push({ path: formatPointer(here), message });
    } else if (attribute.properties !== undefined && isJsonObject(value)) {
      reportUnknown(value, attribute.properties, here, problems);
      result[name] = readAttributes(value, attribute.properties, here, problems);
    } else {
      result[name] = value;
    }
  }
  return result;
}

function reportUnknown(
  value: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, AttributeSchema>>,
  path: JsonPath,
  problems: LaunchProblem[],
): void {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(known, name)) continue;
    const message = `${[...path, name].join('.')} is not known; ${path.join('.')} has ${Object.keys(known).join(', ')}.`;
    problems.push({ path: formatPointer([...path, name]), message });
  }
}

function problemOf(attribute: AttributeSchema, value: unknown, name: string): string | undefined {
  const expected = mismatch(attribute, value);
  return expected && `${name} has to be ${expected}, not ${shown(value)}.`;
}

/** What a value has to be instead, as the rest of the sentence “… has to be”; undefined where it fits. */
function mismatch(attribute: AttributeSchema, value: unknown): string | undefined {
  switch (attribute.type) {
    case 'string': {
      if (attribute.enum !== undefined) {
        return attribute.enum.some((choice) => choice === value)
          ? undefined
          : attribute.enum.join(', ').replace(/, ([^,]*)$/, ' or $1');
      }
      return typeof value === 'string' && value.length >= (attribute.minLength ?? 0)
        ? undefined
        : 'a text that is not empty';
    }
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'object':
      return isJsonObject(value) ? undefined : 'an object';
    default:
      return fitsNumber(attribute, value) ? undefined : numberWords(attribute);
  }
}

function fitsNumber({ type, minimum, exclusiveMinimum, maximum }: AttributeSchema, value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (type === 'integer' && !Number.isSafeInteger(value)) return false;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return false;
  return value >= (minimum ?? value) && value <= (maximum ?? value);
}

function numberWords({ type, minimum, exclusiveMinimum, maximum }: AttributeSchema): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  if (exclusiveMinimum !== undefined) {
    const least = `${kind} above ${exclusiveMinimum}`;
    return maximum === undefined ? least : `${least} and at most ${maximum}`;
  }
  return maximum === undefined
    ? `${kind} from ${minimum ?? 0}`
    : `${kind} from ${minimum ?? 0} to ${maximum}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
