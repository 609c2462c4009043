import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../run/cli-error.ts';

/** Where a Docker daemon listens. */
export type DockerEndpoint =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number; readonly tls?: DockerTls };

interface DockerTls {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** As the `docker` program finds it: DOCKER_HOST, DOCKER_TLS_VERIFY and DOCKER_CERT_PATH. */
export async function dockerEndpoint(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): Promise<DockerEndpoint> {
  const host = env['DOCKER_HOST'] || 'unix:///var/run/docker.sock';
  if (host.startsWith('unix://')) return { socketPath: host.slice('unix://'.length) };
  const url = URL.canParse(host) ? new URL(host) : undefined;
  if (url?.protocol !== 'tcp:' || url.hostname === '') {
    throw usageError(
      `DOCKER_HOST is "${host}", but must begin with unix:// or tcp://`,
      'Forward the socket of the other machine',
    );
  }
  const isSecure = Boolean(env['DOCKER_TLS_VERIFY']);
  const at = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || (isSecure ? 2376 : 2375)) };
  return isSecure ? { ...at, tls: await tlsIn(env['DOCKER_CERT_PATH'] ?? join(home, '.docker')) } : at;
}

async function tlsIn(directory: string): Promise<DockerTls> {
  const [ca, cert, key] = await Promise.all([
    readFile(join(directory, 'ca.pem')),
    readFile(join(directory, 'cert.pem')),
    readFile(join(directory, 'key.pem')),
  ]);
  return { ca, cert, key };
}
