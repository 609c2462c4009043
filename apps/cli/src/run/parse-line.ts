import { type Command, CommanderError, type Option } from 'commander';
import { type CliError, usageError } from './cli-error.ts';

/** Parses the line after the words of a command. Errors use the names in help. */
export function parseLine(command: Command, rest: readonly string[], path: string): void {
  const howTo = `Run 'waymark ${path} --help' for usage`;
  // A mistyped flag is also a missing one: the mistyped text makes the better message.
  const required = command.options.filter(({ mandatory }) => mandatory);
  for (const option of required) option.makeOptionMandatory(false);
  try {
    command.parse(rest, { from: 'user' });
  } catch (error) {
    throw error instanceof CommanderError ? asUsageError(error, howTo) : error;
  }
  const missing = required.find((option) => command.getOptionValue(option.attributeName()) === undefined);
  if (missing) throw usageError(`${nameOf(missing)} is missing`, `Add ${missing.flags}. ${howTo}`);
  refuseEmptyArguments(command);
}

const nameOf = ({ long, short }: Option) => long ?? short ?? '';

function asUsageError({ message }: CommanderError, howTo: string): CliError {
  const [what = '', hint] = message.replace(/^error: /, '').split('\n');
  return usageError(inOurWords(what), hint?.replace(/^\(|\)$/g, '') ?? howTo);
}

type Wording = readonly [RegExp, (...parts: string[]) => string];

const WORDINGS: readonly Wording[] = [
  [/^missing required argument '(.+)'$/, (name) => `${name.toUpperCase()} is missing`],
  [/^unknown option '(.+)'$/, (flag) => `Unknown flag '${flag}'`],
  [/^option '(.+)' argument missing$/, (flags) => `${longOf(flags)} needs a value: ${flags}`],
  [
    /^option '(.+?)' argument '(.*)' is invalid\. (.*)$/s,
    (flags, given, reason) => refused(longOf(flags), given, reason),
  ],
  [
    /^command-argument value '(.*)' is invalid for argument '(.+?)'\. (.*)$/s,
    (given, name, reason) => refused(name.toUpperCase(), given, reason),
  ],
  [
    /^too many arguments.* Expected (\d+) arguments? but got (\d+)/,
    (max, got) => `Too many arguments: expected ${max === '0' ? 'none' : max}, got ${got}`,
  ],
];

function inOurWords(what: string): string {
  for (const [pattern, say] of WORDINGS) {
    const found = pattern.exec(what);
    if (found) return say(...found.slice(1));
  }
  return what.charAt(0).toUpperCase() + what.slice(1);
}

const longOf = (flags: string) => /--[a-z0-9-]+/.exec(flags)?.[0] ?? flags;

function refused(name: string, given: string, reason: string): string {
  const must = reason
    .replace(/\.$/, '')
    .replace(/^Allowed choices are /, 'must be one of ')
    .replace(/^It must /, 'must ');
  return must.startsWith('must ') ? `${name} ${must}, not '${given}'` : `${name} cannot be '${given}': ${must}`;
}

/** A path with an empty name would address another resource. */
function refuseEmptyArguments(command: Command): void {
  for (const [at, argument] of command.registeredArguments.entries()) {
    if (![command.processedArgs[at]].flat().some((one) => typeof one === 'string' && one.trim() === '')) continue;
    throw usageError(
      `${argument.name().toUpperCase()} is empty`,
      'Check that all variables in the command line are set',
    );
  }
}

/** `--reason $UNSET --dry-run` must not do the real thing for the reason "--dry-run". */
export function refuseFlagsAsValues(command: Command, rest: readonly string[]): void {
  const known = new Set([...command.options.flatMap(({ short, long }) => [short, long]), '-h', '--help']);
  const takesValue = new Set(
    command.options.filter(({ required }) => required).flatMap(({ short, long }) => [short, long]),
  );
  for (const [at, flag] of rest.entries()) {
    if (flag === '--') return;
    const next = rest[at + 1];
    if (next === undefined || !takesValue.has(flag) || !known.has(next.split('=')[0])) continue;
    throw usageError(
      `${flag} needs a value, but is followed by ${next}`,
      `Check that all variables in the command line are set. If this is the value, write ${flag}=${next}`,
    );
  }
}
