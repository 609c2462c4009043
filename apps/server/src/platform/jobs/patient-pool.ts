import pg from 'pg';
import { outliveLostConnections } from '../db/db.ts';
import { isUnavailable } from '../db/failure.ts';
import type { Logger } from '../log.ts';

/** By this code graphile-worker knows that something may succeed later. */
const CANNOT_CONNECT_NOW = '57P03';

/** Its jobs, the one that listens for them, and the schedule. */
const CONNECTIONS = 5;

function saidToBeTriedAgain(error: unknown): never {
  if (isUnavailable(error)) Object.assign(error as Error, { code: CANNOT_CONNECT_NOW });
  throw error;
}

class PatientClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg declares nine overloads of query; this passes all of them on
  override query(...args: any[]): any {
    // biome-ignore lint/suspicious/noExplicitAny: see above
    const sent = (super.query as (...args: any[]) => any).apply(this, args);
    return sent instanceof Promise ? sent.catch(saidToBeTriedAgain) : sent;
  }
}

class PatientPool extends pg.Pool {
  // biome-ignore lint/suspicious/noExplicitAny: with a callback or without
  override connect(...args: any[]): any {
    // biome-ignore lint/suspicious/noExplicitAny: see above
    const connected = (super.connect as (...args: any[]) => any).apply(this, args);
    return connected instanceof Promise ? connected.catch(saidToBeTriedAgain) : connected;
  }
}

/**
 * Connections for graphile-worker. When a job has ended it says so to the database without waiting for the answer, and
 * tries again for a few errors only. Any other one, such as a refused connection while PostgreSQL restarts, is a
 * rejection that nobody handles, and would end the process.
 */
export function openPatientPool(url: string, log: Logger): pg.Pool {
  const pool = new PatientPool({
    connectionString: url,
    max: CONNECTIONS,
    application_name: 'waymark-jobs',
    Client: PatientClient,
  } as pg.PoolConfig);
  outliveLostConnections(pool, log);
  return pool;
}
