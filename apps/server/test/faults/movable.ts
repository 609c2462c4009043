import { expect } from 'vitest';
import type { Db } from '../../src/platform/db/db.ts';
import { NEEDS_SEQUENCER } from '../../src/platform/journal/life-check.ts';
import { type Installation, type Org, readiness } from './installation.ts';
import { putFlow } from './load.ts';
import { givenProxyTo, type LossyProxy } from './lossy-proxy.ts';
import { type ServerProcess, startServer } from './processes.ts';

const PATIENCE_MS = 180_000;

/** An API server and a worker whose way to the database can lead to another copy of it. */
export interface Movable {
  readonly env: Readonly<Record<string, string>>;
  readonly proxy: LossyProxy;
  readonly worker: ServerProcess;
  /** Writes are refused, because nobody has recorded where the database is now. */
  untilRefused(org: Org): Promise<void>;
  untilReady(): Promise<void>;
}

export async function givenMovable(site: Installation): Promise<Movable> {
  const target = new URL(site.env['WAYMARK_DATABASE_URL'] ?? '');
  const proxy = await givenProxyTo({ host: target.hostname, port: Number(target.port) });
  target.port = String(proxy.port);
  const env = { ...site.env, WAYMARK_DATABASE_URL: target.href };
  await startServer(['api'], env, async () => (await readiness(site.url)) === '200');
  const worker = await startServer(['worker'], env, (worker) => worker.log().includes('worker runs'));
  return {
    env,
    proxy,
    worker,
    async untilRefused(org) {
      const refusal = { status: 503, body: { message: NEEDS_SEQUENCER, request_id: expect.any(String) } };
      await expect.poll(() => put(site.url, org, 'refused'), { timeout: PATIENCE_MS }).toEqual(refusal);
    },
    untilReady: () => expect.poll(() => readiness(site.url), { timeout: PATIENCE_MS }).toBe('200'),
  };
}

export async function put(url: string, org: Org, name: string): Promise<{ status: number; body: unknown }> {
  const answer = await putFlow(url, org, { name });
  return { status: answer.status, body: (await answer.json()) as unknown };
}

export async function lifeOf(db: Db): Promise<number> {
  const { life } = await db.selectFrom('sequencer').select('life').executeTakeFirstOrThrow();
  return life;
}
