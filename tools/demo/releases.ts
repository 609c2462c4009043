import {
  attestCustom,
  attestDecision,
  attestGeneric,
  attestInToto,
  attestJira,
  attestJunit,
  attestOverride,
  attestPullRequest,
  attestSbom,
  attestSnyk,
  attestSonar,
  attestVex,
  beginTrail,
  reportArtifact,
} from '../../packages/contract/src/index.ts';
import * as attested from './evidence/attested.ts';
import { buildUrl, commitInfo, commitUrl, repoInfo } from './evidence/commit.ts';
import { dependencyScanFile, junitFile, provenanceFile, sbomFile, smokeTestFile, vexFile } from './evidence/files.ts';
import { MINUTE, plus } from './moments.ts';
import type { Release } from './release-plan.ts';
import { judgeAgain } from './rules.ts';
import type { Seeding, Step } from './seeding.ts';
import type { Place } from './shop.ts';

/** A release from its commit to the last place where it starts. */
export function releaseSteps(release: Release, { isRecent }: { isRecent: boolean }): Step[] {
  const isLate = release.sbomAt > plus(release.builtAt, 10 * MINUTE);
  const starts = Object.entries(release.starts) as [Place, Date][];
  return [
    { at: release.builtAt, run: (seeding) => begin(seeding, release) },
    { at: plus(release.builtAt, 4 * MINUTE), run: (seeding) => report(seeding, release) },
    { at: plus(release.builtAt, 6 * MINUTE), run: (seeding) => attest(seeding, release, isRecent) },
    { at: release.sbomAt, run: (seeding) => attestMaterials(seeding, release, isLate) },
    ...(release.isOverridden
      ? [{ at: plus(release.builtAt, 40 * MINUTE), run: (seeding: Seeding) => override(seeding, release) }]
      : []),
    ...starts.map(([place, at]) => ({ at, run: (seeding: Seeding) => startIn(seeding, place, release) })),
  ];
}

function begin({ api, keys, words }: Seeding, release: Release) {
  return api.call(keys.ci, beginTrail, {
    params: { flow_name: release.service },
    body: {
      name: release.trail,
      description: words.text(release.message),
      origin_url: words.url(buildUrl(release)),
      external_urls: { pipeline: { href: words.url(buildUrl(release)) } },
      git_commit_info: commitInfo(release, words),
      repo_info: repoInfo(release),
    },
  });
}

function report({ api, keys, words }: Seeding, release: Release) {
  return api.call(keys.ci, reportArtifact, {
    params: { flow_name: release.service },
    body: {
      fingerprint: release.fingerprint,
      filename: words.text(release.image),
      trail_name: release.trail,
      template_reference_name: release.service,
      git_commit: release.commit,
      build_url: words.url(buildUrl(release)),
      commit_url: words.url(commitUrl(release)),
      annotations: { builder: words.text('builder-3') },
      git_commit_info: commitInfo(release, words),
      repo_info: repoInfo(release),
    },
  });
}

async function attest(seeding: Seeding, release: Release, isRecent: boolean): Promise<void> {
  const { api, keys, words } = seeding;
  const { ci } = keys;
  const params = { flow_name: release.service, trail_name: release.trail };
  const tests = attested.testsBody(release, words);
  const { junit_results: _, ...testsByFile } = tests;
  const withFile = isRecent && release.failures <= 8;
  await Promise.all([
    api.call(ci, attestJira, { params, body: attested.ticketBody(release, words) }),
    api.call(ci, attestPullRequest, { params, body: attested.pullRequestBody(release, words) }),
    withFile
      ? api.call(ci, attestJunit, { params, body: testsByFile, file: junitFile(release, words) })
      : api.call(ci, attestJunit, { params, body: tests }),
    api.call(ci, attestSnyk, { params, body: attested.scanBody(release, words) }),
    api.call(ci, attestDecision, { params, body: attested.reviewBody(release, words) }),
    ...extras(seeding, release, isRecent),
  ]);
}

/** What only some services have. */
function extras({ api, keys: { ci }, words, times }: Seeding, release: Release, isRecent: boolean): Promise<unknown>[] {
  const params = { flow_name: release.service, trail_name: release.trail };
  const quality = () => api.call(ci, attestSonar, { params, body: attested.qualityBody(release, words) });
  const load = () => api.call(ci, attestCustom, { params, body: attested.loadTestBody(release, words) });
  const smoke = () => {
    const body = attested.smokeTestBody(release, words);
    return api.call(ci, attestGeneric, { params, body, ...(isRecent && { file: smokeTestFile(release, words) }) });
  };
  const scanned = () => api.call(ci, attestDecision, { params, body: attested.scannedBody(release, words) });
  const provenance = () =>
    api.call(ci, attestInToto, { params, body: attested.provenanceBody(release), file: provenanceFile(release) });
  const dependencies = () =>
    api.call(ci, attestSnyk, {
      params,
      body: { attestation_name: 'dependencies', artifact_fingerprint: release.fingerprint },
      file: dependencyScanFile(release, words),
    });
  const vex = () =>
    api.call(ci, attestVex, {
      params,
      body: { attestation_name: 'vex', artifact_fingerprint: release.fingerprint },
      file: vexFile(release, words),
    });
  const signOff = () => api.call(ci, attestDecision, { params, body: attested.signOffBody(words) });
  const some = {
    checkout: [load, scanned, dependencies, vex],
    payments: [scanned, ...(isRecent ? [provenance] : [])],
    search: [load],
    web: [quality, smoke],
    catalog: [quality],
    mailer: [smoke],
  } as const;
  // The fifth control was in force until it was archived.
  const isSignedOff = release.service === 'payments' && release.builtAt < times.ago(40);
  return [...some[release.service], ...(isSignedOff ? [signOff] : [])].map((send) => send());
}

async function attestMaterials(seeding: Seeding, release: Release, isLate: boolean): Promise<void> {
  const { api, keys, words } = seeding;
  await api.call(keys.ci, attestSbom, {
    params: { flow_name: release.service, trail_name: release.trail },
    body: { attestation_name: 'sbom', artifact_fingerprint: release.fingerprint },
    file: sbomFile(release, words),
  });
  if (isLate) await judgeAgain(seeding, 'production', 'evidence');
}

function override({ api, keys, words }: Seeding, release: Release) {
  return api.call(keys.bea, attestOverride, {
    params: { flow_name: release.service, trail_name: release.trail },
    body: {
      attestation_name: 'sast',
      artifact_fingerprint: release.fingerprint,
      original_attestation_type: 'snyk',
      new_compliance_status: true,
      reason: words.text('False positive: the response comes from our own service, which limits its size'),
    },
  });
}

async function startIn({ running }: Seeding, place: Place, release: Release): Promise<void> {
  running.start(place, release.service, release);
  await running.report(place);
}
