import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answersOk, type Daemon, startDaemon, stopDaemon, wipeDaemon } from './daemon.ts';
import { dataDir, portBase, portsFrom } from './endpoints.ts';
import { natsServer } from './install.ts';

/** One server. Fault tests make their own, on other ports and with a store they may wipe. */
export interface NatsServer {
  readonly name: string;
  readonly port: number;
  readonly monitorPort: number;
  readonly storeDir: string;
}

export function sharedNats(): NatsServer {
  const ports = portsFrom(portBase());
  return { name: 'nats', port: ports.nats, monitorPort: ports.natsMonitor, storeDir: join(dataDir, 'nats') };
}

/** `clean` deletes the store first: a server that lost its disk. */
export async function startNats({ clean = false, ...server }: NatsServer & { clean?: boolean }): Promise<void> {
  if (clean) await wipeNats(server);
  mkdirSync(server.storeDir, { recursive: true });
  writeFileSync(configFile(server), settings(server));
  await startDaemon(natsDaemon(server));
}

/** With SIGKILL, a crash. */
export async function stopNats(server: NatsServer, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  await stopDaemon(natsDaemon(server), signal);
}

export async function wipeNats(server: NatsServer): Promise<void> {
  await wipeDaemon(natsDaemon(server), 'SIGKILL', server.storeDir);
}

export function natsDaemon(server: NatsServer): Daemon {
  return {
    name: server.name,
    command: natsServer.path,
    args: ['-c', configFile(server)],
    ports: [server.port, server.monitorPort],
    isReady: () => answersOk(`http://127.0.0.1:${server.monitorPort}/healthz`),
  };
}

function configFile({ storeDir }: NatsServer): string {
  return join(storeDir, 'nats.conf');
}

function settings({ name, port, monitorPort, storeDir }: NatsServer): string {
  return `server_name: "waymark-${name}"
listen: "127.0.0.1:${port}"
http: "127.0.0.1:${monitorPort}"
jetstream {
  store_dir: "${storeDir}"
  sync_interval: always
}
`;
}
