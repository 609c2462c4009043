import { InvalidArgumentError } from '@commander-js/extra-typings';
import { openKubernetes } from '../../reporters/kubernetes/open-kubernetes.ts';
import { readKubernetes } from '../../reporters/kubernetes/read-kubernetes.ts';
import { collect, given } from '../../resources/options.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { readDuration } from '../../run/duration.ts';
import { sendReport } from './send-report.ts';
import { watchCluster } from './watch-cluster.ts';

const SHORTEST_INTERVAL_MS = 1_000;

export const command = defineCommand({
  description:
    'Reports the running pods by image and digest. Signs in to the cluster as kubectl does, or with the service ' +
    'account of its own pod; needs the verbs get, list, and watch on pods. With --watch, keeps running: reports each ' +
    'change once it has settled, and repeats the report as a heartbeat, until it is stopped.',
  examples: [
    { say: 'Some namespaces', run: 'waymark snapshot k8s prod --namespace shop --namespace ops' },
    { say: 'All namespaces except system ones', run: "waymark snapshot k8s prod --exclude-namespace '^kube-'" },
    {
      say: 'As an agent, with a health probe for Kubernetes',
      run: 'waymark snapshot k8s prod --watch --health-port 8080',
    },
  ],
  settings: ['dryRun', 'onUnavailable', 'strict'],
  build: (command) =>
    command
      .argument('<env>', 'name of an environment of type K8S')
      .option('--namespace <name>', 'namespace, or pattern with ^ or $; can be repeated (default: all)', collect)
      .option('--exclude-namespace <name>', 'namespace or pattern to exclude; can be repeated', collect)
      .option('--selector <labels>', 'only pods with these labels, in kubectl syntax')
      .option('--kubeconfig <file>', 'kubeconfig file (default outside of a cluster: $KUBECONFIG or ~/.kube/config)')
      .option('--kube-context <name>', 'context of the kubeconfig')
      .option('--watch', 'keep running and report changes until stopped')
      .option(
        '--interval <duration>',
        'with --watch: interval between reports without changes (default: 60s)',
        readInterval,
      )
      .option('--health-port <port>', 'with --watch: serve GET /healthz on this port', readPort),
  async run(session, [environment], options) {
    const { namespace, excludeNamespace, selector, kubeconfig, kubeContext, watch, interval, healthPort } = options;
    if (!watch && (interval !== undefined || healthPort !== undefined)) {
      throw usageError('--interval and --health-port work only with --watch', 'Add --watch, or leave out the flags');
    }
    const { env, home, signal } = session.io;
    const api = await openKubernetes({ env, home, ...given({ kubeconfig, context: kubeContext }) });
    const selection = given({
      namespaces: namespace,
      excludeNamespaces: excludeNamespace,
      labelSelector: selector,
    });
    if (!watch) return sendReport(session, environment, await readKubernetes(api, selection, signal));
    await watchCluster(session, api, { environment, selection, ...given({ heartbeatMs: interval, healthPort }) });
    return {};
  },
});

function readInterval(text: string): number {
  try {
    const ms = readDuration(text);
    if (ms >= SHORTEST_INTERVAL_MS) return ms;
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? `It ${error.message}.` : '');
  }
  throw new InvalidArgumentError('It must be at least a second.');
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a port, from 0 to 65535.');
}
