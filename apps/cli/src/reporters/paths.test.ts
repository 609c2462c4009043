import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportServer, ServerReport } from '@waymark/contract';
import { fingerprintDirectory } from '@waymark/fingerprint';
import { afterAll, expect, it } from 'vitest';
import { givenEnvironment } from '../../../server/test/given/environments.ts';
import { startApi } from '../../../server/test/harness.ts';
import { readPath, readPaths, readServer } from './paths.ts';

const api = await startApi();
const cwd = await mkdtemp(join(tmpdir(), 'waymark-paths-'));
const MODIFIED = new Date('2026-03-02T08:00:05.900Z');

await mkdir(join(cwd, 'app/logs'), { recursive: true });
await mkdir(join(cwd, 'bin'));
await writeFile(join(cwd, 'app/index.js'), 'one');
await writeFile(join(cwd, 'app/logs/today'), 'noise');
await writeFile(join(cwd, 'bin/tool-a'), 'a');
await writeFile(join(cwd, 'bin/tool-b'), 'b');
await writeFile(join(cwd, 'bin/[odd]'), 'odd');
await writeFile(join(cwd, 'bin/line\nbreak'), 'x');
for (const path of ['app', 'bin/tool-a', 'bin/tool-b']) await utimes(join(cwd, path), MODIFIED, MODIFIED);

afterAll(() => rm(cwd, { recursive: true }));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const seconds = Math.floor(MODIFIED.getTime() / 1000);

async function givenFile(name: string, text: string): Promise<string> {
  await writeFile(join(cwd, name), text);
  return name;
}

it('reads the artifacts that a file names, and the server accepts them', async () => {
  const file = await givenFile(
    'paths.yml',
    'version: 1\nartifacts:\n  shop:\n    path: app\n    exclude: [logs]\n  tool:\n    path: bin/tool-a\n',
  );
  const report = await readPaths(file, { cwd });
  expect(report).toEqual({
    type: 'server',
    artifacts: [
      {
        digests: { shop: await fingerprintDirectory(join(cwd, 'app'), { exclude: ['logs'] }) },
        creationTimestamp: seconds,
      },
      { digests: { tool: sha256('a') }, creationTimestamp: seconds },
    ],
  });
  await givenEnvironment(api, 'paths', 'server');
  const call = { params: { org: api.org.name, env_name: 'paths' }, body: report };
  expect((await api.call(reportServer, call)).headers['waymark-snapshot']).toBe('1; created');
});

it('reads one path, under its own name or another', async () => {
  expect((await readPath('bin/tool-a', { cwd })).artifacts[0]?.digests).toEqual({
    [join(cwd, 'bin/tool-a')]: sha256('a'),
  });
  expect((await readPath('bin/tool-a', { cwd, name: 'tool' })).artifacts[0]?.digests).toEqual({ tool: sha256('a') });
  const excluded = await readPath('app', { cwd, name: 'app', exclude: ['logs'] });
  expect(excluded).not.toEqual(await readPath('app', { cwd, name: 'app' }));
});

it('reads a list of paths and patterns, each match once', async () => {
  const report = await readServer(['bin/tool-*', 'bin/tool-b', 'app', 'bin/[odd]'], { cwd });
  expect(report.artifacts.flatMap(({ digests }) => Object.keys(digests))).toEqual(
    ['app', 'bin/[odd]', 'bin/tool-a', 'bin/tool-b'].map((path) => join(cwd, path)),
  );
  expect(ServerReport.safeParse(report).error).toBeUndefined();
});

it.each<[string, () => Promise<unknown>, string]>([
  ['a missing path', () => readPath('none', { cwd }), 'No file or directory at none'],
  ['a pattern without a match', () => readServer(['bin/tool-a', 'bin/none-*'], { cwd }), 'Nothing matches bin/none-*'],
  ['a name with a line break', () => readServer(['bin/*'], { cwd }), 'contains control characters'],
  ['an empty name', () => readPath('app', { cwd, name: '' }), 'is empty'],
  ['a name that is too long', () => readPath('app', { cwd, name: 'x'.repeat(501) }), 'is longer than 500 characters'],
  ['a device', () => readPath('/dev/null', { cwd }), 'is neither a file nor a directory'],
])('refuses %s', async (_, read, message) => {
  await expect(read()).rejects.toMatchObject({ ending: 'usage', message: expect.stringContaining(message) });
});

it('refuses a broken link', async () => {
  await symlink('nowhere', join(cwd, 'dangling'));
  await expect(readPath('dangling', { cwd })).rejects.toMatchObject({
    message: 'No file or directory at dangling',
  });
});

it.each([
  ['version: 2\nartifacts: {}', 'version must be 1'],
  ['version: 1', 'artifacts must be a mapping'],
  ['version: 1\nartifacts: {}\nextra: 1', 'has the unknown key "extra"'],
  ['version: 1\nartifacts: {a: {exclude: []}}', 'artifacts.a.path must be a path'],
  ['version: 1\nartifacts: {a: {path: app, exclude: logs}}', 'artifacts.a.exclude must be a list of patterns'],
  ['version: 1\nartifacts: {a: {path: app, ignore: []}}', 'artifacts.a has the unknown key "ignore"'],
  ['version: 1\nartifacts: {a: {path: app}, a: {path: bin}}', 'is not YAML: Map keys must be unique'],
  ['[', 'is not YAML'],
  ['- a', 'must be a mapping'],
])('refuses the file %j', async (text, message) => {
  const file = await givenFile('bad.yml', text);
  await expect(readPaths(file, { cwd })).rejects.toMatchObject({
    ending: 'usage',
    message: expect.stringContaining(message),
  });
});
