import { type Config, loadConfig } from '../../config/env.ts';
import { findOrgByName } from '../../features/orgs/org.reads.ts';
import { type Ctx, systemCtx } from '../../platform/ctx.ts';
import { type Db, type DbConfig, openDb } from '../../platform/db/db.ts';
import { Problem } from '../../platform/errors.ts';
import { start } from '../start.ts';

/** Opens the database for one command and closes it again. */
export async function withDb<T>(
  work: (db: Db, ctx: Ctx, config: Config) => Promise<T>,
  limits: Partial<Pick<DbConfig, 'poolSize' | 'statementTimeoutMs'>> = {},
): Promise<T> {
  const { config, log } = start(loadConfig);
  const db = openDb({ ...config.database, poolSize: 2, statementTimeoutMs: 0, ...limits }, log);
  try {
    return await work(db, systemCtx(db, '', 'waymark-server', log), config);
  } finally {
    await db.destroy();
  }
}

export async function orgIdOf(db: Db, name: string): Promise<string> {
  const org = await findOrgByName(db, name);
  if (!org) throw unknown('org', name);
  return org.id;
}

/** For what belongs to the installation and no org. */
export function unknown(kind: string, name: string): Problem {
  return new Problem('not_found', `There is no ${kind} '${name}'`);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
