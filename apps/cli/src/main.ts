import { readCiContext } from '@waymark/ci-context';
import type { Command, Option } from 'commander';
import { allEntries, catalog } from './catalog/catalog.ts';
import type { CatalogEntry } from './catalog/catalog-entry.ts';
import { ciSources } from './run/ci-sources.ts';
import { CliError } from './run/cli-error.ts';
import type { CommandDefinition } from './run/command.ts';
import { type Ending, type ExitCode, exitCodes } from './run/exit-codes.ts';
import { failureOf } from './run/failure.ts';
import { type Asked, splitLine, strayWord, unknownCommand } from './run/find-command.ts';
import { commandHelp, groupHelp, rootHelp } from './run/help.ts';
import { helpTopic } from './run/help-topics.ts';
import type { Io } from './run/io.ts';
import { openPage } from './run/open-page.ts';
import { openSession } from './run/open-session.ts';
import { print, refuseTwoFormats, refuseUnreadableFilter } from './run/output.ts';
import { parseLine, refuseFlagsAsValues } from './run/parse-line.ts';
import { emptyValue, resolveSettings } from './run/resolve-settings.ts';
import { globalSettings, settingOf } from './run/settings.ts';
import { type ColourChoice, type Style, styleFor } from './run/style.ts';
import { inert, oneLine } from './run/table.ts';
import { version } from './run/version.ts';
import { interruptedText, noWrites, type Writes, watchWrites } from './run/watch-writes.ts';

/** Runs one command line. Never throws: every ending is an exit code. */
export async function main(line: readonly string[], io: Io): Promise<ExitCode> {
  const asked = splitLine(allEntries, withoutHelpWord(line));
  const seen: Seen = { writes: noWrites() };
  try {
    return exitCodes[await answer(asked, io, seen)];
  } catch (error) {
    if (io.signal.aborted) {
      io.stderr.write(interruptedText(seen.writes));
      return exitCodes.interrupted;
    }
    const failure = failureOf(error, seen.host);
    io.stderr.write(errorText(failure, styleFor(io.stderr, io.env, seen.color ?? 'auto'), seen.debug === true));
    return exitCodes[failure.ending];
  }
}

/** `help X` is `X --help`, unless X is a topic. */
function withoutHelpWord(line: readonly string[]): readonly string[] {
  const [first, ...rest] = line;
  if (first !== 'help' || helpTopic(rest[0] ?? '') !== undefined) return line;
  return [...rest, '--help'];
}

/** Describes a failed command. */
interface Seen {
  readonly writes: Writes;
  host?: string | undefined;
  debug?: boolean;
  color?: ColourChoice;
}

async function answer(asked: Asked, io: Io, seen: Seen): Promise<Ending> {
  const entry = allEntries.find(({ path }) => path === asked.words.join(' '));
  if (!entry) return answerWithoutCommand(asked, io);
  const { command: definition } = await entry.load();
  const command = commandOf(entry, definition);
  refuseFlagsAsValues(command, asked.rest);
  if (asksForHelp(asked.rest)) {
    io.stdout.write(`${commandHelp(entry, definition, command)}\n`);
    // The output that was also requested is not done, and must not look as if it were.
    return asked.rest.length === 1 ? 'done' : 'usage';
  }
  parseLine(command, asked.rest, entry.path);
  const ci = once(() => readCiContext(io.env, ciSources(io)));
  const resolved = resolveSettings(command as never, definition.settings, io, ci);
  seen.host = resolved.settings.host;
  seen.debug = resolved.settings.debug !== undefined;
  seen.color = resolved.settings.color;
  const session = openSession({ ...io, fetch: watchWrites(io.fetch, seen.writes) }, resolved, ci);
  refuseTwoFormats(resolved);
  await refuseUnreadableFilter(resolved.settings);
  const outcome = await definition.run(session, command.processedArgs, command.opts());
  if (resolved.settings.web) openPage(io, outcome);
  else await print(io, resolved.settings, outcome).catch((error: unknown) => throwShownLate(error, seen.writes));
  return outcome.ending ?? 'done';
}

/** The work stays done when only its result cannot be shown. The error must not suggest doing it again. */
function throwShownLate(error: unknown, { done }: Writes): never {
  if (!(error instanceof CliError) || done.length === 0) throw error;
  const { ending, message, fix } = error;
  throw new CliError(ending, message, {
    why: 'The change is recorded, but this format cannot show its result',
    ...(fix !== undefined && { fix }),
  });
}

function answerWithoutCommand(asked: Asked, io: Io): Ending {
  const { words, rest } = asked;
  const [first, second = ''] = rest;
  if (first === '--version' || first === '-V') {
    io.stdout.write(`${version}\n`);
    return 'done';
  }
  const topic = first === 'help' && words.length === 0 ? helpTopic(second) : undefined;
  if (topic !== undefined) {
    io.stdout.write(`${topic}\n`);
    return 'done';
  }
  const help = words.length === 0 ? rootHelp(catalog) : groupHelp(words, allEntries);
  const isHelp =
    rest.length === 0 ? words.length === 0 : asksForHelp(rest) && rest.every((word) => word.startsWith('-'));
  if (isHelp) {
    io.stdout.write(`${help}\n`);
    return 'done';
  }
  if (words.length === 0 || strayWord(rest) !== undefined) throw unknownCommand(allEntries, asked);
  // A group alone: lists its commands.
  io.stderr.write(`${help}\n`);
  return 'usage';
}

/** The command with its own flags, those it requested and the global ones. */
export function commandOf(entry: CatalogEntry, definition: CommandDefinition): Command {
  const command = definition.build() as unknown as Command;
  command.name(`waymark ${entry.path}`).exitOverride().helpOption(false).allowExcessArguments(false);
  command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  for (const name of [...definition.settings, ...(Object.keys(globalSettings) as (keyof typeof globalSettings)[])]) {
    const { flags, description } = settingOf(name);
    command.option(flags, description);
  }
  for (const option of command.options) refuseEmptyFirst(option);
  return command.action(() => undefined);
}

/** A parser of values might read an empty one as a number. */
function refuseEmptyFirst(option: Option): void {
  const { parseArg: read } = option;
  if (!read) return;
  option.argParser((text, before) => {
    if (text.trim() === '') throw emptyValue(option);
    return read(text, before);
  });
}

function asksForHelp(rest: readonly string[]): boolean {
  const end = rest.indexOf('--');
  return rest.slice(0, end === -1 ? undefined : end).some((word) => word === '--help' || word === '-h');
}

function errorText({ message, why, fix, requestId, cause }: CliError, style: Style, isDebug: boolean): string {
  const stack = isDebug && cause instanceof Error ? (cause.stack ?? cause.message) : undefined;
  const lines = [
    `${style.bad('✕')} ${inert(message)}`,
    why && `  ${inert(why)}`,
    fix && `  ${style.strong('fix:')} ${inert(fix)}`,
    requestId && `  ${style.faint(`request id: ${oneLine(requestId)}`)}`,
    stack && style.faint(stack),
  ];
  return `${lines.filter(Boolean).join('\n')}\n`;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
