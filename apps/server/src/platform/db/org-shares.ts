import { type DatabaseConnection, type Dialect, type Driver, Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import { createFairQueue, type FairQueue, type FairQueueLimits } from '../fair-queue.ts';
import { type Db, poolOf, withPool } from './db.ts';
import type { Tables } from './tables.ts';

/** The connections of one pool, shared among orgs: no org can block the others from the database. */
export interface OrgShares extends Pick<FairQueue, 'turnsAway' | 'isLong' | 'figures'> {
  /** The database for requests of an org, which queue for connections in the row of that org. */
  of(org: string): Db;
}

/** Cached handles; making another one takes microseconds. */
const CACHE_SIZE = 2_000;

/** Share of the connections reserved for work that belongs to no single org: authentication and shared statements. */
const LEFT = 0.375;

function limitsOf(poolSize: number): FairQueueLimits {
  const running = Math.max(1, Math.floor(poolSize * (1 - LEFT)));
  return {
    running,
    runningPerOrg: Math.ceil(running / 2),
    // Even then some remain, as the next org may come while all of this one wait for a lock.
    runningAlone: Math.ceil(running * 0.8),
    waiting: 4_000,
    waitingPerOrg: 1_000,
    patienceMs: 10_000,
    congestion: { afterMs: 5_000, patienceMs: 1_000 },
    congestedFrom: 32,
    heavyFromMs: 2_000,
    refusal: 'Too many requests of your org are waiting. Try again shortly',
  };
}

export function shareByOrg(db: Db, limits: Partial<FairQueueLimits> = {}): OrgShares {
  const pool = poolOf(db);
  if (!pool) throw new Error('this is a transaction, and no pool');
  const { dialect, size, query } = pool;
  const queue = createFairQueue({ ...limitsOf(size), ...limits });
  const driver = dialect.createDriver();
  const handles = new LRUCache<string, Db>({ max: CACHE_SIZE, memoMethod: open });

  function open(org: string): Db {
    return withPool(new Kysely<Tables>({ dialect: dialectWith(dialect, driverOf(org)) }), {
      ...{ dialect, size },
      query: (text, values) => queue.run(org, () => query(text, values)),
    });
  }

  function driverOf(org: string): Driver {
    const leaves = new WeakMap<DatabaseConnection, () => void>();
    return {
      init: () => driver.init(),
      async acquireConnection() {
        const leave = await queue.enter(org);
        try {
          const connection = await driver.acquireConnection();
          leaves.set(connection, leave);
          return connection;
        } catch (error) {
          leave();
          throw error;
        }
      },
      async releaseConnection(connection) {
        await driver.releaseConnection(connection);
        leaves.get(connection)?.();
      },
      beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings),
      commitTransaction: (connection) => driver.commitTransaction(connection),
      rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
      // The pool belongs to the caller.
      destroy: async () => undefined,
    };
  }

  return {
    of: (org) => handles.memo(org),
    turnsAway: queue.turnsAway,
    isLong: queue.isLong,
    figures: queue.figures,
  };
}

function dialectWith(dialect: Dialect, driver: Driver): Dialect {
  return {
    createDriver: () => driver,
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}
