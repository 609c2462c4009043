import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { version } from '../../apps/cli/src/run/version.ts';
import { IMAGES_FOLDER, type Release } from './build-release.ts';
import { findProgram } from './programs.ts';
import { publish } from './publish.ts';
import { recordInItself, signBuilt } from './release-steps.ts';
import { keylessSigner } from './sign.ts';
import { SUMS, signPublished, verifyRelease } from './verify-release.ts';

/**
 * Publishes what `build-release.ts` built, from the workflow of releases: signs it with the identity of the workflow,
 * records it in Waymark, refuses to go on when the policy is not met, pushes it, and verifies what was pushed.
 *
 *   node tools/release/publish-release.ts DIST --tests results.xml --scan results.sarif
 */

const ISSUER = 'https://token.actions.githubusercontent.com';

/** What is in a folder that another job built. */
function readRelease(out: string): Release {
  const sums = readFileSync(join(out, SUMS), 'utf8').trim().split('\n');
  const index = JSON.parse(readFileSync(join(out, IMAGES_FOLDER, 'index.json'), 'utf8')) as {
    manifests: { digest: string; annotations: Record<string, string> }[];
  };
  return {
    out,
    files: sums.map((line) => line.slice(line.indexOf('  ') + 2)),
    images: Object.fromEntries(
      index.manifests.map(({ digest, annotations }) => [
        annotations['org.opencontainers.image.ref.name'] ?? '',
        digest,
      ]),
    ),
    charts: globSync(`*-chart-${version}.tgz`, { cwd: out })
      .toSorted()
      .map((file) => ({ file, version, name: file.slice(0, file.indexOf('-chart-')) })),
  };
}

/** Variables that GitHub gives every job. */
function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: this runs in the workflow of releases`);
  return value;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tests: { type: 'string' }, scan: { type: 'string' } },
});
const [out] = positionals;
const { tests, scan } = values;
if (!out || !tests || !scan) {
  throw new Error('node tools/release/publish-release.ts DIST --tests results.xml --scan results.sarif');
}
const [cosign, oras] = [await findProgram('cosign'), await findProgram('oras')];
const release = readRelease(resolve(out));
const repository = `${variable('GITHUB_SERVER_URL')}/${variable('GITHUB_REPOSITORY')}`;
const workflow = `${variable('GITHUB_SERVER_URL')}/${variable('GITHUB_WORKFLOW_REF')}`;
const signer = keylessSigner(cosign, { issuer: ISSUER, subject: workflow });
signBuilt(signer, release, {
  tag: variable('GITHUB_REF_NAME'),
  repository,
  builder: workflow,
  invocation: `${repository}/actions/runs/${variable('GITHUB_RUN_ID')}/attempts/${variable('GITHUB_RUN_ATTEMPT')}`,
});
await recordInItself(release, signer, {
  commit: variable('GITHUB_SHA'),
  repository,
  tests: resolve(tests),
  scan: resolve(scan),
  environment: 'releases',
});
const published = publish(oras, release, {
  images: 'ghcr.io/waymark',
  charts: 'ghcr.io/waymark/charts',
  isPlainHttp: false,
  npm: { url: 'https://registry.npmjs.org/', userConfig: variable('NPM_CONFIG_USERCONFIG'), hasProvenance: true },
});
signPublished(signer, release, published);
verifyRelease(signer, release, published);
