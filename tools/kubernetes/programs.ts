import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The version that the chart is installed into. */
export const VERSION = '1.36.3';

const caches = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');

/** Outside of the repository: the programs cost 20 minutes of processor time, and every clone shares them. */
export const CACHE = join(caches, 'waymark', `kubernetes-${VERSION}`);

/** Runs any part of Kubernetes, and kubectl, by its first argument. */
export const KUBE = join(CACHE, 'kube');
export const PAUSE = join(CACHE, 'pause');
export const CONTAINERD = join(CACHE, 'usr/bin/containerd');
export const ETCD = join(CACHE, 'usr/bin/etcd');

/** A program of each package of the distribution that a cluster needs. */
const FROM_DISTRIBUTION = {
  runc: '/usr/sbin/runc',
  'containernetworking-plugins': '/usr/lib/cni/bridge',
  nftables: '/usr/sbin/nft',
  'docker-registry': '/usr/bin/docker-registry',
  skopeo: '/usr/bin/skopeo',
} as const;

export const DISTRIBUTION_PACKAGES = Object.keys(FROM_DISTRIBUTION);

/** What is missing for a cluster on this machine, with what to do about it; nothing if it can start. */
export function findObstacle(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux can start a cluster';
  if ([KUBE, PAUSE, CONTAINERD, ETCD].some((path) => !existsSync(path))) {
    return `there are no programs in ${CACHE}: run \`node tools/kubernetes/build.ts\``;
  }
  const missing = Object.entries(FROM_DISTRIBUTION).filter(([, path]) => !existsSync(path));
  if (missing.length === 0) return undefined;
  const [names, paths] = [missing.map(([name]) => name).join(' '), missing.map(([, path]) => path).join(', ')];
  return `${paths} missing: apt-get install ${names}`;
}
