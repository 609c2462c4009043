import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../apps/cli/src/run/version.ts';
import { BINARY } from './build-cli.ts';
import { IMAGES_FOLDER, NPM_PACKAGES, type Release } from './build-release.ts';
import type { OwnServer } from './own-server.ts';
import { sbomName } from './sbom/write-sboms.ts';
import type { Trusted } from './sign.ts';

const ROOT = join(import.meta.dirname, '../..');
const FLOW = 'release';

export interface Evidence {
  readonly commit: string;
  readonly repository: string;
  /** Results of tests, as JUnit XML. */
  readonly tests: string;
  /** The signed statement about everything that was built. */
  readonly provenance: string;
  /** What a scanner found, as SARIF; undefined where none could run. */
  readonly scan: string | undefined;
  /** Where the policy is asserted: `releases`, or `dry-run`, which asks for no scan. */
  readonly environment: 'releases' | 'dry-run';
}

export interface RecordedArtifact {
  readonly name: string;
  /** As `waymark attest artifact` takes it. */
  readonly reference: string;
  readonly filename?: string;
  /** Its bill of materials, if it has one. */
  readonly sbom?: string;
}

/** Thrown when Waymark says that an artifact of its own release does not comply. Nothing is published then. */
export class ReleaseRefused extends Error {}

/** What is recorded of a release, with the bill of materials of each. */
export function artifactsOf({ out, files, images, charts }: Release): RecordedArtifact[] {
  const file = (name: string, path: string, id?: string): RecordedArtifact => ({
    name,
    reference: join(out, path),
    ...(id !== undefined && { sbom: join(out, sbomName(id, 'cdx')) }),
  });
  const npm = NPM_PACKAGES.map((name) => file(`npm-${name}`, `waymark-${name}-${version}.tgz`, `npm-${name}`));
  const debian = files.filter((path) => path.endsWith('.deb')).map((path) => file('debian', path, 'server'));
  const compose = files
    .filter((path) => path.startsWith('compose'))
    .map((path) => file(path.replace('.yaml', '').replaceAll('.', '-'), path));
  return [
    ...npm,
    file('binary', BINARY, BINARY),
    ...Object.keys(images).map((name) => ({
      name: `image-${name}`,
      reference: `oci-layout:${join(out, IMAGES_FOLDER)}:${name}`,
      filename: `ghcr.io/waymark/${name}:${version}`,
      sbom: join(out, sbomName(`image-${name}`, 'cdx')),
    })),
    ...charts.map((chart) => file(`chart-${chart.name}`, chart.file)),
    ...debian,
    ...compose,
  ].filter(
    ({ reference }) => reference.startsWith('oci-layout:') || files.some((path) => join(out, path) === reference),
  );
}

type Account = Pick<OwnServer, 'url' | 'org' | 'token'>;

/** Prepares an org for releases, once: the flow, the environments with their policy, and who is trusted to sign. */
export async function prepareRecord(cli: string, account: Account, trusted: Trusted): Promise<void> {
  await withCli(cli, account, async (waymark) => {
    const must = orThrow(waymark);
    await must('policy', 'apply', 'release', '-f', join(ROOT, 'release/policy.yaml'));
    await must('apply', '-f', join(ROOT, 'release/waymark.yml'));
    if (trusted.kind === 'key') await must('trust', 'keys', 'add', 'release', trusted.file);
    else {
      const identity = [
        '--issuer',
        trusted.issuer,
        '--subject',
        trusted.subject,
        '--trusted-root',
        trusted.trustedRoot,
      ];
      await must('trust', 'identities', 'add', 'release', ...identity);
    }
  });
}

/**
 * Records a release in Waymark with its own command line, and asserts every artifact against `release/policy.yaml`.
 * Throws `ReleaseRefused` when one does not comply.
 */
export async function recordRelease(
  cli: string,
  account: Account,
  release: Release,
  evidence: Evidence,
): Promise<void> {
  await withCli(cli, account, async (waymark) => {
    const artifacts = artifactsOf(release);
    await attest(orThrow(waymark), artifacts, evidence);
    await refuseWhenRed(waymark, artifacts, evidence.environment);
  });
}

async function withCli(
  cli: string,
  { url, org, token }: Account,
  work: (waymark: Waymark) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'waymark-home-'));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    WAYMARK_HOST: url,
    WAYMARK_ORG: org,
    WAYMARK_TOKEN: token,
    WAYMARK_FLOW: FLOW,
    WAYMARK_TRAIL: `v${version}`,
  };
  try {
    await work(
      (...args) =>
        new Promise((resolve) => {
          execFile(process.execPath, [cli, ...args], { cwd: home, env }, (error, printed, messages) =>
            resolve({ hasFailed: error !== null, printed, messages }),
          );
        }),
    );
  } finally {
    rmSync(home, { recursive: true });
  }
}

function orThrow(waymark: Waymark): Must {
  return async (...args) => {
    const { hasFailed, printed, messages } = await waymark(...args);
    if (hasFailed) throw new Error(`waymark ${args.join(' ')} failed: ${messages}`);
    return printed;
  };
}

type Waymark = (...args: string[]) => Promise<{ hasFailed: boolean; printed: string; messages: string }>;
type Must = (...args: string[]) => Promise<string>;

async function attest(must: Must, artifacts: readonly RecordedArtifact[], evidence: Evidence): Promise<void> {
  const commit = ['--commit', evidence.commit];
  const build = [
    '--commit-url',
    `${evidence.repository}/commit/${evidence.commit}`,
    '--build-url',
    evidence.repository,
  ];
  await must('begin', 'trail', ...commit);
  await must('attest', 'junit', evidence.tests, '--name', 'tests', ...commit);
  await attestScan(must, evidence, commit);
  for (const { name, reference, filename, sbom } of artifacts) {
    const called = filename === undefined ? [] : ['--filename', filename];
    const printed = await must('attest', 'artifact', reference, '--name', name, ...called, ...build, ...commit);
    const [digest = ''] = /sha256:[0-9a-f]{64}/.exec(printed) ?? [];
    const about = ['--artifact', digest, ...commit];
    await must('attest', 'in-toto', evidence.provenance, '--name', 'provenance', ...about);
    if (sbom !== undefined && existsSync(sbom)) await must('attest', 'sbom', sbom, '--name', 'sbom', ...about);
  }
}

/** Where no scanner ran, the record says so and does not claim that nothing was found. */
async function attestScan(must: Must, { scan }: Evidence, commit: readonly string[]): Promise<void> {
  if (scan !== undefined) {
    await must('attest', 'sarif', scan, '--name', 'scan', ...commit);
    return;
  }
  const reason = 'No scanner ran: a dry run has no access to advisories';
  await must('attest', 'generic', '--name', 'scan', '--non-compliant', '--reason', reason, ...commit);
}

async function refuseWhenRed(
  waymark: Waymark,
  artifacts: readonly RecordedArtifact[],
  environment: string,
): Promise<void> {
  const red: string[] = [];
  for (const { name, reference } of artifacts) {
    const { hasFailed, printed, messages } = await waymark('assert', 'artifact', reference, '--env', environment);
    if (hasFailed) red.push(`${name}:\n${printed}${messages}`);
  }
  if (red.length > 0) throw new ReleaseRefused(`Waymark refuses its own release:\n${red.join('\n')}`);
}
