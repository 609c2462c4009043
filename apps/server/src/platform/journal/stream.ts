import { jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';

export interface StreamConfig {
  /** Any of these servers; user and password may be part of the first URL. */
  readonly urls: readonly string[];
  /** Name of the stream; its subjects begin with the name and the region. */
  readonly name: string;
  readonly region: string;
  readonly replicas: number;
}

export type { NatsConnection } from '@nats-io/transport-node';

/**
 * Connects, and keeps reconnecting for ever: a missing stream delays what follows from the journal, and loses nothing.
 */
export async function connectNats(config: StreamConfig, name: string, log: Logger): Promise<NatsConnection> {
  const forEver = { maxReconnectAttempts: -1, reconnectTimeWait: 250, waitOnFirstConnect: true };
  const connection = await connect({ ...optionsOf(config, name), ...forEver });
  void watch(connection, log);
  return connection;
}

function optionsOf({ urls }: StreamConfig, name: string) {
  const { username, password } = new URL(urls[0] ?? '');
  return {
    servers: urls.map((url) => new URL(url).host),
    ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(urls.some((url) => url.startsWith('tls:')) && { tls: {} }),
    name,
  };
}

/** Connects once, and returns the version of the server. Rejects when it cannot be reached or has no JetStream. */
export async function checkStream(config: StreamConfig): Promise<string> {
  const connection = await connect({ ...optionsOf(config, 'waymark-check'), timeout: 3_000, reconnect: false });
  try {
    await (await jetstreamManager(connection)).getAccountInfo();
    return connection.info?.version ?? 'unknown';
  } finally {
    await connection.close();
  }
}

const REPORT_MISSING_MS = 2_000;
const RETRY_MS = 5_000;

/** A connection that may be made later. */
export interface StreamLink {
  /** Undefined until the first connection is made, and always without NATS. */
  current(): Linked | undefined;
  close(): Promise<void>;
}

export interface Linked {
  readonly nats: NatsConnection;
  readonly stream: StreamConfig;
}

const NO_STREAM: StreamLink = { current: () => undefined, close: async () => undefined };

/** Connects in the background: nothing waits for NATS, since everything that must happen follows from the database. */
export function linkStream(
  config: StreamConfig | undefined,
  name: string,
  log: Logger,
  onConnected: (linked: Linked) => void = () => undefined,
): StreamLink {
  if (!config) return NO_STREAM;
  return link(config, name, log, onConnected);
}

function link(config: StreamConfig, name: string, log: Logger, onConnected: (linked: Linked) => void): StreamLink {
  const servers = config.urls.map((url) => new URL(url).host);
  const closed = new AbortController();
  let linked: Linked | undefined;
  const report = setTimeout(() => {
    log.warn({ servers }, 'NATS is not reachable: working from PostgreSQL alone, and connecting as soon as it is');
  }, REPORT_MISSING_MS);

  async function connectLater(): Promise<void> {
    while (!linked && !closed.signal.aborted) {
      try {
        const made = await connectNats(config, name, log);
        clearTimeout(report);
        if (closed.signal.aborted) return await made.close();
        log.info({ servers }, 'NATS is connected');
        linked = { nats: made, stream: config };
        onConnected(linked);
      } catch (error) {
        log.error({ servers, error: String(error) }, 'NATS refuses the connection, will try again');
        await pause(RETRY_MS, closed.signal);
      }
    }
  }

  void connectLater();
  return {
    current: () => linked,
    async close() {
      clearTimeout(report);
      closed.abort();
      await linked?.nats.close();
    },
  };
}

/** Whether NATS answers now. */
export async function isStreamUp({ current }: Pick<StreamLink, 'current'>): Promise<boolean> {
  const linked = current();
  if (!linked) return false;
  try {
    await linked.nats.rtt();
    return true;
  } catch {
    return false;
  }
}

async function watch(connection: NatsConnection, log: Logger): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect' || status.type === 'reconnect')
      log.warn({ type: status.type }, 'stream connection');
  }
}

/** An event holds names, and never the content of an entry. */
const EVENT_MAX_BYTES = 8_192;

/** The subject of the events of an org. Wildcards select all lanes, or all orgs. */
export function eventSubject(config: StreamConfig, lane: number | '*', org: string): string {
  return `${config.name}.${config.region}.events.${lane}.${org}`;
}

/** Wakes the sequencer when something was committed. Not part of the stream: losing one costs half a second. */
export function pokeSubject(config: StreamConfig): string {
  return `poke.${config.name}`;
}

/** Wakes workers when something was sequenced. Not part of the stream. */
export function sequencedSubject(config: StreamConfig): string {
  return `sequenced.${config.name}`;
}

/** Wakes servers that have listeners of the org. Not part of the stream. */
export function sequencedOfOrgSubject(config: StreamConfig, org: string): string {
  return `${sequencedSubject(config)}.${org}`;
}

/** Creates the stream if it does not exist, also after its disk was wiped. One of an earlier version gets our subjects. */
export async function ensureStream(connection: NatsConnection, config: StreamConfig): Promise<void> {
  const { streams } = await jetstreamManager(connection);
  const wanted = { subjects: [eventSubject(config, '*', '*')], max_msg_size: EVENT_MAX_BYTES };
  const existing = await streams.info(config.name).catch(() => undefined);
  if (existing) {
    await streams.update(config.name, wanted);
    return;
  }
  await streams.add({
    ...wanted,
    name: config.name,
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: config.replicas,
    max_age: 7 * 86_400 * 1e9,
    duplicate_window: 120 * 1e9,
  });
}
