import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Db } from '../../../src/platform/db/db.ts';
import { statementNames, unpreparedNames } from '../../../src/platform/db/statement-names.ts';
import type { Tables } from '../../../src/platform/db/tables.ts';
import type { PlanNode } from './costly.ts';

/** An executed query. */
export interface Explained {
  /** Its name in messages: as declared, or the beginning of its text. */
  readonly name: string;
  /** The name it is declared under. */
  readonly statement: string | undefined;
  readonly isPrepared: boolean;
  readonly plan: PlanNode;
}

export interface Explainer {
  /** Runs the work in a transaction that is rolled back, and returns the plan of each of its queries. */
  explain(work: (db: Db) => Promise<unknown>): Promise<Explained[]>;
  close(): Promise<void>;
}

interface Session {
  readonly db: Db;
  /** Since the last call. */
  taken(): { plans: Explained[]; queries: CompiledQuery[] };
}

class RolledBack extends Error {}

/**
 * Explains what the code runs, not a copy of it. A declared statement is prepared, and PostgreSQL may plan it once for
 * all parameters: it is run a second time that way.
 */
export function openExplainer(url: string): Explainer {
  const asSent = openSession(url, 'force_custom_plan');
  const asPrepared = openSession(url, 'force_generic_plan');
  return {
    async explain(work) {
      // Failed work may have left something.
      asSent.taken();
      asPrepared.taken();
      await rolledBack(asSent.db, work);
      const { plans, queries } = asSent.taken();
      await rolledBack(asPrepared.db, async (db) => {
        for (const query of queries) if (!isControl(query.sql)) await db.executeQuery(query);
      });
      const prepared = asPrepared.taken().plans.filter(({ isPrepared }) => isPrepared);
      return [...plans, ...prepared.map((plan) => ({ ...plan, name: `${plan.name}, prepared` }))];
    },
    async close() {
      await asSent.db.destroy();
      await asPrepared.db.destroy();
    },
  };
}

/** One connection that sends its plans as notices. */
function openSession(url: string, planCacheMode: string): Session {
  let plans: Explained[] = [];
  let queries: CompiledQuery[] = [];
  const pool = new pg.Pool({ connectionString: url, max: 1, options: '-c jit=off' });
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '' }) => {
      const plan = /plan:\n([\s\S]*)$/.exec(message)?.[1];
      if (plan) plans.push(toExplained(JSON.parse(plan) as { 'Query Text': string; Plan: PlanNode }));
    });
    void client.query(`
      load 'auto_explain';
      set auto_explain.log_min_duration = 0;
      set auto_explain.log_analyze = on;
      set auto_explain.log_timing = off;
      set auto_explain.log_format = json;
      set auto_explain.log_level = notice;
      set plan_cache_mode = ${planCacheMode}`);
  });
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ level, query }) => {
      if (level === 'query') queries.push(query);
    },
  });
  const taken = () => {
    const all = { plans, queries };
    plans = [];
    queries = [];
    return all;
  };
  return { db, taken };
}

function toExplained({ 'Query Text': text, Plan }: { 'Query Text': string; Plan: PlanNode }): Explained {
  const statement = statementNames.get(text) ?? unpreparedNames.get(text);
  return {
    name: statement ?? text.replaceAll(/\s+/g, ' ').trim().slice(0, 100),
    statement,
    isPrepared: statementNames.has(text),
    plan: Plan,
  };
}

async function rolledBack(db: Db, work: (db: Db) => Promise<unknown>): Promise<void> {
  const done = db.transaction().execute(async (trx) => {
    await work(trx);
    throw new RolledBack();
  });
  await done.catch((error: unknown) => {
    if (!(error instanceof RolledBack)) throw error;
  });
}

function isControl(text: string): boolean {
  return /^(begin|commit|rollback|start transaction)\b/i.test(text);
}
