import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { version } from '../../../apps/cli/src/run/version.ts';
import lock from '../../image/base.lock.json' with { type: 'json' };
import { installPython, pythonPrograms } from '../../services/python.ts';
import { isFull } from '../../test-size.ts';
import { runProgram } from '../run-program.ts';
import { SUBJECTS } from './subjects.ts';
import { sbomName, writeSboms } from './write-sboms.ts';

const [one, two] = [mkdtempSync(join(tmpdir(), 'sboms-')), mkdtempSync(join(tmpdir(), 'sboms-'))];
beforeAll(() => void writeSboms(one));
afterAll(() => {
  for (const folder of [one, two]) rmSync(folder, { recursive: true });
});

const read = (name: string) => JSON.parse(readFileSync(join(one, name), 'utf8'));

/** With the name of the package as both formats have it. */
function namesIn(id: string): string[] {
  const names = (list: { name: string }[]) => list.map(({ name }) => name).toSorted();
  const { components } = read(sbomName(id, 'cdx'));
  const { packages } = read(sbomName(id, 'spdx'));
  expect(names(packages.slice(1))).toEqual(names(components));
  return names(components);
}

it('lists what is shipped, and nothing that only builds or tests', () => {
  const server = namesIn('image-waymark');
  expect(server).toEqual(expect.arrayContaining(['@waymark/policy', 'fastify', 'react', 'libc6', 'node']));
  for (const tool of ['vitest', 'rolldown', 'typescript', 'vite', 'playwright-core'])
    expect(server).not.toContain(tool);
  expect(server.filter((name) => name === 'libc6')).toHaveLength(Object.keys(lock.packages).length);

  expect(namesIn('npm-contract')).toEqual(['zod']);
  expect(namesIn('npm-client')).toEqual(['@waymark/contract', 'zod']);
  expect(namesIn('npm-transparency')).toEqual(['@noble/hashes']);
  expect(namesIn('npm-time-stamps')).toEqual([]);
  const binary = namesIn('waymark-linux-x64');
  expect(binary).toEqual(expect.arrayContaining(['commander', 'node']));
  expect(binary).not.toContain('libc6');
});

it('says of each package which it is, by version, license and digest', () => {
  const { components, metadata } = read(sbomName('image-waymark-cli', 'cdx'));
  expect(metadata.component).toMatchObject({ type: 'container', name: 'waymark-cli', version });
  const find = (name: string) => components.find((component: { name: string }) => component.name === name);
  expect(find('zod')).toMatchObject({
    purl: expect.stringMatching(/^pkg:npm\/zod@\d/),
    licenses: [{ license: { id: 'MIT' } }],
    externalReferences: [{ type: 'distribution', hashes: [{ alg: 'SHA-512' }] }],
  });
  expect(find('node')).toMatchObject({ version: lock.node.version, cpe: expect.stringContaining(':nodejs:node.js:') });
  const [libc] = lock.packages.amd64.filter(({ name }) => name === 'libc6');
  expect(find('libc6').externalReferences[0].hashes[0].content).toBe(libc?.sha256);
});

it('is the same when it is written again', () => {
  expect(writeSboms(two)).toHaveLength(SUBJECTS.length * 2);
  for (const name of readdirSync(one)) {
    expect(readFileSync(join(two, name), 'utf8'), name).toBe(readFileSync(join(one, name), 'utf8'));
  }
});

/** The library for SPDX needs half a minute. */
it.runIf(isFull)('is valid according to the libraries of both standards', async () => {
  await installPython('sbom', join(import.meta.dirname, 'requirements.txt'));
  const programs = pythonPrograms('sbom');
  const faultsOf = (names: readonly string[]) =>
    runProgram(join(programs, 'python3'), [
      join(import.meta.dirname, 'validate.py'),
      ...names.map((name) => join(one, name)),
    ]).toString();
  expect(faultsOf(readdirSync(one))).toBe('');

  for (const format of ['cdx', 'spdx'] as const) {
    const document = read(sbomName('npm-contract', format));
    const [list, field] = format === 'cdx' ? [document.components, 'type'] : [document.packages, 'downloadLocation'];
    list[0][field] = 'no such thing';
    writeFileSync(join(one, `wrong.${format}.json`), JSON.stringify(document));
    expect(faultsOf([`wrong.${format}.json`])).toContain(`wrong.${format}.json: `);
  }
});
