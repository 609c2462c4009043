import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { choosePostgres, GO_VERSION, installGoProgram, natsServer } from './install.ts';

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

it('says what to install where there is no Go, unless the program is there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-go-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv('PATH', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const program = { ...natsServer, path: join(folder, 'bin/nats-server') };
  expect(() => installGoProgram(program)).toThrow(
    `Couldn't build ${natsServer.module}: there is no \`go\` on the PATH. Install Go ${GO_VERSION} or newer from https://go.dev/dl`,
  );
  expect(existsSync(join(folder, 'bin'))).toBe(false);

  mkdirSync(join(folder, 'bin'));
  writeFileSync(program.path, '');
  writeFileSync(`${program.path}.module`, program.module);
  expect(() => installGoProgram(program)).not.toThrow();
});

it('asks for the Go of the dev container', () => {
  const dockerfile = readFileSync(join(import.meta.dirname, '../../.devcontainer/Dockerfile'), 'utf8');
  expect(dockerfile).toContain(`FROM golang:${GO_VERSION}-`);
});
