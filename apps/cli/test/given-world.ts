import {
  allowArtifact,
  attestDecision,
  attestGeneric,
  beginTrail,
  createControl,
  postAttestationType,
} from '@waymark/contract';
import { givenEnvironment } from '../../server/test/given/environments.ts';
import { artifact, fingerprint, givenArtifact, givenFlow, sendForm } from '../../server/test/given/evidence.ts';
import { givenAttached, givenPolicy, REQUIRES_PROVENANCE } from '../../server/test/given/policies.ts';
import { givenReport } from '../../server/test/given/reports.ts';
import type { TestApi } from '../../server/test/harness.ts';

export const A = fingerprint('a');
export const B = fingerprint('b');

/** Something of every kind: a flow with a trail, an artifact and evidence; environments, a policy, a control. */
export async function givenWorld(api: TestApi): Promise<{ attestationId: string; attachedId: string }> {
  await givenFlow(api, 'shop');
  await api.call(beginTrail, { params: { flow_name: 'shop' }, body: { name: 'release-1', description: 'The first' } });
  const repo_info = { name: 'acme/shop', url: 'https://git.example.com/acme/shop', provider: 'github', id: '42' };
  await givenArtifact(api, 'shop', 'a', {
    ...artifact('a'),
    trail_name: 'release-1',
    template_reference_name: 'backend',
    repo_info,
  });
  const trail = { flow_name: 'shop', trail_name: 'release-1' };
  await api.call(attestGeneric, { params: trail, body: { attestation_name: 'smoke', is_compliant: false } });
  await sendForm(
    api,
    'POST',
    '/attestations/acme/shop/trail/release-1/generic',
    { data_json: { attestation_name: 'log', is_compliant: true } },
    { part: 'attachment_file', name: 'build.log', content: 'all is well\n' },
  );
  await api.call(postAttestationType, {
    body: { name: 'coverage', evaluator: { content_type: 'jq', rules: ['.line >= 75'] } },
  });
  await givenEnvironment(api, 'prod', 'server', { description: 'The shop' });
  await givenEnvironment(api, 'eu', 'logical', { included_environments: ['prod'] });
  await givenPolicy(api, 'prod-release', REQUIRES_PROVENANCE);
  await givenAttached(api, 'prod', ['prod-release']);
  await givenReport(api, 'prod', [
    ['app', A],
    ['stray', B],
  ]);
  await api.call(createControl, { body: { identifier: 'SDLC-7', name: 'Independent review' } });
  await api.call(attestDecision, {
    params: trail,
    body: { attestation_name: 'review', control: 'SDLC-7', attestation_data: { is_compliant: true } },
  });
  await api.call(allowArtifact, {
    params: { env_name: 'prod' },
    body: { artifact_fingerprint: fingerprint('c'), artifact_name: 'tool', description: 'an emergency' },
  });
  const ids = await api.db.selectFrom('attestation').select(['id', 'name']).where('org_id', '=', api.org.id).execute();
  const idOf = (name: string) => ids.find((row) => row.name === name)?.id ?? '';
  return { attestationId: idOf('smoke'), attachedId: idOf('log') };
}
