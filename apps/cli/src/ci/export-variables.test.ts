import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportVariables } from './export-variables.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waymark-export-'));
  file = join(directory, 'env');
});
afterEach(() => rmSync(directory, { recursive: true }));

const variables = { WAYMARK_FLOW: 'web', WAYMARK_TRAIL: "it's $(date) `x` %25 ]" };

describe('variables for later steps', () => {
  it('go to the file of GitHub, each with a random delimiter', () => {
    writeFileSync(file, 'OTHER=1\n');
    expect(exportVariables('github', { GITHUB_ENV: file }, variables)).toEqual({ lines: [], exportedTo: 'GITHUB_ENV' });
    const text = readFileSync(file, 'utf8');
    const parts =
      /^OTHER=1\nWAYMARK_FLOW<<(waymark_[0-9a-f]{32})\nweb\n\1\nWAYMARK_TRAIL<<(waymark_[0-9a-f]{32})\n(.*)\n\2\n$/.exec(
        text,
      );
    expect(parts?.[3]).toBe(variables.WAYMARK_TRAIL);
    expect(parts?.[1]).not.toBe(parts?.[2]);
  });

  it('go to the file that CircleCI has bash read, and mean the same there', () => {
    expect(exportVariables('circleci', { BASH_ENV: file }, variables).exportedTo).toBe('BASH_ENV');
    const printed = execFileSync('bash', ['-c', '. "$1"; printf %s "$WAYMARK_TRAIL"', 'bash', file], {
      encoding: 'utf8',
    });
    expect(printed).toBe(variables.WAYMARK_TRAIL);
  });

  it('go to a dotenv report at GitLab, each once', () => {
    const env = { CI_PROJECT_DIR: directory };
    exportVariables('gitlab', env, { WAYMARK_FLOW: 'old' });
    writeFileSync(join(directory, 'waymark.env'), 'OTHER=1\n', { flag: 'a' });
    expect(exportVariables('gitlab', env, { WAYMARK_FLOW: 'web', WAYMARK_TRAIL: 't' }).exportedTo).toBe('waymark.env');
    expect(readFileSync(join(directory, 'waymark.env'), 'utf8')).toBe('OTHER=1\nWAYMARK_FLOW=web\nWAYMARK_TRAIL=t\n');
  });

  it.each(['victim', 'not-there'])('are not written through a link at GitLab, to %s', (name) => {
    const victim = join(directory, name);
    if (name === 'victim') writeFileSync(victim, 'kept');
    const path = join(directory, 'waymark.env');
    symlinkSync(victim, path);
    expect(() => exportVariables('gitlab', { CI_PROJECT_DIR: directory }, variables)).toThrow(
      `${path} is a symbolic link`,
    );
    expect(existsSync(victim) ? readFileSync(victim, 'utf8') : 'none').toBe(name === 'victim' ? 'kept' : 'none');
  });

  it('are commands at Azure and TeamCity', () => {
    expect(exportVariables('azure', {}, variables)).toEqual({
      lines: [
        '##vso[task.setvariable variable=WAYMARK_FLOW]web',
        "##vso[task.setvariable variable=WAYMARK_TRAIL]it's $(date) `x` %AZP2525 ]",
      ],
      exportedTo: 'task.setvariable',
    });
    expect(exportVariables('teamcity', {}, { WAYMARK_TRAIL: "it's ]" }).lines).toEqual([
      "##teamcity[setParameter name='env.WAYMARK_TRAIL' value='it|'s |]']",
    ]);
  });

  it('are not exported where the CI system does not support it', () => {
    for (const provider of ['buildkite', 'jenkins', 'bitbucket', 'none'] as const) {
      expect(exportVariables(provider, {}, variables)).toEqual({ lines: [] });
    }
    expect(exportVariables('github', {}, variables)).toEqual({ lines: [] });
  });

  it.each(['a\nB=c', 'a\rb', 'a\u2028b', 'a\u0000b'])('are refused with a line break: %j', (value) => {
    for (const provider of ['github', 'gitlab', 'azure', 'circleci'] as const) {
      expect(() => exportVariables(provider, { GITHUB_ENV: file, BASH_ENV: file }, { WAYMARK_TRAIL: value })).toThrow(
        'WAYMARK_TRAIL contains a line break or another control character',
      );
    }
  });

  it('are refused with an invalid name', () => {
    expect(() => exportVariables('circleci', { BASH_ENV: file }, { 'A;rm': 'x' })).toThrow(
      "'A;rm' is not a valid variable name",
    );
  });

  it('name the file that could not be written', () => {
    expect(() => exportVariables('github', { GITHUB_ENV: directory }, variables)).toThrow(
      "Couldn't write the variables for later steps to GITHUB_ENV (EISDIR)",
    );
  });
});
