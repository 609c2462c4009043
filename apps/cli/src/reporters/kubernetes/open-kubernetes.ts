import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../../run/cli-error.ts';
import type { KubernetesApi } from './api.ts';
import { type Connect, httpApi } from './http-api.ts';
import { kubeconfigConnect, readToken } from './kubeconfig.ts';

export interface OpenKubernetesOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** A file. Otherwise the cluster it runs in, if it does, then KUBECONFIG, then `~/.kube/config`. */
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly inCluster?: boolean;
  readonly serviceAccountDir?: string;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export async function openKubernetes(options: OpenKubernetesOptions): Promise<KubernetesApi> {
  return httpApi((await runsInCluster(options)) ? inClusterConnect(options) : await kubeconfigOf(options));
}

async function runsInCluster(options: OpenKubernetesOptions): Promise<boolean> {
  const { env, kubeconfig, context, inCluster, serviceAccountDir = SERVICE_ACCOUNT } = options;
  if (inCluster !== undefined) return inCluster;
  if (kubeconfig || context || env['KUBECONFIG'] || !env['KUBERNETES_SERVICE_HOST']) return false;
  return access(join(serviceAccountDir, 'token')).then(
    () => true,
    () => false,
  );
}

/** The kubelet replaces token and CA while the pod runs, so both are read each time. */
function inClusterConnect({ env, serviceAccountDir = SERVICE_ACCOUNT }: OpenKubernetesOptions): Connect {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '443';
  if (!host) {
    throw usageError('Not running in a cluster: KUBERNETES_SERVICE_HOST is not set', 'Add --kubeconfig FILE');
  }
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return async () => ({
    server,
    token: await readToken(join(serviceAccountDir, 'token')),
    ca: await readFile(join(serviceAccountDir, 'ca.crt')),
  });
}

function kubeconfigOf({ env, home, kubeconfig, context }: OpenKubernetesOptions): Promise<Connect> {
  const listed = (env['KUBECONFIG'] ?? '').split(':').filter((file) => file !== '');
  const files = listed.length > 0 ? listed : [join(home, '.kube', 'config')];
  return kubeconfigConnect(kubeconfig ? [kubeconfig] : files, context, env);
}
