import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOMAIN, NODE_IP, NODE_NAME, POD_RANGE, PORTS } from './addresses.ts';

/** Writes the settings of everything that reads them from a file. */
export function writeSettings(folder: string): void {
  const write = (name: string, content: string | object) =>
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  for (const name of ['cni', 'registries/_default', 'log']) mkdirSync(join(folder, name), { recursive: true });
  write('containerd.toml', containerd(folder));
  // Every image comes from the registry of the test, whatever host its name has.
  const registry = `http://${NODE_IP}:${PORTS.registry}`;
  write('registries/_default/hosts.toml', `[host."${registry}"]\n  capabilities = ["pull", "resolve"]\n`);
  write('registry.yaml', {
    version: 0.1,
    log: { level: 'warn' },
    storage: { filesystem: { rootdirectory: join(folder, 'registry') } },
    http: { addr: `${NODE_IP}:${PORTS.registry}` },
  });
  write('cni/10-bridge.conflist', network(folder));
  write('resolv.conf', `nameserver ${NODE_IP}\n`);
  write('kubelet.json', kubelet(folder));
  write('proxy.json', proxy(folder));
}

/** Without the rights that a container of a CI system lacks: no lower score for the OOM killer, no systemd. */
function containerd(folder: string): string {
  return `version = 3
root = "${folder}/containerd/root"
state = "${folder}/containerd/state"
[grpc]
  address = "${folder}/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "${folder}/containerd/opt"
[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["/usr/lib/cni"]
    conf_dir = "${folder}/cni"
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
      BinaryName = "/usr/sbin/runc"
      SystemdCgroup = false
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "registry.test/pause:1"
[plugins."io.containerd.cri.v1.images".registry]
  config_path = "${folder}/registries"
`;
}

function network(folder: string): object {
  const ipam = {
    type: 'host-local',
    dataDir: join(folder, 'cni-addresses'),
    ranges: [[{ subnet: POD_RANGE }]],
    routes: [{ dst: '0.0.0.0/0' }],
  };
  return {
    cniVersion: '1.0.0',
    name: 'pods',
    plugins: [{ type: 'bridge', bridge: 'pods0', isGateway: true, hairpinMode: true, ipam }],
  };
}

function kubelet(folder: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: join(folder, 'ca.crt') },
    },
    authorization: { mode: 'Webhook' },
    address: NODE_IP,
    port: PORTS.kubelet,
    readOnlyPort: 0,
    tlsCertFile: join(folder, 'kubelet-server.crt'),
    tlsPrivateKeyFile: join(folder, 'kubelet-server.key'),
    containerRuntimeEndpoint: `unix://${folder}/containerd.sock`,
    podLogsDir: join(folder, 'pod-logs'),
    volumePluginDir: join(folder, 'volume-plugins'),
    resolvConf: join(folder, 'resolv.conf'),
    clusterDNS: [NODE_IP],
    clusterDomain: DOMAIN,
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    failSwapOn: false,
    oomScoreAdj: 0,
    makeIPTablesUtilChains: false,
    localStorageCapacityIsolation: false,
    // A disk that is nearly full is no reason to end a test.
    evictionHard: { 'memory.available': '100Mi' },
    imageGCHighThresholdPercent: 100,
  };
}

function proxy(folder: string): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    // Pods are on one bridge, where an answer would otherwise not pass the node.
    nftables: { masqueradeAll: true },
    clientConnection: { kubeconfig: join(folder, 'proxy.kubeconfig') },
    clusterCIDR: POD_RANGE,
    conntrack: { maxPerCore: 0, min: 0 },
    hostnameOverride: NODE_NAME,
  };
}
