import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHARTS, HELM } from '../charts/helm.ts';
import { NODE_IP, PORTS } from './addresses.ts';
import type { Cluster } from './cluster.ts';
import { BUCKET } from './engines.ts';
import type { LoadReport } from './load.ts';

export const NAMESPACE = 'waymark';

/** Of docs/kubernetes.md, with addresses of this cluster. */
const VALUES = {
  publicUrl: 'https://waymark.example.com',
  database: { existingSecret: 'waymark' },
  nats: { existingSecret: 'waymark' },
  secretKey: { existingSecret: 'waymark' },
  evidence: { s3: { bucket: BUCKET, endpoint: `http://${NODE_IP}:${PORTS.s3}`, existingSecret: 'waymark' } },
};

export function helm(cluster: Cluster, ...args: string[]): string {
  return cluster.run(HELM, ['--namespace', NAMESPACE, ...args]);
}

export function install(cluster: Cluster, secrets: string): void {
  const values = join(cluster.folder, 'values.json');
  writeFileSync(values, JSON.stringify(VALUES));
  cluster.kubectl('create', 'namespace', NAMESPACE);
  // What the chart promises: the strictest of the standards that Kubernetes has for pods.
  cluster.kubectl('label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/enforce=restricted');
  cluster.kubectl('--namespace', NAMESPACE, 'create', 'secret', 'generic', 'waymark', `--from-file=${secrets}`);
  helm(cluster, 'install', 'waymark', join(CHARTS, 'waymark'), '--values', values, '--wait', '--timeout', '15m');
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

/** Does something while the API is used, and returns what the users saw. */
export async function underLoad(
  cluster: Cluster,
  { token, org, name }: { token: string; org: string; name: string },
  work: () => void,
): Promise<LoadReport> {
  const script = join(import.meta.dirname, 'load.ts');
  const environment = ['env', `WAYMARK_TOKEN=${token}`];
  const line = [...environment, process.execPath, script, serviceUrl(cluster), org, name];
  const [program = '', ...args] = line;
  const load = cluster.start(program, args);
  const chunks: Buffer[] = [];
  load.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((done) => load.once('close', () => done()));
  try {
    work();
  } finally {
    load.kill('SIGTERM');
  }
  await ended;
  return JSON.parse(Buffer.concat(chunks).toString()) as LoadReport;
}
