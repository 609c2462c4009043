import type { Command, Option } from 'commander';
import type { CatalogEntry, CatalogGroup } from '../catalog/catalog-entry.ts';
import type { CommandDefinition } from './command.ts';
import { longFlag } from './resolve-settings.ts';
import { type AnySettingName, globalSettings, settingOf } from './settings.ts';

const INDENT = '  ';
const GAP = '  ';
const TEXT_WIDTH = 100;
const LEFT_WIDTH = 32;

export function rootHelp(catalog: readonly CatalogGroup[]): string {
  const groups = catalog
    .filter(({ entries }) => entries.length > 0)
    .map(({ title, entries }) => section(title, firstWords(entries)));
  return [
    'waymark: record how software is built, tested, and deployed, and gate releases on it',
    section('Usage', [['waymark COMMAND [FLAGS]', '']]),
    ...groups,
    section('Help', [
      ['waymark help COMMAND', 'help for one command, with examples'],
      ['waymark help TOPIC', 'flags, environment, exit-codes, formatting, ci, offline, snapshot-expressions'],
    ]),
  ].join('\n\n');
}

/** A noun with many verbs is one line. */
function firstWords(entries: readonly CatalogEntry[]): [string, string][] {
  const byFirst = Map.groupBy(entries, ({ path }) => path.split(' ')[0] ?? '');
  return [...byFirst].map(([first, those]) => {
    const [only] = those;
    if (those.length === 1 && only) return [only.path, only.summary];
    return [first, those.map(({ path }) => path.slice(first.length + 1)).join(', ')];
  });
}

export function groupHelp(words: readonly string[], entries: readonly CatalogEntry[]): string {
  const beginning = words.join(' ');
  const those = entries.filter(({ path }) => path.startsWith(`${beginning} `));
  return [
    section('Usage', [[`waymark ${beginning} COMMAND [FLAGS]`, '']]),
    section(
      'Commands',
      those.map(({ path, summary }) => [path, summary]),
    ),
  ].join('\n\n');
}

export function commandHelp(
  entry: CatalogEntry,
  { description, examples, settings }: CommandDefinition,
  command: Command,
): string {
  const args = command.registeredArguments.map((argument): [string, string] => [
    argument.name().toUpperCase(),
    argument.description,
  ]);
  return [
    `${entry.summary}.${description ? `\n\n${wrap(description)}` : ''}`,
    section('Usage', [[usageOf(entry, command), '']]),
    examples.length > 0 &&
      section(
        'Examples',
        examples.flatMap(({ say, run }) => [
          [`# ${say}`, ''],
          [run, ''],
        ]),
      ),
    args.length > 0 && section('Arguments', args),
    section('Flags', flagLines(settings, command)),
    globalFlagNames(),
  ]
    .filter((part) => typeof part === 'string' && part !== '')
    .join('\n\n');
}

/** The flags of a command, if there is one, and those of settings. */
export function flagLines(settings: readonly AnySettingName[], command?: Command): [string, string][] {
  const known = [...settings, ...Object.keys(globalSettings)];
  const own = (command?.options ?? []).filter((option) => !option.hidden && !isSetting(option, known));
  return [...own.map((option): [string, string] => [option.flags, flagText(option)]), ...settings.map(settingLine)];
}

function isSetting(option: Option, names: readonly string[]): boolean {
  return names.includes(option.attributeName());
}

export function usageOf({ path }: CatalogEntry, command: Command): string {
  const args = command.registeredArguments.map((argument) => {
    const name = `${argument.name().toUpperCase()}${argument.variadic ? '...' : ''}`;
    return argument.required ? name : `[${name}]`;
  });
  return ['waymark', path, ...args, '[FLAGS]'].join(' ');
}

function flagText({ description, mandatory, argChoices }: Option): string {
  const choices = argChoices ? ` (${argChoices.join(', ')})` : '';
  return `${description}${choices}${mandatory ? ' (required)' : ''}`;
}

function settingLine(name: AnySettingName): [string, string] {
  const { flags, description, env, otherwise, otherwiseText, isSwitch } = settingOf(name);
  const fallback = otherwiseText ?? (isSwitch ? undefined : otherwise);
  const notes = [env && `$${env}`, fallback !== undefined && `default: ${String(fallback)}`].filter(Boolean);
  return [flags, `${description}${notes.length > 0 ? ` [${notes.join(', ')}]` : ''}`];
}

/** The same in every help, so that the command's own flags stand out. */
function globalFlagNames(): string {
  const names = (Object.keys(globalSettings) as AnySettingName[]).map(longFlag).join(', ');
  return `FLAGS OF EVERY COMMAND\n${indented(wrap(`${names} (see 'waymark help flags')`, TEXT_WIDTH - INDENT.length))}`;
}

const indented = (text: string) => text.replace(/^(?=.)/gm, INDENT);

/** Names on the left, and their meaning beside them, wrapped. A line without a meaning stays unchanged. */
export function section(title: string, lines: readonly (readonly [string, string])[]): string {
  if (lines.length === 0) return '';
  const width = Math.min(LEFT_WIDTH, Math.max(...lines.map(([left, right]) => (right === '' ? 0 : left.length))));
  return [title.toUpperCase(), ...lines.map(([left, right]) => line(left, right, width))].join('\n');
}

function line(left: string, right: string, width: number): string {
  if (right === '') return `${INDENT}${left}`;
  const margin = ' '.repeat(INDENT.length + width + GAP.length);
  const [first = '', ...rest] = wrap(right, TEXT_WIDTH - margin.length).split('\n');
  const start =
    left.length > width ? [`${INDENT}${left}`, `${margin}${first}`] : [`${INDENT}${left.padEnd(width)}${GAP}${first}`];
  return [...start, ...rest.map((more) => `${margin}${more}`)].join('\n');
}

export function wrap(text: string, width = TEXT_WIDTH): string {
  return text
    .split('\n')
    .map((paragraph) => paragraph.replace(new RegExp(`(.{1,${width}})(\\s+|$)`, 'g'), '$1\n').trimEnd())
    .join('\n');
}
