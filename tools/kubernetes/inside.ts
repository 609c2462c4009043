import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../release/run-program.ts';
import { NODE_IP, NODE_NAME, PORTS } from './addresses.ts';
import { writeCertificates } from './certificates.ts';
import { apiserver, containerd, etcd, node, registry } from './control-plane.ts';
import { createDatabase, prepareEngines } from './engines.ts';
import { startPart, until } from './parts.ts';
import { KUBE } from './programs.ts';
import { writeSettings } from './settings.ts';

/**
 * Runs a cluster of one node in the namespaces that cluster.ts made, until it is killed.
 *
 *   node tools/kubernetes/inside.ts FOLDER SECRETS
 */

const [, , folder = '', secrets = ''] = process.argv;
const began = performance.now();
const say = (what: string) => process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1)} s  ${what}\n`);

function kubectl(...args: string[]): string {
  return runProgram(KUBE, ['kubectl', '--kubeconfig', join(folder, 'admin.kubeconfig'), ...args]).toString();
}

function succeeds(...args: string[]): boolean {
  try {
    kubectl(...args);
    return true;
  } catch {
    return false;
  }
}

// What Kubernetes writes outside of the folder is gone with the namespace.
for (const path of ['/run', '/var/log']) runProgram('mount', ['-t', 'tmpfs', 'none', path]);
mkdirSync('/run/netns');
const [upper, scratch] = ['var-lib', 'var-lib-scratch'].map((name) => join(folder, name));
for (const path of [upper, scratch]) mkdirSync(`${path}`);
const layers = `lowerdir=/var/lib,upperdir=${upper},workdir=${scratch}`;
runProgram('mount', ['-t', 'overlay', 'overlay', '-o', layers, '/var/lib']);
runProgram('ip', ['link', 'set', 'lo', 'up']);
runProgram('ip', ['address', 'add', `${NODE_IP}/32`, 'dev', 'lo']);
// Without a route the kernel refuses to send to addresses of Services before anything translates them.
runProgram('ip', ['link', 'add', 'uplink', 'type', 'veth', 'peer', 'name', 'nowhere']);
for (const name of ['uplink', 'nowhere']) runProgram('ip', ['link', 'set', name, 'up']);
runProgram('ip', ['route', 'add', 'default', 'dev', 'uplink', 'src', NODE_IP]);

writeSettings(folder);
writeCertificates(folder);
say('certificates are written');
for (const part of [etcd(folder), registry(folder), containerd(folder), ...prepareEngines(folder, secrets)]) {
  startPart(folder, part);
}
startPart(folder, apiserver(folder));
await createDatabase(folder, secrets);
say('PostgreSQL has a database');
await until('the API server is ready', () => succeeds('get', '--raw', '/readyz'));
say(`the API server is ready at ${NODE_IP}:${PORTS.api}`);
for (const part of node(folder)) startPart(folder, part);
await until('the node is ready', () => succeeds('wait', '--for=condition=Ready', `node/${NODE_NAME}`, '--timeout=1s'));
await until('there are service accounts', () => succeeds('get', 'serviceaccount', 'default'));
say('the node is ready');
writeFileSync(join(folder, 'ready'), '');
