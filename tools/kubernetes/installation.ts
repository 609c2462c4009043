import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHARTS, HELM } from '../charts/helm.ts';
import { NODE_IP, PORTS } from './addresses.ts';
import type { Cluster } from './cluster.ts';
import { BUCKET } from './engines.ts';

export const NAMESPACE = 'waymark';

/** Of docs/kubernetes.md, with addresses of this cluster. */
const VALUES = {
  publicUrl: 'https://waymark.example.com',
  database: { existingSecret: 'waymark' },
  nats: { existingSecret: 'waymark' },
  secretKey: { existingSecret: 'waymark' },
  ledgerKey: { existingSecret: 'waymark' },
  evidence: { s3: { bucket: BUCKET, endpoint: `http://${NODE_IP}:${PORTS.s3}`, existingSecret: 'waymark' } },
};

export function helm(cluster: Cluster, ...args: string[]): string {
  return cluster.run(HELM, ['--namespace', NAMESPACE, ...args]);
}

export function install(cluster: Cluster, secrets: string, charts: string = CHARTS): void {
  writeFileSync(valuesFile(cluster), JSON.stringify(VALUES));
  cluster.kubectl('create', 'namespace', NAMESPACE);
  // What the chart promises: the strictest of the standards that Kubernetes has for pods.
  cluster.kubectl('label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/enforce=restricted');
  cluster.kubectl('--namespace', NAMESPACE, 'create', 'secret', 'generic', 'waymark', `--from-file=${secrets}`);
  const wait = ['--wait', '--timeout', '15m'];
  helm(cluster, 'install', 'waymark', join(charts, 'waymark'), '--values', valuesFile(cluster), ...wait);
}

export function upgrade(cluster: Cluster): void {
  const wait = ['--wait', '--wait-for-jobs', '--timeout', '15m'];
  helm(cluster, 'upgrade', 'waymark', join(CHARTS, 'waymark'), '--values', valuesFile(cluster), ...wait);
}

export function rollBack(cluster: Cluster): void {
  helm(cluster, 'rollback', 'waymark', '--wait', '--wait-for-jobs', '--timeout', '15m');
}

function valuesFile(cluster: Cluster): string {
  return join(cluster.folder, 'values.json');
}

/** Runs an administration command in a pod of the API. */
export function administrate(cluster: Cluster, ...args: string[]): string {
  const program = ['/usr/local/bin/node', '/opt/waymark/waymark-server.js'];
  const pod = ['exec', 'deployment/waymark-api', '--container', 'waymark', '--'];
  return cluster.kubectl('--namespace', NAMESPACE, ...pod, ...program, ...args).trim();
}

export function serviceUrl(cluster: Cluster): string {
  const path = 'jsonpath={.spec.clusterIP}';
  return `http://${cluster.kubectl('--namespace', NAMESPACE, 'get', 'service', 'waymark', '--output', path)}`;
}

/** Names all flows of the database. */
export function flowsIn(cluster: Cluster): Set<string> {
  const at = ['-h', join(cluster.folder, 'postgres'), '-U', 'postgres', '-d', 'waymark'];
  return new Set(cluster.run('psql', [...at, '-XAtqc', 'select name from flow']).split('\n'));
}
