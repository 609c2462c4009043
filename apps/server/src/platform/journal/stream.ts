import { jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '../log.ts';

export interface StreamConfig {
  /** Any of these; user and password may be part of the first. */
  readonly urls: readonly string[];
  /** Name of the stream; its subjects are `<name>.<lane>`. */
  readonly name: string;
  readonly replicas: number;
}

export type { NatsConnection } from '@nats-io/transport-node';

/** Connects, and keeps reconnecting for ever: an absent stream delays what follows from the journal and loses nothing. */
export async function connectNats(config: StreamConfig, name: string, log: Logger): Promise<NatsConnection> {
  const { username, password } = new URL(config.urls[0] ?? '');
  const connection = await connect({
    servers: config.urls.map((url) => new URL(url).host),
    ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(config.urls.some((url) => url.startsWith('tls:')) && { tls: {} }),
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    waitOnFirstConnect: true,
  });
  void watch(connection, log);
  return connection;
}

async function watch(connection: NatsConnection, log: Logger): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect' || status.type === 'reconnect')
      log.warn({ type: status.type }, 'stream connection');
  }
}

export function laneSubject(config: StreamConfig, lane: number | '*' | ''): string {
  return `${config.name}.${lane}`;
}

/** Wakes the relay when something was committed. Not part of the stream: losing one costs half a second. */
export function pokeSubject(config: StreamConfig): string {
  return `poke.${config.name}`;
}

/** Wakes the servers that have listeners of an org's feed. */
export function feedSubject(config: StreamConfig): string {
  return `feed.${config.name}`;
}

/** Makes the stream if it is not there, also after its disk was wiped. */
export async function ensureStream(connection: NatsConnection, config: StreamConfig): Promise<void> {
  const manager = await jetstreamManager(connection);
  await manager.streams.add({
    name: config.name,
    subjects: [laneSubject(config, '*')],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: config.replicas,
    max_age: 7 * 86_400 * 1e9,
    max_msg_size: 4096,
    duplicate_window: 120 * 1e9,
  });
}
