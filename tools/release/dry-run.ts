import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../apps/cli/src/run/version.ts';
import { HELM, installChartTools } from '../charts/helm.ts';
import { buildRelease, PARTS, type Release } from './build-release.ts';
import { verifyPulledChart } from './charts.ts';
import { startNpmRegistry } from './npm-registry.ts';
import { startOciRegistry } from './oci-registry.ts';
import { findProgram } from './programs.ts';
import { LOCAL_BUILDER } from './provenance.ts';
import { publish, type Registries } from './publish.ts';
import { recordInItself, signBuilt } from './release-steps.ts';
import { runProgram } from './run-program.ts';
import { localSigner, type Signer } from './sign.ts';
import { smokeTest } from './smoke-test.ts';
import { signPublished, verifyRelease, verifyTamperedImage, verifyTampering } from './verify-release.ts';

const ROOT = join(import.meta.dirname, '../..');
const REPOSITORY = 'https://github.com/waymark/waymark';

export interface DryRun {
  readonly out: string;
  /** Results of tests as JUnit XML. Without it a few quick ones are run. */
  readonly tests?: string | undefined;
  readonly say: (line: string) => void;
  /** Runs after all went well, while the registries are still there. */
  readonly whileServed?: (registries: Registries) => Promise<void>;
}

/** Does all that a release does, with registries on loopback and a key of its own. Throws before publishing when red. */
export async function dryRun({ out, tests, say, whileServed }: DryRun): Promise<void> {
  const [cosign, oras] = await Promise.all([findProgram('cosign'), findProgram('oras')]);
  const keys = mkdtempSync(join(tmpdir(), 'release-key-'));
  try {
    say('building');
    rmSync(out, { recursive: true, force: true });
    const tag = `v${version}`;
    const release = await buildRelease({ out, tag, repository: REPOSITORY, parts: PARTS });
    say(`built ${release.files.length} files and ${Object.keys(release.images).length} images`);
    const signer = localSigner(cosign, keys);
    // For whoever wants to verify it once more.
    cpSync(join(keys, 'cosign.pub'), join(out, 'cosign.pub'));
    signBuilt(signer, release, { tag, repository: REPOSITORY, builder: LOCAL_BUILDER, invocation: randomUUID() });
    say('signed checksums and provenance');
    await recordInItself(release, signer, {
      commit: runProgram('git', ['-C', ROOT, 'rev-parse', 'HEAD']).toString().trim(),
      repository: REPOSITORY,
      tests: tests ?? runQuickTests(keys),
      scan: undefined,
      environment: 'dry-run',
    });
    say('recorded in Waymark: every artifact complies with release/policy.yaml');
    await publishAndTry(release, signer, oras, say, whileServed);
  } finally {
    rmSync(keys, { recursive: true });
  }
}

/** The workflow gives the results of all tests. A dry run by hand has those of a few seconds. */
function runQuickTests(folder: string): string {
  const file = join(folder, 'tests.xml');
  const names = ['versions', 'changelog', 'provenance'].map((name) => `tools/release/${name}.test.ts`);
  const args = ['run', '--project', 'pure', '--reporter=junit', `--outputFile.junit=${file}`, ...names];
  runProgram(join(ROOT, 'node_modules/.bin/vitest'), args, { cwd: ROOT });
  return file;
}

async function publishAndTry(
  release: Release,
  signer: Signer,
  oras: string,
  say: DryRun['say'],
  whileServed: DryRun['whileServed'],
): Promise<void> {
  const [oci, npm] = [await startOciRegistry(), await startNpmRegistry()];
  try {
    const registries = { images: `${oci.host}/waymark`, charts: `${oci.host}/waymark/charts`, isPlainHttp: true, npm };
    const published = publish(oras, release, registries);
    say(`published to ${oci.host} and ${npm.url}`);
    signPublished(signer, release, published);
    verifyRelease(signer, release, published);
    say('verified checksums, signatures, SBOMs and provenance');
    await installChartTools();
    for (const chart of release.charts) {
      const [, digest = ''] = published.charts[chart.name]?.split('@') ?? [];
      verifyPulledChart(HELM, release.out, chart, { ...registries, digest });
    }
    say(`Helm pulls the pushed charts: ${release.charts.map(({ name }) => name).join(', ')}`);
    say(`a changed byte is refused by ${verifyTampering(signer, release).join(', ')}`);
    const image = published.images['waymark'];
    if (image === undefined) throw new Error('there is no image of the server to try');
    verifyTamperedImage(signer, oras, image);
    say('a changed image has no signature and no provenance');
    say((await smokeTest({ oras, image, npm: npm.url })).trim());
    say('installed from the registries: the verdict is green');
    await whileServed?.(registries);
  } finally {
    await Promise.all([oci.stop(), npm.stop()]);
  }
}
