import { join } from 'node:path';
import { NODE_IP, NODE_NAME, PORTS, SERVICE_RANGE } from './addresses.ts';
import type { Part } from './parts.ts';
import { CONTAINERD, ETCD, KUBE } from './programs.ts';

export function etcd(folder: string): Part {
  const [client, peer] = [PORTS.etcd, PORTS.etcdPeer].map((port) => `http://127.0.0.1:${port}`);
  const args = [
    `--data-dir=${folder}/etcd`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
  ];
  return { name: 'etcd', command: ETCD, args };
}

export function registry(folder: string): Part {
  return { name: 'registry', command: '/usr/bin/docker-registry', args: ['serve', join(folder, 'registry.yaml')] };
}

export function containerd(folder: string): Part {
  const path = `${join(CONTAINERD, '..')}:/usr/sbin:/usr/bin:/sbin:/bin`;
  const args = ['--config', join(folder, 'containerd.toml')];
  return { name: 'containerd', command: CONTAINERD, args, env: { PATH: path } };
}

export function apiserver(folder: string): Part {
  const file = (name: string) => join(folder, name);
  return kube('apiserver', {
    'etcd-servers': `http://127.0.0.1:${PORTS.etcd}`,
    'bind-address': NODE_IP,
    'advertise-address': NODE_IP,
    'secure-port': PORTS.api,
    'tls-cert-file': file('apiserver.crt'),
    'tls-private-key-file': file('apiserver.key'),
    'client-ca-file': file('ca.crt'),
    'service-account-key-file': file('accounts.pub'),
    'service-account-signing-key-file': file('accounts.key'),
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-cluster-ip-range': SERVICE_RANGE,
    'authorization-mode': 'Node,RBAC',
    'enable-admission-plugins': 'NodeRestriction',
    'kubelet-client-certificate': file('admin.crt'),
    'kubelet-client-key': file('admin.key'),
    'kubelet-certificate-authority': file('ca.crt'),
    'kubelet-preferred-address-types': 'InternalIP',
  });
}

/** What starts once the API server answers. */
export function node(folder: string): Part[] {
  const file = (name: string) => join(folder, name);
  return [
    kube('controller-manager', {
      kubeconfig: file('controller-manager.kubeconfig'),
      'service-account-private-key-file': file('accounts.key'),
      'root-ca-file': file('ca.crt'),
      'use-service-account-credentials': true,
      'leader-elect': false,
    }),
    kube('scheduler', { kubeconfig: file('scheduler.kubeconfig'), 'leader-elect': false }),
    kube('kubelet', {
      config: file('kubelet.json'),
      kubeconfig: file('kubelet.kubeconfig'),
      'hostname-override': NODE_NAME,
      'node-ip': NODE_IP,
      'root-dir': file('kubelet'),
      // Lets it run where limits of the kernel cannot be changed.
      'feature-gates': 'KubeletInUserNamespace=true',
    }),
    kube('proxy', { config: file('proxy.json') }),
    { name: 'names', command: process.execPath, args: [join(import.meta.dirname, 'names.ts'), folder] },
  ];
}

function kube(name: string, flags: Readonly<Record<string, string | number | boolean>>): Part {
  return { name, command: KUBE, args: [name, ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)] };
}
