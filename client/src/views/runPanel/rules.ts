/** Where the rules of a recorded state schema stand. Free of VS Code. */

import { recordedSkill } from '../../runtime/recordedSkill';
import type { TraceReader } from '../../runtime/traceReader';
import { recordedFiles } from '../documents/traceTexts';
import type { RuleName } from './stepDetail';

/** A place in one of the skill's files. */
export interface RulePlace {
  readonly path: string;
  /** Counted from 0. */
  readonly line: number;
  /** The file's text as it was recorded. */
  readonly text: string;
}

/** Finds the rules of the schema that a step ran under; none where the trace has lost it. */
export async function rulePlaces(
  reader: TraceReader,
  branch: number,
  step: number,
): Promise<(schemaLocation: string) => RulePlace | undefined> {
  const files = recordedFiles(reader, branch, step);
  if (files === undefined) return () => undefined;
  const { stateSchema } = await recordedSkill(reader.header?.skill.name ?? '', files);
  return (schemaLocation) => {
    // The nearest keyword that the schema's files have: a rule of a default schema stands nowhere.
    for (let at = schemaLocation; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const place = at === '' ? undefined : stateSchema.placeOf(at);
      if (place !== undefined) {
        const path = place.path ?? stateSchema.path;
        const text = files.find((file) => file.path === path)?.text;
        if (path !== undefined && text !== undefined) return { path, line: place.key.start.line, text };
      }
      if (!at.includes('/')) return undefined;
    }
  };
}

/** The rules' names, as links show them. */
export async function ruleNames(reader: TraceReader, branch: number, step: number): Promise<RuleName> {
  const places = await rulePlaces(reader, branch, step);
  return (schemaLocation) => {
    const place = places(schemaLocation);
    return place && `${place.path}:${place.line + 1}`;
  };
}
