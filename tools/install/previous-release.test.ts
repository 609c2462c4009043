import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { version } from '../../apps/cli/src/run/version.ts';
import { runProgram } from '../release/run-program.ts';
import { CANDIDATES, isOneWay, previousRelease } from './previous-release.ts';

const ROOT = join(import.meta.dirname, '../..');
const [NEWEST, OLDEST] = CANDIDATES;

const work = mkdtempSync(join(tmpdir(), 'history-'));
afterAll(() => rmSync(work, { recursive: true }));

/** A clone without tags and without a work tree. */
function givenClone(...flags: readonly string[]): string {
  const clone = mkdtempSync(join(work, 'clone-'));
  runProgram('git', ['clone', '--quiet', '--bare', '--no-tags', ...flags, pathToFileURL(ROOT).href, clone]);
  return clone;
}

it('finds the candidates in a fresh clone without tags, at commits of their version, and prefers tags', () => {
  const clone = givenClone();
  expect(CANDIDATES.map((release) => release.version)).toContain(previousRelease(clone, version).version);
  expect(previousRelease(clone, '0.1.0-rc.3')).toBe(NEWEST);
  expect(previousRelease(clone, '0.1.0-rc.2')).toBe(OLDEST);
  for (const release of CANDIDATES) {
    const manifest = runProgram('git', ['-C', clone, 'show', `${release.commit}:package.json`]).toString();
    expect(JSON.parse(manifest).version).toBe(release.version);
  }
  const tag = (name: string) => runProgram('git', ['-C', clone, 'tag', name, 'HEAD~1']);
  for (const name of ['v0.9.0', 'v0.10.0', 'v0.11.0']) tag(name);
  expect(previousRelease(clone, '0.11.0')).toEqual({ version: '0.10.0', commit: 'v0.10.0' });
});

it('says what to do in a clone without the commit', () => {
  expect(() => previousRelease(givenClone('--depth=2'), '0.1.0-rc.2')).toThrow(
    /^Couldn't find 0\.1\.0-rc\.1, .*156dd997\w+ is not in the history of HEAD\. .*`git fetch --unshallow --tags`\.$/,
  );
});

it('knows that the candidates do not run on a journal with one order, and that they run on each other', () => {
  expect(CANDIDATES.map(({ commit }) => isOneWay(ROOT, commit))).toEqual([true, true]);
  expect(isOneWay(ROOT, 'HEAD')).toBe(false);
});
