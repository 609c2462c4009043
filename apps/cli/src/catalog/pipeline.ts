import type { CatalogGroup } from './catalog-entry.ts';

export const pipeline: CatalogGroup = {
  title: 'In a pipeline',
  entries: [
    { path: 'begin trail', summary: 'Begin a trail, or add to it', load: () => import('../commands/begin/trail.ts') },
    {
      path: 'attest artifact',
      summary: 'Report what was built, by its fingerprint',
      load: () => import('../commands/attest/artifact.ts'),
    },
    {
      path: 'attest auto',
      summary: 'Recognise reports and attest each of them',
      load: () => import('../commands/attest/auto.ts'),
    },
    { path: 'attest junit', summary: 'Attest test results', load: () => import('../commands/attest/junit.ts') },
    {
      path: 'attest sarif',
      summary: 'Attest what a scanner found, as SARIF',
      load: () => import('../commands/attest/sarif.ts'),
    },
    {
      path: 'attest sbom',
      summary: 'Attest a bill of materials',
      load: () => import('../commands/attest/sbom.ts'),
    },
    {
      path: 'attest pr',
      summary: 'Attest the pull requests of the commit',
      load: () => import('../commands/attest/pr.ts'),
    },
    {
      path: 'attest jira',
      summary: 'Attest the issues that the commit refers to',
      load: () => import('../commands/attest/jira.ts'),
    },
    {
      path: 'attest in-toto',
      summary: 'Attest with a signed statement',
      load: () => import('../commands/attest/in-toto.ts'),
    },
    {
      path: 'attest custom',
      summary: 'Attest data of a type of your own',
      load: () => import('../commands/attest/custom.ts'),
    },
    {
      path: 'attest decision',
      summary: 'Attest a decision on a control',
      load: () => import('../commands/attest/decision.ts'),
    },
    {
      path: 'attest generic',
      summary: 'Attest anything, with a verdict of yours',
      load: () => import('../commands/attest/generic.ts'),
    },
    {
      path: 'attest snyk',
      summary: 'Attest what Snyk found',
      load: () => import('../commands/attest/snyk.ts'),
    },
    {
      path: 'attest sonar',
      summary: 'Attest a quality gate of SonarQube',
      load: () => import('../commands/attest/sonar.ts'),
    },
    {
      path: 'attest override',
      summary: 'Replace the verdict of an earlier attestation',
      load: () => import('../commands/attest/override.ts'),
    },
    {
      path: 'assert artifact',
      summary: 'Ask whether an artifact is compliant',
      load: () => import('../commands/assert/artifact.ts'),
    },
    {
      path: 'assert snapshot',
      summary: 'Ask whether what runs is compliant',
      load: () => import('../commands/assert/snapshot.ts'),
    },
    {
      path: 'assert trail',
      summary: 'Ask whether a trail is compliant',
      load: () => import('../commands/assert/trail.ts'),
    },
  ],
};
