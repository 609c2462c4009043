import type { Command, Option } from 'commander';
import type { CatalogEntry } from '../../catalog/catalog-entry.ts';
import { splitLine } from '../../run/find-command.ts';
import { helpTopicNames } from '../../run/help-topics.ts';
import { openSession } from '../../run/open-session.ts';
import type { Session } from '../../run/session.ts';
import { type AnySettingName, globalSettings, outputFormats, settingOf } from '../../run/settings.ts';
import { type Kind, namesOf } from './dynamic.ts';

/** Values of a flag that are known without a request. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  '--output': outputFormats,
  '--color': ['auto', 'always', 'never'],
  '--auth': ['auto', 'oidc', 'token'],
  '--on-unavailable': ['fail', 'spool', 'ignore'],
};

const FLAG_KINDS: Readonly<Record<string, Kind>> = {
  '--flow': 'flows',
  '--trail': 'trails',
  '--env': 'environments',
  '--environment': 'environments',
  '--include': 'environments',
  '--policy': 'policies',
  '--control': 'controls',
};

const ARGUMENT_KINDS: Readonly<Record<string, Kind>> = {
  env: 'environments',
  environment: 'environments',
  physical: 'environments',
  logical: 'environments',
  trail: 'trails',
  policy: 'policies',
  control: 'controls',
};

/** The meaning of `name` in commands of a noun. */
const NOUN_KINDS: Readonly<Record<string, Kind>> = {
  flow: 'flows',
  env: 'environments',
  trail: 'trails',
  policy: 'policies',
  control: 'controls',
};

/** Names with characters that a shell could interpret are never offered: they may be an attack. */
const SAFE = /^[A-Za-z0-9_][A-Za-z0-9_.~@:/+=#%-]*$|^--?[a-z][a-z-]*$/;

/** Returns completions of the line. `words` are those before the one that is being typed. */
export async function candidatesFor(
  session: Session,
  entries: readonly CatalogEntry[],
  { words, typed }: { words: readonly string[]; typed: string },
): Promise<string[]> {
  const current = typed === '=' ? '' : typed;
  const found = await possible(
    session,
    entries,
    words.filter((word) => word !== '='),
    current,
  );
  return [...new Set(found)].filter((word) => word.startsWith(current) && SAFE.test(word)).sort();
}

async function possible(
  session: Session,
  entries: readonly CatalogEntry[],
  words: readonly string[],
  current: string,
): Promise<readonly string[]> {
  const { words: path, rest } = splitLine(entries, words);
  const entry = entries.find((one) => one.path === path.join(' '));
  const command = entry && (await loaded(entry));
  const flag = command?.options.find(
    (option) => isValued(option) && [option.short, option.long].includes(words.at(-1)),
  );
  if (flag) return valuesOf(withFlags(session, words), flag);
  if (current.startsWith('-')) return command ? flagsOf(command) : ['--help', '--version'];
  if (!command && hasOthers(path, words)) return [];
  const next = nextWords(entries, path);
  if (next.length > 0) return words[0] === 'help' ? [...next, ...helpTopicNames] : next;
  return command ? argumentsOf(withFlags(session, words), command, path, positionals(command, rest)) : [];
}

/** Whether the line contains a word that names no command, so that none can follow. */
function hasOthers(path: readonly string[], words: readonly string[]): boolean {
  if (path.length > 0) return words.at(-1) !== path.at(-1);
  return words.some((word, at) => !word.startsWith('-') && !words[at - 1]?.startsWith('-') && word !== 'help');
}

/** The command with all its flags. */
export async function loaded(entry: CatalogEntry): Promise<Command> {
  const { build, settings } = (await entry.load()).command;
  const command = build() as unknown as Command;
  for (const name of [...settings, ...(Object.keys(globalSettings) as AnySettingName[])]) {
    command.option(settingOf(name).flags);
  }
  return command;
}

export function flagsOf(command: Command): string[] {
  return ['--help', ...command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? [])];
}

export function isValued({ required, optional }: Option): boolean {
  return required || optional;
}

/** The words that may follow those of a group. */
export function nextWords(entries: readonly CatalogEntry[], path: readonly string[]): string[] {
  const beginning = path.length === 0 ? '' : `${path.join(' ')} `;
  const those = entries.filter((entry) => entry.path.startsWith(beginning) && entry.path !== path.join(' '));
  return [...new Set(those.map((entry) => entry.path.slice(beginning.length).split(' ')[0] ?? ''))];
}

async function valuesOf(session: Session, option: Option): Promise<readonly string[]> {
  const long = option.long ?? '';
  const kind = FLAG_KINDS[long];
  return option.argChoices ?? CHOICES[long] ?? (kind ? namesOf(session, kind) : []);
}

async function argumentsOf(
  session: Session,
  command: Command,
  path: readonly string[],
  given: number,
): Promise<readonly string[]> {
  const all = command.registeredArguments;
  const argument = all[given] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
  if (!argument || path.at(-1) === 'create') return [];
  if (argument.argChoices) return argument.argChoices;
  const name = argument.name();
  const kind = ARGUMENT_KINDS[name] ?? (/^(name|identifier)$/.test(name) ? NOUN_KINDS[path[0] ?? ''] : undefined);
  return kind ? namesOf(session, kind) : [];
}

/** The number of arguments so far, without flags and their values. */
function positionals(command: Command, rest: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? '';
    if (!word.startsWith('-')) count += 1;
    else if (command.options.some((option) => option.required && [option.short, option.long].includes(word))) at += 1;
  }
  return count;
}

/** The session with the flags of the line that decide which service to ask. */
function withFlags(session: Session, words: readonly string[]): Session {
  const { io, sources, project, ci } = session;
  const after = (flag: string) => {
    const at = words.lastIndexOf(flag);
    return at === -1 ? undefined : words[at + 1];
  };
  const given = Object.entries({ host: after('--host'), org: after('--org'), flow: after('--flow') });
  const settings = { ...session.settings, ...Object.fromEntries(given.filter(([, value]) => value)) };
  return openSession(io, { settings, sources, project }, ci);
}
