import type { CatalogGroup } from './catalog-entry.ts';

export const pipeline: CatalogGroup = {
  title: 'In a pipeline',
  entries: [
    { path: 'begin trail', summary: 'Begin or update a trail', load: () => import('../commands/begin/trail.ts') },
    {
      path: 'attest artifact',
      summary: 'Report an artifact by its fingerprint',
      load: () => import('../commands/attest/artifact.ts'),
    },
    {
      path: 'attest auto',
      summary: 'Detect report files and attest each of them',
      load: () => import('../commands/attest/auto.ts'),
    },
    { path: 'attest junit', summary: 'Attest test results', load: () => import('../commands/attest/junit.ts') },
    {
      path: 'attest sarif',
      summary: 'Attest SARIF scan results',
      load: () => import('../commands/attest/sarif.ts'),
    },
    {
      path: 'attest sbom',
      summary: 'Attest an SBOM',
      load: () => import('../commands/attest/sbom.ts'),
    },
    {
      path: 'attest vex',
      summary: 'Attest a VEX document',
      load: () => import('../commands/attest/vex.ts'),
    },
    {
      path: 'attest pr',
      summary: 'Attest the pull requests of a commit',
      load: () => import('../commands/attest/pr.ts'),
    },
    {
      path: 'attest jira',
      summary: 'Attest the Jira issues of a commit',
      load: () => import('../commands/attest/jira.ts'),
    },
    {
      path: 'attest in-toto',
      summary: 'Attest a signed in-toto statement',
      load: () => import('../commands/attest/in-toto.ts'),
    },
    {
      path: 'attest custom',
      summary: 'Attest data of a custom type',
      load: () => import('../commands/attest/custom.ts'),
    },
    {
      path: 'attest decision',
      summary: 'Attest a control decision',
      load: () => import('../commands/attest/decision.ts'),
    },
    {
      path: 'attest generic',
      summary: 'Attest anything, with your own verdict',
      load: () => import('../commands/attest/generic.ts'),
    },
    {
      path: 'attest snyk',
      summary: 'Attest Snyk scan results',
      load: () => import('../commands/attest/snyk.ts'),
    },
    {
      path: 'attest sonar',
      summary: 'Attest a SonarQube quality gate',
      load: () => import('../commands/attest/sonar.ts'),
    },
    {
      path: 'attest override',
      summary: 'Override the verdict of an attestation',
      load: () => import('../commands/attest/override.ts'),
    },
    {
      path: 'assert artifact',
      summary: 'Fail unless an artifact is compliant',
      load: () => import('../commands/assert/artifact.ts'),
    },
    {
      path: 'assert snapshot',
      summary: 'Fail unless an environment is compliant',
      load: () => import('../commands/assert/snapshot.ts'),
    },
    {
      path: 'assert trail',
      summary: 'Fail unless a trail is compliant',
      load: () => import('../commands/assert/trail.ts'),
    },
    {
      path: 'vsa get',
      summary: 'Get the signed verdict on an artifact in an environment',
      load: () => import('../commands/vsa/get.ts'),
    },
    {
      path: 'vsa keys',
      summary: 'Print the public keys that sign verdicts',
      load: () => import('../commands/vsa/keys.ts'),
    },
  ],
};
