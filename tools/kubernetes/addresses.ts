/** Addresses inside the cluster's own network namespace, so they collide with nothing. */
export const NODE_IP = '10.252.0.1';
export const NODE_NAME = 'node-1';
export const POD_RANGE = '10.251.0.0/24';
export const SERVICE_RANGE = '10.250.0.0/16';
/** The first of the range belongs to the API server. */
export const API_SERVICE_IP = '10.250.0.1';
export const DOMAIN = 'cluster.local';

export const PORTS = {
  api: 6443,
  etcd: 2379,
  etcdPeer: 2380,
  kubelet: 10_250,
  registry: 5000,
  dns: 53,
  postgres: 5432,
  nats: 4222,
  s3: 7070,
} as const;
