import { describe, expect, it } from 'vitest';
import { readPredicate } from './read-predicate.ts';

const COMMIT = 'c0ffee'.padEnd(40, '0');
const V1 = 'https://slsa.dev/provenance/v1';
const V02 = 'https://slsa.dev/provenance/v0.2';
const read = (type: string, predicate: unknown) => readPredicate(type, predicate).fields;

describe('provenance v1', () => {
  const github = {
    buildDefinition: {
      buildType: 'https://actions.github.io/buildtypes/workflow/v1',
      externalParameters: {
        workflow: {
          ref: 'refs/tags/v7',
          repository: 'https://github.com/acme/web',
          path: '.github/workflows/release.yml',
        },
      },
      resolvedDependencies: [
        { uri: 'git+https://github.com/acme/web@refs/tags/v7', digest: { gitCommit: COMMIT } },
        { uri: 'pkg:docker/alpine@3.22', digest: { sha256: 'a'.repeat(64) } },
      ],
    },
    runDetails: {
      builder: { id: 'https://github.com/actions/runner/github-hosted' },
      metadata: { invocationId: 'https://github.com/acme/web/actions/runs/7/attempts/1' },
    },
  };

  it('has the builder, the source, and the materials', () => {
    expect(read(V1, github)).toEqual({
      builder: 'https://github.com/actions/runner/github-hosted',
      buildType: 'https://actions.github.io/buildtypes/workflow/v1',
      invocation: 'https://github.com/acme/web/actions/runs/7/attempts/1',
      source: { repository: 'https://github.com/acme/web', ref: 'refs/tags/v7', commit: COMMIT },
      materials: [
        { uri: 'git+https://github.com/acme/web@refs/tags/v7', digest: `gitCommit:${COMMIT}` },
        { uri: 'pkg:docker/alpine@3.22', digest: `sha256:${'a'.repeat(64)}` },
      ],
      materialCount: 2,
      parameters: JSON.stringify(github.buildDefinition.externalParameters),
    });
  });

  const dependency = (uri: string, commit = COMMIT) => ({ uri, digest: { gitCommit: commit } });
  const of = (externalParameters: unknown, ...resolvedDependencies: unknown[]) =>
    read(V1, { buildDefinition: { externalParameters, resolvedDependencies } }).source;
  const WEB = 'https://github.com/acme/web';

  it.each([
    [
      'of Cloud Build',
      of(
        { buildConfigSource: { repository: `git+${WEB}`, ref: 'refs/heads/main' } },
        dependency(`git+${WEB}@refs/heads/main`),
      ),
      { repository: WEB, ref: 'refs/heads/main', commit: COMMIT },
    ],
    [
      'of BuildKit',
      of({ configSource: { uri: `${WEB}.git#refs/heads/main`, digest: { sha1: COMMIT } } }),
      { repository: WEB, commit: COMMIT },
    ],
    [
      'of GitLab',
      of({ source: 'https://gitlab.com/acme/web' }, dependency('https://gitlab.com/acme/web')),
      { repository: 'https://gitlab.com/acme/web', commit: COMMIT },
    ],
    [
      'of the generator',
      of({ source: { uri: `git+${WEB}@refs/tags/v1`, digest: { sha1: COMMIT } } }),
      { repository: WEB, ref: 'refs/tags/v1', commit: COMMIT },
    ],
    [
      'of the only dependency',
      of({}, dependency(`git+${WEB}@refs/heads/main`)),
      { repository: WEB, ref: 'refs/heads/main', commit: COMMIT },
    ],
    [
      'with a user name',
      of({ source: `git+ssh://git@github.com/acme/web.git@refs/heads/main` }),
      { repository: 'ssh://git@github.com/acme/web', ref: 'refs/heads/main' },
    ],
    ['without a scheme', of({ source: 'git@github.com:acme/web.git' }), { repository: 'git@github.com:acme/web' }],
    [
      'beside another repository',
      of(
        { workflow: { repository: WEB, ref: 'refs/heads/main' } },
        dependency(`git+https://github.com/acme/lib@refs/heads/main`, 'd'.repeat(40)),
        dependency(`git+${WEB}@refs/heads/main`),
      ),
      { repository: WEB, ref: 'refs/heads/main', commit: COMMIT },
    ],
    [
      'beside another ref',
      of(
        { workflow: { repository: WEB, ref: 'refs/heads/main' } },
        dependency(`git+${WEB}@refs/heads/x`, 'd'.repeat(40)),
        dependency(`git+${WEB}@refs/heads/main`),
      ),
      { repository: WEB, ref: 'refs/heads/main', commit: COMMIT },
    ],
    [
      'without a commit where two differ',
      of(
        { workflow: { repository: WEB } },
        dependency(`git+${WEB}@refs/heads/x`, 'd'.repeat(40)),
        dependency(`git+${WEB}@refs/heads/main`),
      ),
      { repository: WEB },
    ],
    [
      'without a commit that is none',
      of({ workflow: { repository: WEB } }, dependency(WEB, 'HEAD')),
      { repository: WEB },
    ],
    ['unknown of several repositories', of({}, dependency(WEB), dependency('https://github.com/acme/lib')), undefined],
    ['unknown without any', of({}), undefined],
    ['unknown of something else', of('x', 7, null, []), undefined],
  ])('the source is read: %s', (_, source, expected) => {
    expect(source).toEqual(expected);
  });

  it.each([
    null,
    undefined,
    7,
    'x',
    [],
    {},
    { buildDefinition: [] },
    { runDetails: { builder: 'x' } },
    { runDetails: { builder: { id: 7 } } },
  ])('nothing is read of %j', (predicate) => {
    expect(read(V1, predicate)).toEqual({});
  });

  it('leaves out what is too long, and shows the first materials', () => {
    const resolvedDependencies = Array.from({ length: 60 }, (_, i) => ({ uri: `pkg:npm/a@${i}` }));
    const fields = read(V1, {
      buildDefinition: { externalParameters: { a: 'x'.repeat(5000) }, resolvedDependencies },
      runDetails: { builder: { id: 'b'.repeat(1001) } },
    });
    expect(fields.builder).toBeUndefined();
    expect(fields.materials).toHaveLength(50);
    expect(fields.materialCount).toBe(60);
    expect(fields.parameters).toHaveLength(2000);
  });
});

