import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { inject, onTestFinished } from 'vitest';
import { endpoints } from '../../../../tools/services/endpoints.ts';
import { findFreePort } from '../../../../tools/services/port.ts';
import { createKey } from '../../src/features/api-keys/api-key.service.ts';
import { createOrg } from '../../src/features/orgs/org.service.ts';
import { ensureServiceAccount } from '../../src/features/service-accounts/service-account.service.ts';
import { type Ctx, systemCtx } from '../../src/platform/ctx.ts';
import { type Db, openDb } from '../../src/platform/db/db.ts';
import type { StreamConfig } from '../../src/platform/journal/stream.ts';
import { createDatabase, serverUrlOf } from '../databases.ts';
import { noLog } from '../harness.ts';
import { type AtEnd, type ServerProcess, startServer } from './processes.ts';

export interface Org {
  readonly id: string;
  readonly name: string;
  /** Of a service account that may write. */
  readonly key: string;
}

/** A separate database, stream and address; the test starts and kills the servers on them. */
export interface Installation {
  readonly db: Db;
  readonly ctx: Ctx;
  readonly databaseUrl: string;
  readonly stream: StreamConfig;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  startApi(): Promise<ServerProcess>;
  startWorker(): Promise<ServerProcess>;
}

export async function givenInstallation(
  services: { databaseUrl?: string; natsUrl?: string; env?: Readonly<Record<string, string>>; atEnd?: AtEnd } = {},
): Promise<Installation> {
  const { atEnd = onTestFinished } = services;
  const databaseUrl = services.databaseUrl ?? (await createDatabase(inject('templateDatabase'))).url;
  const natsUrl = services.natsUrl ?? endpoints().natsUrl;
  const stream = { urls: [natsUrl], name: `faults_${randomHex()}`, region: 'eu', replicas: 1 };
  if (!services.natsUrl) atEnd(() => deleteStream(stream.name));
  const db = openDb({ url: databaseUrl, poolSize: 8, statementTimeoutMs: 30_000 }, noLog);
  atEnd(() => db.destroy());

  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    WAYMARK_REGION: 'eu',
    WAYMARK_PUBLIC_URL: url,
    WAYMARK_PORT: String(port),
    WAYMARK_DATABASE_URL: services.databaseUrl ?? serverUrlOf(databaseUrl),
    WAYMARK_NATS_URL: natsUrl,
    WAYMARK_NATS_STREAM: stream.name,
    WAYMARK_BLOB_DIR: join(tmpdir(), stream.name),
    WAYMARK_RATE_PER_SECOND: '100000',
    WAYMARK_RATE_BURST: '100000',
    ...services.env,
  };
  return {
    db,
    ctx: systemCtx(db, '', 'faults', noLog),
    databaseUrl,
    stream,
    url,
    env,
    startApi: () =>
      startServer(['api'], { ...env, WAYMARK_LOG_LEVEL: 'warn' }, async () => (await readiness(url)) === '200', atEnd),
    startWorker: () => startServer(['worker'], env, (worker) => worker.log().includes('worker runs'), atEnd),
  };
}

export async function givenOrgs(ctx: Ctx, count: number): Promise<Org[]> {
  const orgs: Org[] = [];
  for (let i = 1; i <= count; i++) orgs.push(await givenOrg(ctx, `org-${i}`));
  return orgs;
}

export async function givenOrg(ctx: Ctx, name: string, creatingUser?: string): Promise<Org> {
  const id = await createOrg(ctx, { name, kind: 'shared', ...(creatingUser && { creatingUser }) });
  const inOrg = { ...ctx, org: id };
  const account = await ensureServiceAccount(inOrg, { name: 'ci', privilege: 'member' });
  const owner = { kind: 'service_account' as const, id: account.id, name: 'ci' };
  const key = await createKey(inOrg, { owner, description: 'faults', expiresAt: null, regionLetter: 'e' });
  return { id, name, key: key.text };
}

/** The status of `/ready`, or `refused`. */
export async function readiness(url: string): Promise<string> {
  try {
    const response = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(5_000) });
    await response.text();
    return String(response.status);
  } catch {
    return 'refused';
  }
}

async function deleteStream(name: string): Promise<void> {
  const connection = await connect({ servers: endpoints().natsUrl });
  const { streams } = await jetstreamManager(connection);
  const made = await streams.names(`${name}.>`).next();
  if (made.length > 0) await streams.delete(name);
  await connection.close();
}

function randomHex(): string {
  return randomBytes(4).toString('hex');
}
