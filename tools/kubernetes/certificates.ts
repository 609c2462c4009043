import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../release/run-program.ts';
import { API_SERVICE_IP, NODE_IP, NODE_NAME, PORTS } from './addresses.ts';

/** Who calls the API server. Its RBAC knows each part by the name in its certificate. */
const CALLERS: Readonly<Record<string, string>> = {
  admin: '/O=system:masters/CN=admin',
  kubelet: `/O=system:nodes/CN=system:node:${NODE_NAME}`,
  'controller-manager': '/CN=system:kube-controller-manager',
  scheduler: '/CN=system:kube-scheduler',
  proxy: '/CN=system:kube-proxy',
};

const SERVERS: Readonly<Record<string, string>> = {
  apiserver: `IP:${NODE_IP},IP:${API_SERVICE_IP},DNS:kubernetes.default.svc`,
  'kubelet-server': `IP:${NODE_IP},DNS:${NODE_NAME}`,
};

/** Writes a CA, a certificate for each part, and a kubeconfig for each that calls the API server. */
export function writeCertificates(folder: string): void {
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => runProgram('openssl', args);
  const makeKey = (name: string) =>
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', file(`${name}.key`));
  makeKey('ca');
  openssl('req', '-x509', '-new', '-key', file('ca.key'), '-days', '7', '-subj', '/CN=ca', '-out', file('ca.crt'));
  const sign = (name: string, subject: string, names?: string) => {
    makeKey(name);
    openssl('req', '-new', '-key', file(`${name}.key`), '-subj', subject, '-out', file(`${name}.csr`));
    writeFileSync(file(`${name}.ext`), names ? `subjectAltName=${names}\n` : '');
    const ca = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '7'];
    openssl(
      'x509',
      '-req',
      '-in',
      file(`${name}.csr`),
      ...ca,
      '-extfile',
      file(`${name}.ext`),
      '-out',
      file(`${name}.crt`),
    );
  };
  for (const [name, names] of Object.entries(SERVERS)) sign(name, `/CN=${name}`, names);
  for (const [name, subject] of Object.entries(CALLERS)) {
    sign(name, subject);
    writeFileSync(file(`${name}.kubeconfig`), JSON.stringify(kubeconfig(folder, name)));
  }
  openssl('genrsa', '-out', file('accounts.key'), '2048');
  openssl('rsa', '-in', file('accounts.key'), '-pubout', '-out', file('accounts.pub'));
}

function kubeconfig(folder: string, name: string): object {
  const base64 = (file: string) => readFileSync(join(folder, file)).toString('base64');
  const server = `https://${NODE_IP}:${PORTS.api}`;
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': base64('ca.crt') } }],
    users: [
      {
        name,
        user: { 'client-certificate-data': base64(`${name}.crt`), 'client-key-data': base64(`${name}.key`) },
      },
    ],
    contexts: [{ name: 'test', context: { cluster: 'test', user: name } }],
  };
}