it('provenance v0.2 has the same', () => {
  const predicate = {
    builder: { id: 'https://tekton.dev/chains/v2' },
    buildType: 'tekton.dev/v1beta1/TaskRun',
    invocation: {
      configSource: { uri: 'git+https://github.com/acme/web@refs/heads/main', digest: { sha1: COMMIT } },
      parameters: { a: '1' },
    },
    metadata: { buildInvocationId: 'run-7' },
    materials: [{ uri: 'git+https://github.com/acme/web@refs/heads/main', digest: { sha1: COMMIT } }],
  };
  expect(read(V02, predicate)).toEqual({
    builder: 'https://tekton.dev/chains/v2',
    buildType: 'tekton.dev/v1beta1/TaskRun',
    invocation: 'run-7',
    source: { repository: 'https://github.com/acme/web', ref: 'refs/heads/main', commit: COMMIT },
    materials: [{ uri: 'git+https://github.com/acme/web@refs/heads/main', digest: `sha1:${COMMIT}` }],
    materialCount: 1,
    parameters: '{"a":"1"}',
  });
  expect(read(V02, { materials: [{ uri: 'git+https://a/b', digest: { sha1: COMMIT } }] }).source).toEqual({
    repository: 'https://a/b',
    commit: COMMIT,
  });
});

