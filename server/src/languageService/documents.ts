/** The documents that features work on: a text, what it was read as, and the skill around it. */

import type { Tokenizer } from '../../../client/src/runtime/tokens';
import type { SkillDocument } from '../../../schemas/skill/skillDocument';
import type { LoadedInitialState } from '../../../schemas/state/initialState';
import type { StateSchema } from '../../../schemas/state/stateSchema';
import { LineIndex } from '../../../schemas/text/position';
import type { LocatedDocument, SkillModel, SkillModels } from './skillModels';
import type { EnvironmentCatalogue, Settings, Workspace } from './workspace';

interface AnyDocument {
  readonly uri: string;
  readonly text: string;
  readonly lines: LineIndex;
}

/** A `SKILL.md`. */
export interface SkillPage extends AnyDocument {
  readonly kind: 'skill';
  readonly document: SkillDocument;
  readonly model: SkillModel;
}

/** A file of instructions that `metadata.include` lists. */
export interface IncludedPage extends AnyDocument {
  readonly kind: 'include';
  readonly model: SkillModel;
}

/** A text in YAML or JSON. */
interface DataDocument extends AnyDocument {
  readonly format: 'yaml' | 'json';
}

/** A state schema. */
export interface SchemaPage extends DataDocument {
  readonly kind: 'state-schema';
  readonly schema: StateSchema;
  /** Undefined for a schema without a `SKILL.md`, and for one that its skill passes over. */
  readonly model: SkillModel | undefined;
}

/** An initial state. */
export interface StatePage extends DataDocument {
  readonly kind: 'initial-state';
  readonly state: LoadedInitialState;
  /** The schema that it has to fit, the free-form default included; undefined without a `SKILL.md`. */
  readonly schema: StateSchema | undefined;
  readonly model: SkillModel | undefined;
}

export type Page = SkillPage | IncludedPage | SchemaPage | StatePage;

/** What features may use besides the document. */
export interface Tools {
  readonly workspace: Workspace;
  readonly environments: EnvironmentCatalogue;
  readonly settings: Settings;
  /** To be awaited between pieces of long work: lets the host do something else, and rejects where the work is no longer wanted. */
  pause(): Promise<void>;
  /** To be called where more fits than is offered, so that it is asked for anew with every key that is typed. */
  leftOut?(): void;
  /** Loads the token table at the first call; rejects where it is missing. */
  tokenizer(): Promise<Tokenizer>;
}

/** Reads a located document as what it is. */
export function pageOf(located: LocatedDocument, models: SkillModels): Page | undefined {
  const { uri, text, kind, model } = located;
  switch (kind) {
    case 'skill': {
      if (model === undefined) return undefined;
      const { document } = model.skill;
      return { kind, uri, text, lines: document.lines, document, model };
    }
    case 'include':
      return model && { kind, uri, text, lines: new LineIndex(text), model };
    case 'state-schema': {
      const schema = models.schemaOf(located);
      return { kind, uri, text, lines: schema.lines, format: formatOf(uri), schema, model };
    }
    case 'initial-state': {
      const path = model?.pathOf(uri) ?? uri;
      const state = models.initialState(uri, { path, text });
      const schema = model?.skill.stateSchema;
      return { kind, uri, text, lines: new LineIndex(text), format: formatOf(uri), state, schema, model };
    }
  }
}

/** JSON by its name, YAML otherwise, as `parseSourceFile` has it. */
function formatOf(uri: string): 'yaml' | 'json' {
  return uri.toLowerCase().endsWith('.json') ? 'json' : 'yaml';
}
