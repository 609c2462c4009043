import { beforeAll, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../server/test/given/environments.ts';
import { fingerprint, givenArtifact, givenFlow, sendForm } from '../../../../server/test/given/evidence.ts';
import { givenRunning } from '../../../../server/test/given/runs.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);

async function givenSbom(digit: string, versions: Record<string, string>, license: string): Promise<void> {
  const components = Object.entries(versions).map(([name, version]) => ({
    ...{ type: 'library', name, version, purl: `pkg:npm/${name}@${version}` },
    licenses: [{ license: { id: license } }],
  }));
  const content = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components });
  const sent = { data_json: { attestation_name: 'bom', artifact_fingerprint: fingerprint(digit) } };
  const file = { part: 'attachment_file', name: 'bom.json', content };
  await sendForm(api, 'POST', '/attestations/acme/web/trail/t/sbom', sent, file);
}

beforeAll(async () => {
  await givenFlow(api, 'web', 'version: 1\n');
  for (const digit of ['a', 'b', 'c']) await givenArtifact(api, 'web', digit, { trail_name: 't' });
  await givenSbom('a', { lodash: '4.17.20', gone: '1.0.0', same: '1.0.0' }, 'MIT');
  await givenSbom('b', { lodash: '4.17.21', fresh: '2.0.0', same: '1.0.0' }, 'ISC');
  await givenEnvironment(api, 'prod');
  await givenEnvironment(api, 'test');
  await givenRunning(api, 'prod', { web: 'a', tool: 'c' });
  await givenRunning(api, 'test', { web: 'b' });
});

const component = (...line: string[]) => cli.run(['component', ...line, '--utc']);

it('shows where a component runs, and what was not searched', async () => {
  const { code, stdout, stderr } = await component('where', 'pkg:npm/lodash', '--range', '<4.17.21');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^prod +web +4\.17\.20 +yes +\d{4}-/m);
  expect(stdout).not.toContain('test');
  expect(stderr).toContain('Not searched: 1 of 3 running artifacts without SBOM');
  expect((await component('where', 'pkg:npm/lodash', '-o', 'name')).stdout).toBe('prod\ntest\n');
  const { data, coverage } = JSON.parse((await component('where', 'pkg:npm/lodash', '--json')).stdout);
  expect(data).toHaveLength(2);
  expect(coverage).toEqual({ running: 3, without_sbom: 1, unidentified: 0, is_complete: true });
});

it('says when nothing is known to run it', async () => {
  expect(await component('where', 'pkg:npm/lodash', '--range', '<4')).toMatchObject({
    code: 5,
    stdout: '',
    stderr: expect.stringMatching(
      /1 of 3 running artifacts.*No SBOM of a running artifact contains pkg:npm\/lodash <4\./s,
    ),
  });
  expect(await component('where', 'lodash')).toMatchObject({ code: 2 });
  expect(await component('where', 'pkg:npm/lodash', '--range', '<')).toMatchObject({ code: 2 });
  expect((await component('where', 'pkg:deb/a', '--range', '<1')).stderr).toContain('compared for equality');
});

it('shows what changed between two artifacts', async () => {
  const { code, stdout } = await component('diff', 'aaaaa', fingerprint('b'));
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\+ +pkg:npm\/fresh +2\.0\.0 +ISC$/m);
  expect(stdout).toMatch(/^- +pkg:npm\/gone +1\.0\.0 +MIT$/m);
  expect(stdout).toMatch(/^~ +pkg:npm\/lodash +4\.17\.20 +4\.17\.21 +MIT → ISC$/m);
  expect(stdout).toMatch(/^~ +pkg:npm\/same +1\.0\.0 +1\.0\.0 +MIT → ISC$/m);
  expect((await component('diff', 'aaaaa', 'aaaaa')).stdout).toContain('no component changed; 3 components unchanged');
});

it('refuses artifacts that cannot be compared', async () => {
  expect(await component('diff', 'aaaaa', 'ccccc')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('has no SBOM'),
  });
  expect(await component('diff', 'aaaaa', 'ddddd')).toMatchObject({ code: 5 });
  expect(await component('diff', 'aaaaa', fingerprint('d'))).toMatchObject({ code: 5 });
  expect(await component('diff', 'aaaaa')).toMatchObject({ code: 2 });
});
