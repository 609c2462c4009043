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
    'Reports the pods that run, by image and digest. It signs in to the cluster as kubectl does, or as the service ' +
    'account of the pod that it runs in, and needs the verbs get, list and watch on pods. With --watch it stays: it ' +
    'reports each change when it has settled, and the same again as a heartbeat, until it is told to end.',
  examples: [
    { say: 'Some namespaces', run: 'waymark snapshot k8s prod --namespace shop --namespace ops' },
    { say: 'All but those of the system', run: "waymark snapshot k8s prod --exclude-namespace '^kube-'" },
    { say: 'As an agent, with a probe for Kubernetes', run: 'waymark snapshot k8s prod --watch --health-port 8080' },
  ],
  settings: ['dryRun', 'onUnavailable', 'strict'],
  build: (command) =>
    command
      .argument('<env>', 'name of the environment, of type K8S')
      .option('--namespace <name>', 'a name, or a pattern with ^ or $; all unless given; can be repeated', collect)
      .option('--exclude-namespace <name>', 'the same for those to leave out; can be repeated', collect)
      .option('--selector <labels>', 'only pods with these labels, as for kubectl')
      .option('--kubeconfig <file>', 'where the cluster is; $KUBECONFIG or ~/.kube/config outside of a cluster')
      .option('--kube-context <name>', 'a context of the kubeconfig')
      .option('--watch', 'stay, and report changes until told to end')
      .option('--interval <duration>', 'with --watch: report so often even if nothing changes (60s)', readInterval)
      .option('--health-port <port>', 'with --watch: answer GET /healthz on this port', readPort),
  async run(session, [environment], options) {
    const { namespace, excludeNamespace, selector, kubeconfig, kubeContext, watch, interval, healthPort } = options;
    if (!watch && (interval !== undefined || healthPort !== undefined)) {
      throw usageError('--interval and --health-port are for --watch', 'Add --watch, or leave them out');
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
