import {
  type Attestation,
  addTrustedKey,
  assertArtifact,
  attestOverride,
  listTrustedKeys,
  putRefuseUnverified,
  removeTrustedKey,
  searchComponents,
} from '@waymark/contract';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type GivenKey,
  givenEnvelope,
  givenKeys,
  givenStatement,
} from '../../../../../packages/evidence/src/given/envelope.ts';
import { environmentOf, givenEnvironment } from '../../../test/given/environments.ts';
import {
  attestationIdOf,
  attestationOf,
  commit,
  fingerprint,
  givenArtifact,
  givenFlow,
  sendForm,
  trailOf,
} from '../../../test/given/evidence.ts';
import { attestationPolicy, givenAttached, givenPolicy } from '../../../test/given/policies.ts';
import { givenReport } from '../../../test/given/reports.ts';
import { givenReevaluations } from '../../../test/given/worker.ts';
import { type Answer, startApi } from '../../../test/harness.ts';

const api = await startApi();
const { turns, takeQueued, settle } = await givenReevaluations(api);
const release = givenKeys.ed25519();
const verifier = givenKeys.p256();
const stranger = givenKeys.ed25519();

const SLSA = 'https://slsa.dev/provenance/v1';
const VSA = 'https://slsa.dev/verification_summary/v1';
const BUILDER = 'https://github.com/actions/runner/github-hosted';
const WEB = 'https://github.com/acme/web';

let flow = '';
let count = 0;
beforeAll(async () => {
  await api.call(addTrustedKey, { body: { name: 'release', public_key: release.pem } });
  await api.call(addTrustedKey, { body: { name: 'verifier', public_key: verifier.pem } });
});
beforeEach(async () => {
  flow = `flow-${++count}`;
  await givenFlow(api, flow, 'version: 1\n');
  await givenArtifact(api, flow, 'a', { trail_name: 't', fingerprint: digest() });
});

/** Of the artifact of this test: evidence of other flows would count for the same one. */
const digest = () => fingerprint('a').replace(/^.{4}/, String(count).padStart(4, '0'));

const about = (predicateType: string, predicate: object, by: GivenKey = release, sha256 = digest()) =>
  givenEnvelope(givenStatement({ subject: [{ name: 'app', digest: { sha256 } }], predicateType, predicate }), [{ by }]);
const provenance = (
  more: { builder?: string; repository?: string; ref?: string; sha?: string } = {},
  by?: GivenKey,
) => {
  const { builder = BUILDER, repository = WEB, ref = 'refs/tags/v7', sha = commit('a') } = more;
  return about(
    SLSA,
    {
      buildDefinition: {
        buildType: 'https://actions.github.io/buildtypes/workflow/v1',
        externalParameters: { workflow: { repository, ref } },
        resolvedDependencies: [{ uri: `git+${repository}@${ref}`, digest: { gitCommit: sha } }],
      },
      runDetails: { builder: { id: builder } },
    },
    by,
  );
};
const summary = (verificationResult: string, by = verifier) =>
  about(VSA, { verifier: { id: 'https://verify.example.com' }, verificationResult }, by);

const send = (envelopes: object | string, name = 'build') =>
  sendForm(
    api,
    'POST',
    `/attestations/acme/${flow}/trail/t/in_toto`,
    { data_json: { attestation_name: name, artifact_fingerprint: digest() } },
    {
      part: 'attachment_file',
      name: 'build.intoto.jsonl',
      content: typeof envelopes === 'string' ? envelopes : JSON.stringify(envelopes),
    },
  );
const sent = async (envelopes: object | string, name?: string): Promise<Attestation> => {
  const answer = await send(envelopes, name);
  expect(answer).toMatchObject({ status: 201 });
  return attestationOf(api, attestationIdOf(answer));
};

interface Asserted {
  compliant: boolean;
  because: string;
}

/** The verdict of a policy with this rule on the artifact. */
async function judged(fields: string): Promise<Asserted> {
  const name = `${flow}-${Math.floor(Math.random() * 1e9)}`;
  await givenPolicy(api, name, attestationPolicy(`{ type: in_toto, ${fields} }`));
  await givenEnvironment(api, name);
  await givenAttached(api, name, [name]);
  const params = { fingerprint: digest() };
  const { status, body } = (await api.call(assertArtifact, {
    params,
    query: { environment_name: name },
  })) as Answer<Asserted>;
  expect(status).toBe(200);
  return { compliant: body.compliant, because: body.because };
}

