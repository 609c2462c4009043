import { randomBytes } from 'node:crypto';
import { appendFileSync, closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ProviderId } from '@waymark/ci-context';
import { CliError, usageError } from '../run/cli-error.ts';
import type { Io } from '../run/io.ts';
import { azureData, azureProperty, teamcityValue } from './escape.ts';

export interface ExportOutcome {
  /** Written to standard output unchanged. */
  readonly lines: readonly string[];
  /** Where later steps get the variables from. Absent where the CI system has no such feature. */
  readonly exportedTo?: string;
}

/** Gives later steps of the job variables, so that they need not repeat the flags. */
export function exportVariables(
  provider: ProviderId,
  env: Io['env'],
  variables: Readonly<Record<string, string>>,
): ExportOutcome {
  const pairs = Object.entries(variables);
  for (const [name, value] of pairs) refuseUnsafe(name, value);
  switch (provider) {
    case 'github':
    case 'gitea':
      return append(env, 'GITHUB_ENV', pairs.map(githubEntry).join(''));
    case 'circleci':
      return append(env, 'BASH_ENV', pairs.map(([name, value]) => `export ${name}=${quoted(value)}\n`).join(''));
    case 'gitlab':
      return writeDotenv(join(env['CI_PROJECT_DIR'] || '.', 'waymark.env'), pairs);
    case 'azure':
      return {
        lines: pairs.map(
          ([name, value]) => `##vso[task.setvariable variable=${azureProperty(name)}]${azureData(value)}`,
        ),
        exportedTo: 'task.setvariable',
      };
    case 'teamcity':
      return {
        lines: pairs.map(
          ([name, value]) => `##teamcity[setParameter name='env.${name}' value='${teamcityValue(value)}']`,
        ),
        exportedTo: 'setParameter',
      };
    default:
      return { lines: [] };
  }
}

/** A line break would start another variable of an attacker's choice. */
function refuseUnsafe(name: string, value: string): void {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw usageError(`'${name}' is not a valid variable name`);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) {
    throw usageError(
      `${name} contains a line break or another control character`,
      'Use a name without control characters',
    );
  }
}

function append(env: Io['env'], variable: string, text: string): ExportOutcome {
  const path = env[variable];
  if (!path) return { lines: [] };
  written(variable, () => appendFileSync(path, text));
  return { lines: [], exportedTo: variable };
}

function githubEntry([name, value]: readonly [string, string]): string {
  const end = `waymark_${randomBytes(16).toString('hex')}`;
  return `${name}<<${end}\n${value}\n${end}\n`;
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

/**
 * Writes a dotenv report. GitLab takes the text after the sign literally, and no name twice. The file is in the
 * checkout, where the author of a change can place a link to another file.
 */
function writeDotenv(path: string, pairs: readonly (readonly [string, string])[]): ExportOutcome {
  written(path, () => {
    const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW);
    try {
      const there = readFileSync(file, 'utf8').split('\n');
      const others = there.filter((line) => line !== '' && !pairs.some(([name]) => line.startsWith(`${name}=`)));
      const lines = [...others, ...pairs.map(([name, value]) => `${name}=${value}`), ''];
      ftruncateSync(file);
      writeSync(file, lines.join('\n'), 0);
    } finally {
      closeSync(file);
    }
  });
  return { lines: [], exportedTo: 'waymark.env' };
}

function written(what: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    if (code === ' (ELOOP)') {
      throw new CliError(
        'usage',
        `${what} is a symbolic link, so the variables for later steps are not written to it`,
        {
          cause,
          fix: 'Remove the link',
        },
      );
    }
    throw new CliError('usage', `Couldn't write the variables for later steps to ${what}${code}`, { cause });
  }
}
