/** How a launch configuration comes about where launch.json doesn't say; pure, VS Code's part is configurationProvider.ts. */

/** The `type` of our launch configurations. */
export const debugType = 'skill-state';

/** What is filled in; a launch.json may hold more. */
export interface SkillLaunchConfiguration {
  readonly type: typeof debugType;
  readonly request: 'launch';
  readonly name: string;
  /** The skill's folder or its SKILL.md. */
  readonly skill: string;
}

/** What is filled in to debug a recorded run. */
export interface TraceLaunchConfiguration {
  readonly type: typeof debugType;
  readonly request: 'launch';
  readonly name: string;
  /** The trace. */
  readonly replay: string;
  readonly stopOnEntry: boolean;
  /** At its end there is much to look back at. */
  readonly stopOnEnd: boolean;
}

/** How the names of traces end. */
export const traceSuffix = '.skilltrace.jsonl';

const skillFile = 'SKILL.md';

/**
 * The configuration for a skill without launch.json. Which environment and model it runs with is the debug
 * adapter's to decide from the skill.
 *
 * @param path the skill's SKILL.md, or its folder
 * @param workspaceFolder the folder that a portable configuration is relative to, if the skill lies in one
 */
export function configurationFor(path: string, workspaceFolder?: string): SkillLaunchConfiguration {
  const folder = skillFolderOf(path);
  const inside = workspaceFolder === undefined ? undefined : pathInside(workspaceFolder, folder);
  return {
    type: debugType,
    request: 'launch',
    name: `Skill: ${lastSegment(folder)}`,
    skill: inside === undefined ? folder : `\${workspaceFolder}${inside}`,
  };
}

/**
 * The configuration that debugs a trace: it holds the skill and all that happened, so that nothing else is needed.
 *
 * @param workspaceFolder as for {@link configurationFor}
 */
export function traceConfigurationFor(trace: string, workspaceFolder?: string): TraceLaunchConfiguration {
  const inside = workspaceFolder === undefined ? undefined : pathInside(workspaceFolder, trace);
  return {
    type: debugType,
    request: 'launch',
    name: `Trace: ${lastSegment(trace).replace(traceSuffix, '')}`,
    replay: inside === undefined ? trace : `\${workspaceFolder}${inside}`,
    stopOnEntry: true,
    stopOnEnd: true,
  };
}

/** The folder of a skill named by itself or by its SKILL.md. */
export function skillFolderOf(path: string): string {
  const trimmed = path.replace(/[\\/]+$/, '');
  return lastSegment(trimmed) === skillFile ? trimmed.slice(0, -skillFile.length - 1) : trimmed;
}

/** Whether a path is one by itself, on whichever system. */
export function isAbsolutePath(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);
}

/** The path below a folder with its leading separator, empty for the folder itself, undefined outside. */
function pathInside(folder: string, path: string): string | undefined {
  const base = folder.replace(/[\\/]+$/, '');
  if (path === base) return '';
  return path.startsWith(base) && /^[\\/]/.test(path.slice(base.length))
    ? path.slice(base.length).replaceAll('\\', '/')
    : undefined;
}

function lastSegment(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}