describe('what satisfied min_trust and proved nothing is refused', () => {
  it('a verification summary that says FAILED', async () => {
    expect(await sent(summary('FAILED'))).toMatchObject({
      is_compliant: false,
      outcome: 'failed',
      trust: 'signature',
      reasons: ["The verification by 'https://verify.example.com' FAILED."],
      evaluation: { signed_by: { name: 'verifier' }, statements: [{ result: 'FAILED' }] },
    });
    expect((await trailOf(api, flow, 't')).compliance_state).toBe('NON-COMPLIANT');
    expect(await judged('min_trust: signature')).toMatchObject({ compliant: false });
    expect(await judged('verification_result: PASSED, must_be_compliant: false')).toEqual({
      compliant: false,
      because: expect.stringContaining("'build' says that the verification by 'https://verify.example.com' FAILED"),
    });
  });

  it('provenance of an unknown builder', async () => {
    await sent(provenance({ builder: 'https://evil.example.com/builder' }));
    expect(await judged('min_trust: signature')).toMatchObject({ compliant: true });
    expect(await judged(`builder: ${BUILDER}`)).toEqual({
      compliant: false,
      because: expect.stringContaining("'build' is built by 'https://evil.example.com/builder'"),
    });
  });

  it('an arbitrary predicate', async () => {
    await sent(about('https://example.com/anything', { verificationResult: 'PASSED', builder: { id: BUILDER } }));
    expect(await judged('min_trust: signature')).toMatchObject({ compliant: true });
    expect(await judged(`predicate_type: ${SLSA}`)).toEqual({
      compliant: false,
      because: expect.stringContaining("'build' has the predicate 'https://example.com/anything'"),
    });
    expect(await judged('verification_result: PASSED')).toMatchObject({ compliant: false });
    expect(await judged(`builder: ${BUILDER}`)).toMatchObject({ compliant: false });
  });
});

it('a rule accepts what the statement says', async () => {
  await sent(provenance());
  const all =
    `predicate_type: ${SLSA}, signed_by: { key: release }, builder: '${BUILDER}', ` +
    `source: { repository: 'https://github.com/acme/*', ref: 'refs/tags/*', commit: artifact }, min_trust: signature`;
  expect(await judged(all)).toMatchObject({ compliant: true });
  expect(await judged('signed_by: { key: verifier }')).toEqual({
    compliant: false,
    because: expect.stringContaining("'build' is signed by key 'release'"),
  });
  expect(await judged("source: { ref: 'refs/heads/*' }")).toMatchObject({ compliant: false });
});

it('a rule asks what the artifact was built from', async () => {
  await sent(provenance());
  expect(await judged(`materials: { allow: 'git+https://github.com/acme/**' }`)).toMatchObject({ compliant: true });
  expect(await judged("materials: { allow: 'pkg:docker/registry.example.com/**' }")).toEqual({
    compliant: false,
    because: expect.stringContaining(`'build' is built of 'git+${WEB}@refs/tags/v7', which the rule does not allow`),
  });
  expect(await judged("materials: { deny: '**@refs/tags/*' }")).toMatchObject({ compliant: false });
});

it('a rule compares the commit with the one that was reported', async () => {
  await sent(provenance({ sha: commit('b') }));
  expect(await judged('source: { commit: artifact }')).toEqual({
    compliant: false,
    because: expect.stringContaining(`and the artifact was reported with '${commit('a')}'`),
  });
});

it('what an unknown signer says does not count, although it says all of it', async () => {
  expect(await sent(provenance({}, stranger))).toMatchObject({
    is_compliant: false,
    evaluation: { statements: [{ outcome: 'signature_unmatched', signers: [] }] },
  });
  expect(await judged(`builder: ${BUILDER}, must_be_compliant: false`)).toEqual({
    compliant: false,
    because: expect.stringContaining("'build' has no statement that was read and verified"),
  });
});

