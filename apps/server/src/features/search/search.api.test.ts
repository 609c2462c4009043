import { searchSha } from '@waymark/contract';
import { expect, it } from 'vitest';
import { commit, fingerprint, givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
await givenFlow(api, 'web', 'version: 1\n');
await givenFlow(api, 'mobile');
await givenArtifact(api, 'web', 'a', { trail_name: 't', git_commit: commit('c') });
await givenArtifact(api, 'mobile', 'a', {
  trail_name: 't',
  git_commit: commit('c'),
  template_reference_name: 'backend',
});
await givenArtifact(api, 'web', 'b', { trail_name: 't', git_commit: commit('c') });

const search = (sha: string) => api.call(searchSha, { params: { sha } });

it('resolves a fingerprint, in every flow that reports it', async () => {
  expect((await search('aaaaa')).body).toMatchObject({
    resolved_to: {
      type: 'fingerprint',
      full_match: fingerprint('a'),
      fingerprints: { count: 1, matches: [fingerprint('a')] },
      commits: { count: 0, matches: [] },
    },
    artifacts: [
      { flow: 'mobile', compliance_state: 'INCOMPLETE', git_commit: commit('c'), has_provenance: true, running_in: [] },
      { flow: 'web', name: 'app-a.tgz', compliance_state: 'COMPLIANT', history: [{ event: 'app-a.tgz reported' }] },
    ],
  });
});

it('resolves a commit to what it produced, in any case of the digits', async () => {
  const answer = await search(commit('C'));
  expect(answer.body).toMatchObject({
    resolved_to: { type: 'commit', full_match: commit('c'), commits: { count: 1 } },
  });
  expect((answer.body as { artifacts: object[] }).artifacts).toHaveLength(3);
});

it('says when there is nothing, and what it takes', async () => {
  expect(await search('ddddd')).toMatchObject({ status: 404, body: { message: expect.stringContaining("'ddddd'") } });
  for (const wrong of ['aaaa', 'xyzxyz', 'a'.repeat(65)]) expect((await search(wrong)).status).toBe(400);
});
