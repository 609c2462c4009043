import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLayout } from '../image/oci-layout.ts';
import { NODE_IP, PORTS } from './addresses.ts';
import type { Cluster } from './cluster.ts';
import { PAUSE } from './programs.ts';

/** Puts an image of a layout into the registry of the cluster. */
export function pushImage(cluster: Cluster, layout: string, name: string, reference: string): void {
  const target = `docker://${NODE_IP}:${PORTS.registry}/${reference}`;
  cluster.run('skopeo', [
    'copy',
    '--all',
    '--quiet',
    '--insecure-policy',
    '--dest-tls-verify=false',
    `oci:${layout}:${name}`,
    target,
  ]);
}

/** The image that holds the namespaces of each pod. */
export function pushPause(cluster: Cluster): void {
  const [layout, root] = [mkdtempSync(join(tmpdir(), 'pause-')), mkdtempSync(join(tmpdir(), 'pause-root-'))];
  try {
    copyFileSync(PAUSE, join(root, 'pause'));
    for (const path of [root, join(root, 'pause')]) chmodSync(path, 0o755);
    const writer = openLayout(layout, 0);
    const config = { entrypoint: ['/pause'], command: [], env: [], labels: {} };
    writer.name('pause', [writer.addImage('amd64', [writer.addLayer(root)], config)]);
    pushImage(cluster, layout, 'pause', 'pause:1');
  } finally {
    for (const folder of [layout, root]) rmSync(folder, { recursive: true });
  }
}
