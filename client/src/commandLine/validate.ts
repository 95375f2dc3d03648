/** `skill-state validate`: what the language service finds in skills, for people, scripts and code scanning. */
import { access, constants, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { skillFileName } from '../../../schemas/skill/skillDocument';
import { printable } from '../../../schemas/text/printable';
import type { Severity } from '../../../schemas/text/problem';
import { mapBounded } from '../../../server/src/boundedWork';
import { wiring } from '../../../server/src/compose';
import { diskFiles } from '../../../server/src/diskFiles';
import { unreadableFinding } from '../../../server/src/documentDiagnostics';
import type { Finding } from '../../../server/src/languageService/finding';
import {
  createLanguageService,
  type LanguageService,
} from '../../../server/src/languageService/languageService';
import { defaultSettings, type Settings } from '../../../server/src/languageService/workspace';
import { searchFolder } from '../../../server/src/skillSearch';
import { type StoredFiles, UnreadableFile } from '../../../server/src/storedFiles';
import { normalizeUri } from '../../../server/src/uris';
import { WorkspaceFiles } from '../../../server/src/workspaceFiles';
import { findRefusals } from '../hosts/node/runnableSkill';
import { codeOf, FileFailure, reasonOf } from '../hosts/node/skillFolder';
import { createPaint, showsColors } from './paint';
import { type ExitCode, OutputClosed, type Terminal, UsageFailure } from './terminal';
import { asForRun, untoldRefusals } from './validateRefusals';
import { type CheckedFile, jsonReport, pathWithin, severities, textReport } from './validateReport';
import { sarifLog } from './validateSarif';

export interface ValidateFlags {
  readonly format: 'text' | 'json' | 'sarif';
  readonly profile: Settings['profile'];
  /** Findings that are less severe are left out. */
  readonly severity: Severity;
}

/** How many skills are checked by one service, so that what it keeps of them doesn't pile up. */
const skillsPerService = 200;

/** What it takes to look through a folder. */
const listable = constants.R_OK | constants.X_OK;

/** How many files are under way at once: while some are read others are checked. */
const checkedAtOnce = 8;

/** A `SKILL.md` with all that belongs to it, or another file by itself. */
interface Target {
  readonly uri: string;
  readonly isSkill: boolean;
  /** True for what the user has named, which has to be something that can be checked. */
  readonly isNamed: boolean;
}

/**
 * Checks the named files, skills' folders, and every skill below other folders.
 *
 * @param version Of the command line, for SARIF.
 * @returns 1 where there is any error, or a folder that can't be looked through; else 0.
 * @throws UsageFailure, FileFailure where a path isn't there or has nothing to check: exit code 2.
 */
export async function validate(
  paths: readonly string[],
  flags: ValidateFlags,
  terminal: Terminal,
  version: string,
): Promise<ExitCode> {
  const { signal } = terminal;
  const { targets, unreadable } = await findTargets(paths, signal);
  const shown = severities.slice(0, severities.indexOf(flags.severity) + 1);
  const settings = { ...defaultSettings, profile: flags.profile };
  const workspace = createWorkspace();
  const found = new Map<string, readonly Finding[]>();
  for (let start = 0; start < targets.length; start += skillsPerService) {
    const service = createLanguageService({ ...wiring, workspace, settings });
    const part = targets.slice(start, start + skillsPerService);
    await mapBounded(part, checkedAtOnce, async (target) => {
      signal.throwIfAborted();
      await checkTarget(target, service, found);
    });
  }
  signal.throwIfAborted();
  const folder = process.cwd();
  const files: CheckedFile[] = [...found]
    .map(([uri, findings]) => ({
      uri,
      path: pathWithin(folder, uri),
      findings: findings.filter(({ severity }) => shown.includes(severity)),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  await write(terminal, report(files, flags, terminal, version));
  for (const path of unreadable) {
    terminal.stderr.write(printable(`skill-state: ${path} can't be read, so nothing in it was checked.\n`));
  }
  const hasErrors = files.some(({ findings }) => findings.some(({ severity }) => severity === 'error'));
  return hasErrors || unreadable.length > 0 ? 1 : 0;
}

function report(
  files: readonly CheckedFile[],
  { format }: ValidateFlags,
  { stdout }: Terminal,
  version: string,
): string {
  switch (format) {
    case 'text':
      return textReport(files, createPaint(showsColors(stdout, process.env)));
    case 'json':
      return jsonReport(files);
    case 'sarif':
      return sarifLog(files, version);
  }
}

/** Waits for the output to take a large report: what ends the process must not cut it off. */
function write({ stdout, signal }: Terminal, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(new OutputClosed('Nobody reads the output any more.'));
    signal.addEventListener('abort', closed, { once: true });
    stdout.write(text, () => {
      signal.removeEventListener('abort', closed);
      resolve();
    });
  });
}

/** Files aren't expected to change while they are checked. */
function createWorkspace(): WorkspaceFiles {
  return new WorkspaceFiles({
    stored: diskFiles,
    openText: () => undefined,
    isWatched: () => true,
    folders: () => [],
  });
}

interface FoundTargets {
  /** Each once, skills first. */
  readonly targets: readonly Target[];
  /** Paths of folders that can't be looked through. */
  readonly unreadable: readonly string[];
}

/** What the paths name. */
async function findTargets(paths: readonly string[], signal: AbortSignal): Promise<FoundTargets> {
  const targets = new Map<string, Target>();
  const add = (uri: string, isSkill: boolean, isNamed: boolean) => {
    if (!targets.has(uri) || isNamed) targets.set(uri, { uri, isSkill, isNamed });
  };
  const unreadable = new Set<string>();
  const searched: StoredFiles = {
    ...diskFiles,
    async list(folder) {
      const isListable = await access(fileURLToPath(folder), listable).then(
        () => true,
        () => false,
      );
      if (!isListable) unreadable.add(pathWithin(process.cwd(), folder));
      return diskFiles.list(folder);
    },
  };
  const linkRoots = [uriOf(await realpath(process.cwd()))];
  for (const path of paths) {
    const absolute = resolve(path);
    if (path === '') throw new UsageFailure('A path is empty: name a file or a folder.');
    const information = await stat(absolute).catch((cause: unknown) => {
      const missing = ['ENOENT', 'ENOTDIR'].includes(codeOf(cause) ?? '');
      const message = missing ? `There is nothing at ${path}.` : `${path} can't be read: ${reasonOf(cause)}.`;
      throw new FileFailure(message, { cause, missing });
    });
    if (!information.isDirectory()) {
      add(uriOf(absolute), basename(absolute) === skillFileName, true);
      continue;
    }
    await access(absolute, listable).catch((cause: unknown) => {
      throw new FileFailure(`${path} can't be read: ${reasonOf(cause)}.`, { cause });
    });
    const cancellation = {
      get isCancellationRequested() {
        return signal.aborted;
      },
    };
    const realFolder = uriOf(await realpath(absolute));
    const options = { linkRoots, realFolder, cancellation };
    const { skills, loose } = await searchFolder(searched, uriOf(absolute), options);
    signal.throwIfAborted();
    if (skills.length + loose.length + unreadable.size === 0) {
      const other = (await readdir(absolute)).find(
        (name) => name.toUpperCase() === skillFileName.toUpperCase(),
      );
      const advice = other === undefined ? '' : `, and its name is in capitals; rename ${other}`;
      throw new UsageFailure(
        `There is no skill in ${path}: a skill is a folder with a ${skillFileName} in it${advice}.`,
      );
    }
    for (const uri of skills) add(uri, true, false);
    for (const uri of loose) add(uri, false, false);
  }
  return {
    targets: [...targets.values()].sort((a, b) => Number(b.isSkill) - Number(a.isSkill)),
    unreadable: [...unreadable].sort(),
  };
}

function uriOf(path: string): string {
  return normalizeUri(pathToFileURL(path).href);
}

/** Checks a target and notes what was found under each file's URI. A file of two skills is checked once. */
async function checkTarget(
  { uri, isSkill, isNamed }: Target,
  service: LanguageService,
  found: Map<string, readonly Finding[]>,
): Promise<void> {
  const files = isSkill ? await filesOf(uri, service) : [uri];
  for (const file of files) {
    if (found.has(file)) continue;
    const findings = await findingsIn(file, service);
    if (findings !== undefined) {
      // Fixes hold on to the documents that they are for.
      found.set(
        file,
        findings.map(({ fixes: _, ...finding }) => asForRun(finding)),
      );
    } else if (isNamed && file === uri) {
      throw new UsageFailure(
        `${pathWithin(process.cwd(), uri)} is no file of a skill: name a ${skillFileName}, a file that one names, a state.schema.yaml or a state.initial.yaml.`,
      );
    }
  }
  if (isSkill) await addRefusals(uri, files, found);
}

/** Holds a skill against a run's own check, so that none passes which a run would refuse. */
async function addRefusals(
  skill: string,
  files: readonly string[],
  found: Map<string, readonly Finding[]>,
): Promise<void> {
  const folder = dirname(fileURLToPath(skill));
  const told = files.flatMap((file) => found.get(file) ?? []);
  for (const { path, problem } of untoldRefusals(await findRefusals(folder), told)) {
    const file = uriOf(join(folder, path));
    found.set(file, [...(found.get(file) ?? []), problem]);
  }
}

async function filesOf(skill: string, service: LanguageService): Promise<readonly string[]> {
  try {
    return await service.skillFiles(skill);
  } catch (error) {
    if (error instanceof UnreadableFile) return [skill];
    throw error;
  }
}

async function findingsIn(uri: string, service: LanguageService): Promise<readonly Finding[] | undefined> {
  try {
    return await service.findings(uri);
  } catch (error) {
    if (error instanceof UnreadableFile) return error.uri === uri ? [unreadableFinding(error)] : [];
    throw error;
  }
}