it('several envelopes are read, and those about other artifacts do not count', async () => {
  const other = about(SLSA, { runDetails: { builder: { id: 'https://other' } } }, release, fingerprint('f'));
  const recorded = await sent([other, provenance(), summary('PASSED')].map((one) => JSON.stringify(one)).join('\n'));
  expect(recorded).toMatchObject({
    is_compliant: true,
    outcome: 'signature_verified',
    evaluation: {
      other_statements: 1,
      statements: [
        {
          predicate_type: SLSA,
          about: 'sha256',
          signers: [{ kind: 'key', name: 'release' }],
          builder: BUILDER,
          source: { repository: WEB, ref: 'refs/tags/v7', commit: commit('a') },
          material_count: 1,
        },
        { predicate_type: VSA, result: 'PASSED', verifier: 'https://verify.example.com' },
      ],
    },
  });
  expect(await judged(`builder: ${BUILDER}`)).toMatchObject({ compliant: true });
  expect(await judged('verification_result: PASSED, signed_by: { key: verifier }')).toMatchObject({ compliant: true });
  expect(await judged('verification_result: PASSED, signed_by: { key: release }')).toMatchObject({ compliant: false });
  expect(await judged("builder: 'https://other'")).toMatchObject({ compliant: false });
});

it('one bad signature among several makes the attestation non-compliant', async () => {
  expect(await sent([provenance(), summary('PASSED', stranger)])).toMatchObject({
    is_compliant: false,
    outcome: 'signature_unmatched',
    evaluation: { statements: [{ outcome: 'signature_verified' }, { outcome: 'signature_unmatched' }] },
  });
});

it('the components of a signed SBOM are found', async () => {
  const components = [{ type: 'library', name: `${flow}-lib`, version: '1.0.0' }];
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', components };
  expect(await sent(about('https://cyclonedx.org/bom', bom))).toMatchObject({
    evaluation: { statements: [{ sbom: { format: 'CycloneDX', spec_version: '1.6', component_count: 1 } }] },
  });
  const { body } = await api.call(searchComponents, { query: { name: `${flow}-lib` } });
  expect(JSON.stringify(body)).toContain(digest());
});

it('an override of a failure covers what the statement says, and not who signed it', async () => {
  await sent(summary('FAILED'));
  const overridden = await api.call(attestOverride, {
    params: { flow_name: flow, trail_name: 't' },
    body: {
      attestation_name: 'build',
      artifact_fingerprint: digest(),
      reason: 'Accepted until Friday',
      new_compliance_status: true,
      original_attestation_type: 'in_toto',
    },
  });
  expect(overridden.status).toBe(201);
  expect(await judged('verification_result: PASSED, signed_by: { key: verifier }')).toMatchObject({ compliant: true });
  expect(await judged('verification_result: PASSED, signed_by: { key: release }')).toMatchObject({ compliant: false });
});

it.each([
  ['nothing', '[]', 'contains no envelope'],
  ['too many', JSON.stringify(Array.from({ length: 101 }, () => 1)), 'contains more than 100 envelopes'],
  ['something else', '[{"hello":1},{"hello":2}]', 'envelope 1: is neither a DSSE envelope'],
])('a file with %s is refused', async (_, content, reason) => {
  expect(await send(content)).toMatchObject({
    status: 400,
    body: { errors: { attachment_file: expect.stringContaining(reason) } },
  });
});

