import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { version } from '../../apps/cli/src/run/version.ts';
import { buildImages } from '../image/build-images.ts';
import { buildPreviousRelease } from '../install/previous-release.ts';
import { underLoad } from '../install/under-load.ts';
import { isFull } from '../test-size.ts';
import { pushImage } from './images.ts';
import { administrate, flowsIn, install, NAMESPACE, rollBack, serviceUrl, upgrade } from './installation.ts';
import { prepareCluster } from './prepared-cluster.ts';

const LONG_MS = 3 * 3_600_000;

/** Builds two releases for minutes, and a Kubernetes if there is none. */
it.runIf(isFull)(
  'the chart of the last release is upgraded and rolled back under load: no request fails, nothing is lost',
  { timeout: LONG_MS },
  async ({ skip }) => {
    const work = mkdtempSync(join(tmpdir(), 'waymark-k8s-'));
    onTestFinished(() => rmSync(work, { recursive: true }));
    const previous = buildPreviousRelease();
    onTestFinished(() => previous.remove());
    if (!previous.canReturn) skip('the migration since the last release needs all servers stopped');
    const images = join(work, 'images');
    await buildImages(images, ['amd64']);
    const { cluster, secrets } = await prepareCluster(work);
    onTestFinished(() => cluster.stop());
    pushImage(cluster, previous.images, 'waymark', `waymark/waymark:${previous.version}`);
    pushImage(cluster, images, 'waymark', `waymark/waymark:${version}`);
    const running = () => {
      const path = 'jsonpath={.items[*].spec.template.spec.containers[*].image}';
      return cluster.kubectl('--namespace', NAMESPACE, 'get', 'deployments', '--output', path);
    };
    const imagesOf = (release: string) => Array(2).fill(`ghcr.io/waymark/waymark:${release}`).join(' ');

    install(cluster, secrets, previous.charts);
    administrate(cluster, 'org', 'create', 'acme');
    administrate(cluster, 'user', 'create', 'ada', '--org', 'acme', '--role', 'admin');
    const token = administrate(cluster, 'key', 'create', '--user', 'ada');
    const users = { url: serviceUrl(cluster), org: 'acme', token, name: 'upgrade' };
    const seen = await underLoad(cluster.start, users, () => {
      upgrade(cluster);
      expect(running()).toBe(imagesOf(version));
      rollBack(cluster);
      expect(running()).toBe(imagesOf(previous.version));
    });
    console.log(
      `chart, ${previous.version} to ${version} and back: ${seen.written.length} writes and ${seen.reads} reads, ` +
        `${seen.failures.length} failed`,
    );
    expect(seen.failures).toEqual([]);
    expect(seen.written.length).toBeGreaterThan(10);
    const found = flowsIn(cluster);
    expect(seen.written.filter((flow) => !found.has(flow))).toEqual([]);
  },
);
