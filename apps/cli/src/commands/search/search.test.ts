import { searchSha } from '@waymark/contract';
import { beforeAll, expect, it } from 'vitest';
import { startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';
import { givenStory } from '../../../test/given-story.ts';

const api = await startApi();
const cli = await givenSignedIn(api);

beforeAll(() => givenStory(api));

const search = (...line: string[]) => cli.run(['search', ...line]);

it('finds artifacts by the beginning of a fingerprint', async () => {
  const { code, stdout } = await search('aaaaa');
  expect(code).toBe(0);
  expect(stdout).toMatch(/✕ NON-COMPLIANT +app-a\.tgz +aaaaaaaaaaaa +shop\/release-1 +aaaaaaaaaaaa +prod/);
  expect(searchSha.reply.parse(JSON.parse((await search('sha256:AAAAA', '--json')).stdout)).artifacts).toHaveLength(1);
  expect(await search('fffff')).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('--text') });
  expect((await search('fffff', '--json')).stdout).toBe('[]\n');
});

it('finds by name, in any case', async () => {
  expect((await search('SHO')).stdout).toMatch(/flow +shop/);
  expect((await search('rod')).stdout).toMatch(/environment +prod +server, non-compliant/);
  expect((await search('sho', '-o', 'name')).stdout).toBe('shop\n');
  expect(await search('added', '--text')).toMatchObject({ code: 5 });
  expect(await search('nothing-like-it')).toMatchObject({
    code: 5,
    stdout: '',
    stderr: "No results for 'nothing-like-it'.\n",
  });
  expect(await search('pkg:npm/left-pad@1.3.0')).toMatchObject({ code: 5 });
  expect(await search('acme/web (old) %')).toMatchObject({ code: 5 });
  expect(await search(' ')).toMatchObject({ code: 2 });
});
