import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** Everything the services keep: data, logs, pids, built programs. Not under version control. */
export const dataDir = join(root, '.services');

/** Tells clones apart in places that all of them share. Short, because the name of a socket is limited to 107 bytes. */
export const cloneId = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);

/** Holds the port base of the services that are up, so that every other command finds them without the variable. */
export const portBaseFile = join(dataDir, 'run', 'port-base');

export const defaultPortBase = 14000;

export interface Ports {
  readonly postgres: number;
  readonly nats: number;
  readonly natsMonitor: number;
  readonly s3: number;
}

/** All below 32768, where the kernel starts to hand out ports to outgoing connections. */
export function portsFrom(base: number): Ports {
  return { postgres: base + 432, nats: base + 222, natsMonitor: base + 822, s3: base + 900 };
}

export function portBase(): number {
  const base = Number(process.env['WAYMARK_SERVICES_PORT_BASE'] ?? recordedPortBase() ?? defaultPortBase);
  if (!Number.isInteger(base) || base < 1024 || base > 31000) {
    throw new Error('WAYMARK_SERVICES_PORT_BASE must be a whole number from 1024 to 31000');
  }
  return base;
}

export function recordedPortBase(): string | undefined {
  try {
    return readFileSync(portBaseFile, 'utf8').trim();
  } catch {
    return undefined;
  }
}

export interface S3Endpoint {
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly bucket: string;
  readonly region: string;
}

export interface Endpoints {
  readonly postgresUrl: string;
  readonly natsUrl: string;
  readonly natsMonitorUrl: string;
  readonly s3: S3Endpoint;
  readonly dataDir: string;
}

export function endpoints(): Endpoints {
  const ports = portsFrom(portBase());
  return {
    postgresUrl: `postgres://waymark@127.0.0.1:${ports.postgres}/waymark`,
    natsUrl: `nats://127.0.0.1:${ports.nats}`,
    natsMonitorUrl: `http://127.0.0.1:${ports.natsMonitor}`,
    s3: {
      endpoint: `http://127.0.0.1:${ports.s3}`,
      accessKey: 'waymark-local-test',
      secretKey: 'waymark-local-test-secret',
      bucket: 'waymark',
      region: 'us-east-1',
    },
    dataDir,
  };
}