const OPEN_VEX = {
  '@context': 'https://openvex.dev/ns/v0.2.0',
  statements: [
    { vulnerability: 'CVE-1', status: 'fixed' },
    { vulnerability: 'CVE-2', status: 'affected' },
  ],
};
const VSA = 'https://slsa.dev/verification_summary/v1';
it.each([
  [
    VSA,
    {
      verifier: { id: 'https://verify.example.com' },
      verificationResult: 'FAILED',
      policy: { uri: 'https://policy.example.com' },
      resourceUri: 'pkg:oci/web',
      verifiedLevels: ['SLSA_BUILD_LEVEL_2', 7, 'SLSA_SOURCE_LEVEL_1'],
    },
    {
      verifier: 'https://verify.example.com',
      result: 'FAILED',
      policyUri: 'https://policy.example.com',
      resourceUri: 'pkg:oci/web',
      verifiedLevels: ['SLSA_BUILD_LEVEL_2', 'SLSA_SOURCE_LEVEL_1'],
    },
  ],
  [VSA, { verificationResult: 'PASSED' }, { result: 'PASSED' }],
  [VSA, { verificationResult: 'failed' }, { result: 'FAILED' }],
  [VSA, { verificationResult: 'OK' }, {}],
  [VSA, { verificationResult: true }, {}],
  [VSA, {}, {}],
  [
    'https://slsa.dev/verification_summary/v0.1',
    { verification_result: 'PASSED', policy_level: 'SLSA_LEVEL_3' },
    { result: 'PASSED', verifiedLevels: ['SLSA_LEVEL_3'] },
  ],
  ['https://slsa.dev/verification_summary/v2', { verificationResult: 'PASSED' }, {}],
  [
    'https://in-toto.io/attestation/svr/v0.1',
    { verifier: { id: 'v' }, properties: ['A', 'B'] },
    { verifier: 'v', result: 'PASSED', properties: ['A', 'B'] },
  ],
  ['https://in-toto.io/attestation/svr/v0.1', { verifier: { id: 'v' }, properties: [] }, { verifier: 'v' }],
  [
    'https://in-toto.io/attestation/test-result/v0.1',
    { result: 'WARNED', passedTests: ['a', 'b'], warnedTests: ['c'] },
    { result: 'WARNED', tests: { passed: 2, warned: 1, failed: 0 } },
  ],
  ['https://openvex.dev/ns/v0.2.0', OPEN_VEX, { vex: { format: 'OpenVEX', statementCount: 2 } }],
  ['https://openvex.dev/ns', OPEN_VEX, { vex: { format: 'OpenVEX', statementCount: 2 } }],
  ['https://openvex.dev/ns', { ...OPEN_VEX, statements: [] }, {}],
  ['https://openvex.dev/ns', { ...OPEN_VEX, statements: [{}] }, {}],
  ['https://openvex.dev/ns', {}, {}],
  ['https://example.com/ns', OPEN_VEX, {}],
  ['https://cosign.sigstore.dev/attestation/v1', { verificationResult: 'PASSED', builder: { id: 'x' } }, {}],
  [`${VSA}/evil`, { verificationResult: 'PASSED' }, {}],
])('%s is read: %j', (type, predicate, fields) => {
  expect(read(type, predicate)).toEqual(fields);
});

const BOM = { bomFormat: 'CycloneDX', specVersion: '1.6', components: [{ type: 'library', name: 'a', version: '1' }] };
it.each([
  ['https://cyclonedx.org/bom', BOM],
  ['https://cyclonedx.org/bom/v1.4', BOM],
  ['https://cyclonedx.org/bom', { Data: BOM }],
])('an SBOM has its components: %s', (type, predicate) => {
  expect(readPredicate(type, predicate)).toEqual({
    fields: { sbom: { format: 'CycloneDX', specVersion: '1.6', componentCount: 1 } },
    components: [{ name: 'a', version: '1', purl: null }],
  });
});

it.each([null, {}, 'text', { bomFormat: 'Other' }])('an SBOM that cannot be read says nothing: %j', (predicate) => {
  expect(readPredicate('https://spdx.dev/Document/v2.3', predicate)).toEqual({ fields: {}, components: [] });
});
