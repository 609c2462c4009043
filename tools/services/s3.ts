import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { answersOk, type Daemon, startDaemon, stopDaemon, wipeDaemon } from './daemon.ts';
import { dataDir, endpoints, portBase, portsFrom } from './endpoints.ts';
import { versitygw } from './install.ts';

/** One S3 server over a folder; it serves the credentials, bucket and region of `endpoints()`. */
export interface S3Server {
  readonly name: string;
  readonly port: number;
  readonly dir: string;
  /** Where earlier versions go, for buckets that keep them. Without it there are none. */
  readonly versionsDir?: string;
}

export function sharedS3(): S3Server {
  return { name: 's3', port: portsFrom(portBase()).s3, dir: join(dataDir, 's3') };
}

export async function startS3(server: S3Server): Promise<void> {
  // The gateway serves every folder under its root as a bucket.
  mkdirSync(join(server.dir, endpoints().s3.bucket), { recursive: true });
  if (server.versionsDir) mkdirSync(server.versionsDir, { recursive: true });
  await startDaemon(s3Daemon(server));
}

export async function stopS3(server: S3Server, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  await stopDaemon(s3Daemon(server), signal);
}

export async function wipeS3(server: S3Server): Promise<void> {
  await wipeDaemon(s3Daemon(server), 'SIGKILL', server.dir);
}

export function s3Daemon({ name, port, dir, versionsDir }: S3Server): Daemon {
  const { accessKey, secretKey, region } = endpoints().s3;
  return {
    name,
    command: versitygw.path,
    args: ['--quiet', 'posix', ...(versionsDir ? ['--versioning-dir', versionsDir] : []), dir],
    env: {
      VGW_PORT: `127.0.0.1:${port}`,
      VGW_REGION: region,
      VGW_HEALTH: '/health',
      ROOT_ACCESS_KEY: accessKey,
      ROOT_SECRET_KEY: secretKey,
    },
    ports: [port],
    isReady: () => answersOk(`http://127.0.0.1:${port}/health`),
  };
}
