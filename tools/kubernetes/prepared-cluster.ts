import { join } from 'node:path';
import { generateSecrets } from '../../apps/server/src/bin/commands/generated-secrets.ts';
import { installChartTools } from '../charts/helm.ts';
import { installPackages } from '../install/debian-packages.ts';
import { installNats, installS3 } from '../services/install.ts';
import { isFull } from '../test-size.ts';
import { NODE_IP, PORTS } from './addresses.ts';
import { buildKubernetes } from './build.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { pushPause } from './images.ts';
import { DISTRIBUTION_PACKAGES, findObstacle } from './programs.ts';

export interface PreparedCluster {
  readonly cluster: Cluster;
  /** A folder with what the chart reads from a secret. */
  readonly secrets: string;
}

/** Starts a cluster whose registry is still empty. In full size, what is missing for it is built or installed. */
export async function prepareCluster(work: string): Promise<PreparedCluster> {
  if (isFull) {
    installPackages(...DISTRIBUTION_PACKAGES);
    await buildKubernetes();
  }
  const obstacle = findObstacle();
  if (obstacle !== undefined) throw new Error(obstacle);
  installNats();
  installS3();
  await installChartTools();
  const secrets = join(work, 'secrets');
  generateSecrets(secrets, {
    database: `${NODE_IP}:${PORTS.postgres}/waymark`,
    nats: `${NODE_IP}:${PORTS.nats}`,
  });
  const cluster = await startCluster(secrets);
  pushPause(cluster);
  return { cluster, secrets };
}
