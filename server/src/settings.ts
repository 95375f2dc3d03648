/** What a client says about itself: options at the start, and settings whenever they change. Nothing of it is trusted to be well-formed. */
import type { ClientSettings, InitializationOptions, OwnDocuments } from '../../schemas/messages/messages';
import { defaultSettings, type Settings } from './languageService/workspace';

const profiles = ['standard', 'vscode', 'claude'] as const satisfies readonly Settings['profile'][];
const stateBounds = ['inlayHints', 'codeLenses', 'off'] as const satisfies readonly Settings['stateBound'][];

/** The client's `initializationOptions`, read as {@link InitializationOptions}. */
export interface ReadOptions {
  readonly builtInJson: boolean;
  readonly builtInSkill: boolean;
  readonly files: boolean;
  /** Empty where formatting and the outline are for every document. */
  readonly ownDocuments: readonly OwnDocuments[];
}

export function readInitializationOptions(options: unknown): ReadOptions {
  const given: Partial<Record<keyof InitializationOptions, unknown>> = record(options);
  const builtIn = record(given.builtIn);
  return {
    builtInJson: builtIn.json === true,
    builtInSkill: builtIn.skill === true,
    files: given.files === true,
    ownDocuments: Array.isArray(given.ownDocuments) ? given.ownDocuments.flatMap(ownDocumentsOf) : [],
  };
}

function ownDocumentsOf(value: unknown): OwnDocuments[] {
  const { language, scheme, pattern } = record(value);
  if (typeof language !== 'string') return [];
  return [
    {
      language,
      ...(typeof scheme === 'string' && { scheme }),
      ...(typeof pattern === 'string' && { pattern }),
    },
  ];
}

/** The settings of the section, with defaults for what is missing or of another type. */
export function readSettings(section: unknown, { builtInJson, builtInSkill }: ReadOptions): Settings {
  const given: Partial<Record<keyof ClientSettings, unknown>> = record(section);
  return {
    profile: profiles.find((profile) => profile === given.profile) ?? defaultSettings.profile,
    stateBound: stateBounds.find((place) => place === given.stateBound) ?? defaultSettings.stateBound,
    builtInJson,
    builtInSkill,
  };
}

/** The section of what `workspace/didChangeConfiguration` carries for clients that can't be asked. */
export function sectionOf(settings: unknown, section: string): unknown {
  return record(settings)[section];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