describe('withdrawing trust', () => {
  const key = givenKeys.ed25519();
  const trust = async () => {
    const { body } = await api.call(addTrustedKey, { body: { name: `key-${flow}`, public_key: key.pem } });
    return body.id;
  };
  const withdraw = (id: string) => api.call(removeTrustedKey, { params: { key_id: id } });

  it('ends what it signed before, in policies', async () => {
    const id = await trust();
    await sent(provenance({}, key));
    expect(await judged('min_trust: signature')).toMatchObject({ compliant: true });
    expect((await withdraw(id)).status).toBe(200);
    expect(await judged('min_trust: signature')).toEqual({
      compliant: false,
      because: expect.stringContaining(`The org no longer trusts its signer 'key-${flow}'`),
    });
    expect(await judged('signed_by: { key: release }, must_be_compliant: false')).toEqual({
      compliant: false,
      because: expect.stringContaining("the org no longer trusts the signer of 'build'"),
    });
    // The record of what was judged at the time stays.
    expect((await trailOf(api, flow, 't')).compliance_state).toBe('COMPLIANT');
  });

  it('leaves what another trusted key signed as well', async () => {
    const id = await trust();
    await sent(
      givenEnvelope(givenStatement({ subject: [{ name: 'app', digest: { sha256: digest() } }] }), [
        { by: key },
        { by: release },
      ]),
    );
    await withdraw(id);
    expect(await judged('min_trust: signature, signed_by: { key: release }')).toMatchObject({ compliant: true });
    expect(await judged(`signed_by: { key: 'key-${flow}' }`)).toMatchObject({ compliant: false });
  });

  it('re-evaluates what runs', async () => {
    const id = await trust();
    await sent(provenance({}, key));
    await givenPolicy(api, flow, attestationPolicy('{ type: in_toto, min_trust: signature }'));
    await givenEnvironment(api, flow);
    await givenAttached(api, flow, [flow]);
    await givenReport(api, flow, [['app', digest()]]);
    await settle();
    expect((await environmentOf(api, flow)).compliance).toBe('compliant');
    await withdraw(id);
    await turns.untilDone();
    await takeQueued();
    expect((await environmentOf(api, flow)).compliance).toBe('non-compliant');
  });
});

describe('trust that is limited to a flow', () => {
  const key = givenKeys.ed25519();

  it('counts there, and nowhere else', async () => {
    const name = `key-${flow}`;
    await givenFlow(api, `${flow}-other`, 'version: 1\n');
    const other = await api.call(addTrustedKey, {
      body: { name, public_key: key.pem, flows: [`${flow}-other`] },
    });
    expect(other).toMatchObject({ status: 201, body: { flows: [`${flow}-other`] } });
    expect(await sent(provenance({}, key))).toMatchObject({ is_compliant: false, outcome: 'signature_unmatched' });
    await api.call(removeTrustedKey, { params: { key_id: other.body.id } });

    const own = await api.call(addTrustedKey, { body: { name, public_key: key.pem, flows: [flow, `${flow}-other`] } });
    expect(own).toMatchObject({ status: 201, body: { flows: [flow, `${flow}-other`] } });
    expect(await sent(provenance({}, key))).toMatchObject({ is_compliant: true, trust: 'signature' });
    expect(await judged(`signed_by: { key: ${name} }`)).toMatchObject({ compliant: true });
    expect((await api.call(listTrustedKeys, {})).body).toContainEqual(own.body);
  });

  it('is recorded with the flows', async () => {
    const { body } = await api.call(addTrustedKey, {
      body: { name: `key-${flow}`, public_key: givenKeys.p256().pem, flows: [flow] },
    });
    const entries = (await api.journal()).filter(({ type }) => type === 'trust.key_added');
    expect(entries.at(-1)?.payload).toMatchObject({ name: body.name, flows: [expect.any(String)] });
  });

  it.each([
    [['nowhere-at-all'], 404, "Flow 'nowhere-at-all' does not exist in this org"],
    [[], 400, 'flows'],
    [['a b'], 400, 'flows'],
    [Array.from({ length: 51 }, () => 'x'), 400, 'flows'],
  ])('is refused for the flows %j', async (flows, status, message) => {
    const answer = await api.call(addTrustedKey, {
      body: { name: `key-${flow}`, public_key: givenKeys.ed25519().pem, flows },
    });
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).toContain(message);
  });
});

describe('an org that refuses unverified evidence', () => {
  it('answers 400 and records nothing, and accepts what is verified', async () => {
    await api.call(putRefuseUnverified, { body: { refuse_unverified: true } });
    try {
      expect(await send(provenance({}, stranger))).toMatchObject({
        status: 400,
        body: {
          errors: {
            attachment_file: expect.stringMatching(
              /^is not verified, which this org refuses \(signature_unmatched\): /,
            ),
          },
        },
      });
      expect((await trailOf(api, flow, 't')).compliance_state).toBe('COMPLIANT');
      expect((await send(provenance())).status).toBe(201);
      // It is verified, and says that something failed.
      expect(await send(summary('FAILED'), 'summary')).toMatchObject({ status: 201 });
    } finally {
      await api.call(putRefuseUnverified, { body: { refuse_unverified: false } });
    }
  });
});
