import { SpanKind, trace } from '@opentelemetry/api';
import { CompiledQuery, type Dialect, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Logger } from '../log.ts';
import { statementNames } from './statement-names.ts';
import type { Tables } from './tables.ts';

/** The pool, or an open transaction. */
export type Db = Kysely<Tables>;

export interface DbConfig {
  readonly url: string;
  readonly poolSize: number;
  /** 0 for none: commands of an operator may take their time. */
  readonly statementTimeoutMs: number;
  /** Called whenever a connection was made or lost: the next one may lead to another server. */
  readonly onConnectionChange?: () => void;
}

// Counts and sequence numbers stay below 2^53; as numbers they need no conversion at every use.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** How long PostgreSQL may take to report that a statement timed out. */
const GRACE_MS = 5_000;

/** Only asks whether the server answers. */
const PROBE = 'select 1 as alive';
const PROBE_ALLOWED_MS = 2_000;

/** Fails when the database does not answer; a connection without an answer is given up after 2 seconds. */
export async function probe(db: Db): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(PROBE));
}

const tracer = trace.getTracer('waymark');

/** Sends a declared statement under its name, so that PostgreSQL plans it once per connection. */
class StatementClient extends pg.Client {
  readonly #allowedMs: number;

  constructor(config: pg.ClientConfig = {}) {
    super(config);
    this.#allowedMs = Number(config.statement_timeout);
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares nine overloads of query; this passes all of them on
  override query(...args: any[]): any {
    const [text, values, ...rest] = args;
    const name = typeof text === 'string' ? statementNames.get(text) : undefined;
    // biome-ignore lint/suspicious/noExplicitAny: see above
    const send = super.query as (...args: any[]) => any;
    const sent = name ? send.call(this, { name, text, values }, ...rest) : send.apply(this, args);
    if (this.#allowedMs > 0 && sent instanceof Promise) {
      this.#endIfUnanswered(sent, text === PROBE ? PROBE_ALLOWED_MS : this.#allowedMs + GRACE_MS);
    }
    return trace.getActiveSpan()?.isRecording() ? inSpan(name ?? 'query', sent) : sent;
  }

  /** A server that is gone does not report a timeout, and TCP notices only after 15 minutes. */
  #endIfUnanswered(sent: Promise<unknown>, afterMs: number): void {
    const timer = setTimeout(() => this.connection.stream.destroy(), afterMs);
    const answered = () => clearTimeout(timer);
    sent.then(answered, answered);
  }
}

/** The span names the statement, never its values. */
async function inSpan<T>(name: string, sent: Promise<T>): Promise<T> {
  const span = tracer.startSpan(`pg ${name}`, {
    kind: SpanKind.CLIENT,
    attributes: { 'db.system.name': 'postgresql' },
  });
  try {
    return await sent;
  } finally {
    span.end();
  }
}

/** Without listeners a dropped connection would end the process. */
function outliveLostConnections(pool: pg.Pool, log: Logger): void {
  pool.on('error', (error) => log.warn({ error: error.message }, 'idle database connection lost'));
  pool.on('connect', (client) => client.on('error', () => undefined));
}

/** `onQuery` gets the text of every query; tests check them against the rules of the schema. */
export function openDb(config: DbConfig, log: Logger, onQuery?: (text: string) => void): Db {
  const pool = new pg.Pool({
    connectionString: config.url,
    max: config.poolSize,
    connectionTimeoutMillis: 3_000,
    idleTimeoutMillis: 30_000,
    // One forgotten transaction would keep its locks, and its gap in the journal, for ever.
    idle_in_transaction_session_timeout: 10_000,
    statement_timeout: config.statementTimeoutMs,
    application_name: 'waymark',
    // JIT pays off for reports over whole tables; a page read through indexes would wait a second for it.
    options: '-c jit=off',
    Client: onQuery ? observed(onQuery) : StatementClient,
  } as pg.PoolConfig);
  outliveLostConnections(pool, log);
  const { onConnectionChange } = config;
  if (onConnectionChange) pool.on('connect', onConnectionChange).on('remove', onConnectionChange);
  const dialect = new PostgresDialect({ pool });
  const db = new Kysely<Tables>({ dialect });
  return withPool(db, { dialect, size: config.poolSize, query: (text, values) => queryIn(pool, text, values) });
}

/** The pool behind a handle that is neither a transaction nor a single connection. */
interface Pool {
  readonly dialect: Dialect;
  readonly size: number;
  /** Sends a statement on any connection, past the query builder, which takes some 20 microseconds (2026-11). */
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

const pools = new WeakMap<Db, Pool>();

export function withPool(db: Db, pool: Pool): Db {
  pools.set(db, pool);
  return db;
}

export function poolOf(db: Db): Pool | undefined {
  return pools.get(db);
}

async function queryIn(pool: pg.Pool, text: string, values: unknown[]): Promise<{ rows: unknown[] }> {
  const client = await pool.connect();
  try {
    return await client.query(text, values);
  } finally {
    client.release();
  }
}

function observed(onQuery: (text: string) => void): typeof StatementClient {
  return class extends StatementClient {
    // biome-ignore lint/suspicious/noExplicitAny: as above
    override query(...args: any[]): any {
      const [query] = args;
      onQuery(typeof query === 'string' ? query : String(query.text));
      return super.query(...args);
    }
  };
}
