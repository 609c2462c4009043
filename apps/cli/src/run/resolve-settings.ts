import type { Command, Option, OptionValues } from '@commander-js/extra-typings';
import type { CiContext } from '@waymark/ci-context';
import { CliError, usageError } from './cli-error.ts';
import { type ProjectFile, readProjectFile, readUserFile, type UserContext } from './config-files.ts';
import type { Io } from './io.ts';
import { type AnySettingName, globalSettings, type SettingName, type Settings, settingOf } from './settings.ts';

/** The source of a value, in words: `--flow`, `WAYMARK_FLOW`, `/src/.waymark.yml`, `context work`, `GITHUB_SHA`. */
export type Sources = Readonly<Partial<Record<AnySettingName, string>>>;

export interface Resolved {
  readonly settings: Settings;
  readonly sources: Sources;
  readonly project: ProjectFile | undefined;
}

interface Given {
  readonly value: unknown;
  readonly source: string;
}

/**
 * Flag, variable, project file, context of the user, CI, default: the first that has a value. An empty one is refused.
 */
export function resolveSettings(
  command: Command,
  names: readonly SettingName[],
  io: Io,
  ciContext: () => CiContext,
): Resolved {
  const options: OptionValues = command.opts();
  refuseEmptyOptions(command, options);
  const project = readProjectFile(io.cwd);
  const userContext = contextOf(io, options['context'] as string | undefined);
  const settings: Record<string, unknown> = { onUnavailable: 'spool' };
  const sources: Partial<Record<AnySettingName, string>> = {};
  for (const name of [...(Object.keys(globalSettings) as AnySettingName[]), ...names]) {
    const given =
      fromFlag(command, name, options) ??
      fromVariable(name, io) ??
      fromProject(name, project) ??
      fromContext(name, userContext) ??
      fromCi(name, ciContext) ??
      builtIn(name);
    if (!given) continue;
    settings[name] = given.value;
    sources[name] = given.source;
  }
  return { settings: settings as unknown as Settings, sources, project };
}

function refuseEmptyOptions(command: Command, options: OptionValues): void {
  for (const option of command.options) {
    const value = options[option.attributeName()];
    if ([value].flat().some((one) => typeof one === 'string' && one.trim() === '')) {
      throw emptyValue(option);
    }
  }
}

export function emptyValue({ long, short }: Pick<Option, 'long' | 'short'>): Error {
  return usageError(
    `${long ?? short} is empty`,
    'Check that all variables in the command line are set, or leave out the flag',
  );
}

function fromFlag(command: Command, name: AnySettingName, options: OptionValues): Given | undefined {
  if (command.getOptionValueSource(name) !== 'cli') return undefined;
  const flag = longFlag(name);
  const value = options[name];
  return { value: typeof value === 'string' ? readText(name, value, flag) : value, source: flag };
}

function fromVariable(name: AnySettingName, { env }: Io): Given | undefined {
  const variable = settingOf(name).env;
  const text = variable === undefined ? undefined : env[variable];
  if (variable === undefined || text === undefined) return undefined;
  if (text.trim() === '') {
    throw usageError(`${variable} is set but empty`, `Unset it, or give it a value; it sets ${longFlag(name)}`);
  }
  return { value: readText(name, text, variable), source: variable };
}

function fromProject(name: AnySettingName, project: ProjectFile | undefined): Given | undefined {
  const { file } = settingOf(name);
  const text = file === undefined ? undefined : project?.values[file];
  if (!project || text === undefined) return undefined;
  return { value: readText(name, text, `${project.path}: '${file}'`), source: project.path };
}

function fromContext(name: AnySettingName, context: (UserContext & { name: string }) | undefined): Given | undefined {
  const text = settingOf(name).context ? context?.[name as keyof UserContext] : undefined;
  if (!context || text === undefined) return undefined;
  return { value: readText(name, text, `context ${context.name}: '${name}'`), source: `context ${context.name}` };
}

function fromCi(name: AnySettingName, ciContext: () => CiContext): Given | undefined {
  return settingOf(name).fromCi?.(ciContext());
}

function builtIn(name: AnySettingName): Given | undefined {
  const { otherwise } = settingOf(name);
  return otherwise === undefined ? undefined : { value: otherwise, source: 'built in' };
}

function readText(name: AnySettingName, text: string, source: string): unknown {
  try {
    return settingOf(name).read?.(text) ?? text;
  } catch (error) {
    const shown = text.replace(/\/\/[^/@]*@/, '//…@');
    throw usageError(`${source} ${error instanceof Error ? error.message : 'is not valid'}, not '${shown}'`);
  }
}

function contextOf(io: Io, named: string | undefined): (UserContext & { name: string }) | undefined {
  const { contexts, current, path } = readUserFile(io);
  const name = named ?? io.env['WAYMARK_CONTEXT'] ?? current;
  if (!name) return undefined;
  const context = contexts[name];
  if (context) return { ...context, name };
  throw new CliError('usage', `No context '${name}' in ${path}`, {
    fix: `Choose one with --context; existing contexts: ${Object.keys(contexts).join(', ') || 'none'}`,
  });
}

export function longFlag(name: AnySettingName): string {
  return /--[a-z-]+/.exec(settingOf(name).flags)?.[0] ?? name;
}
