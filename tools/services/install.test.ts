import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { choosePostgres } from './install.ts';

function givenVersions(...versions: readonly number[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-postgres-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const version of versions) {
    mkdirSync(join(directory, String(version), 'bin'), { recursive: true });
    writeFileSync(join(directory, String(version), 'bin/initdb'), '');
  }
  return directory;
}

it('takes any PostgreSQL from 15 on, the oldest of them', () => {
  const several = givenVersions(17, 14, 16);
  expect(choosePostgres(several)).toBe(join(several, '16/bin'));
  const newest = givenVersions(18);
  expect(choosePostgres(newest)).toBe(join(newest, '18/bin'));
});

it('takes the one that is configured where there is no other', () => {
  const elsewhere = join(givenVersions(17), '17/bin');
  expect(choosePostgres(givenVersions(13), elsewhere)).toBe(elsewhere);
  expect(choosePostgres(join(elsewhere, 'missing'))).toBeUndefined();
});
