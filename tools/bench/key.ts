import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryBlobs } from '../../apps/server/src/platform/blobs/directory-blobs.ts';
import { type Db, openDb } from '../../apps/server/src/platform/db/db.ts';
import { type App, createApp } from '../../apps/server/src/platform/http/app.ts';
import { authenticate, authorise } from '../../apps/server/src/platform/http/auth.ts';
import { credentialOf } from '../../apps/server/src/platform/http/credential.ts';
import type { CallerRow } from '../../apps/server/src/platform/http/find-caller.ts';
import { handle, handlePublic } from '../../apps/server/src/platform/http/handle.ts';
import { NO_QUOTA } from '../../apps/server/src/platform/http/storage-quota.ts';
import { createLifeCheck } from '../../apps/server/src/platform/journal/life-check.ts';
import { createLogger } from '../../apps/server/src/platform/log.ts';
import { openSandbox } from '../../apps/server/src/platform/sandbox/sandbox.ts';
import { contract, listFlows, Role } from '../../packages/contract/src/index.ts';
import { type Installation, install, serviceRoots } from './installation.ts';
import { collectGarbage } from './judge/garbage.ts';
import { compare, median, print, untilQuiet } from './rounds.ts';
import { ROUNDS, setting } from './settings.ts';

const USERS = setting('BENCH_USERS', 50_000);
const ORGS = setting('BENCH_ORGS', 10_000);
const VERIFICATIONS = setting('BENCH_VERIFICATIONS', 200_000);
const REQUESTS = setting('BENCH_REQUESTS', 20_000);
const CONCURRENCY = setting('BENCH_AT_ONCE', 64);
const CEILING_MICROSECONDS = 50;

const answer = { summary: 'Answers', tag: 'Bench', method: 'GET', status: 200, reply: Role, errors: [400] } as const;
const open = contract({ ...answer, id: 'open', path: '/open', access: 'public' });
const guarded = contract({
  ...answer,
  id: 'guarded',
  path: '/guarded/:org',
  access: 'read',
  params: listFlows.params,
});

const log = createLogger('silent');

/** The cost of authenticating and authorizing a caller: by itself, and as a share of the smallest request. */
export async function benchKey(): Promise<boolean> {
  const installation = await install();
  try {
    const key = populate(installation);
    const microseconds = await verification(key);
    print(`${microseconds.toFixed(1)} µs of processor time to verify a key; the bar is ${CEILING_MICROSECONDS} µs`);
    const reads = await comparePaths(installation, key);
    print(`${reads} read${reads === 1 ? '' : 's'} of the database for a request by key`);
    return microseconds < CEILING_MICROSECONDS && reads === 1;
  } finally {
    installation.remove();
  }
}

/** Users with a personal org and a key each, and members of two orgs. */
function populate({ admin, sql }: Installation): string {
  admin('user', 'create', 'ada', '--org', 'acme', '--role', 'admin');
  sql(`insert into org (id, name, kind, created_at)
    select md5('org-' || i)::uuid, 'org-' || i, 'shared', now() from generate_series(1, ${ORGS}) as i`);
  sql(`insert into user_account (id, login, created_at, personal_org_id)
    select md5('user-' || i)::uuid, 'user-' || i, now(), md5('org-' || 1 + i % ${ORGS})::uuid
    from generate_series(1, ${USERS}) as i`);
  sql(`insert into membership (org_id, user_id, role, created_at)
    select distinct on (1, 2) md5('org-' || 1 + (i * step) % ${ORGS})::uuid, md5('user-' || i)::uuid, 'member', now()
    from generate_series(1, ${USERS}) as i, unnest(array[1, 7]) as step`);
  sql(`insert into api_key (id, hash, user_id, description, created_at)
    select gen_random_uuid(), sha256(i::text::bytea), md5('user-' || i)::uuid, '', now()
    from generate_series(1, ${USERS}) as i`);
  sql('vacuum analyze');
  return admin('key', 'create', '--user', 'ada');
}

/** Everything done with a key except the read itself. */
async function verification(key: string): Promise<number> {
  const row: CallerRow = {
    place: 1,
    credential_id: 'c',
    actor_kind: 'user',
    actor_id: 'a',
    actor_name: 'ada',
    home_org_id: 'h',
    home_role: 'admin',
    only_org_id: null,
    purpose: 'api',
    workload: null,
    expires_at: null,
    is_suspended: false,
    made_by: 'a',
    scope: null,
    used_at: null,
    org_id: 'o',
    org_creator: null,
    role: 'admin',
    has_betas: false,
    change_control: 'off',
    members_visible: false,
    sso_enforced: false,
    full_bytes: null,
    full_rows: null,
    quota_bytes: null,
    quota_rows: null,
  };
  const found = Promise.resolve(row);
  const headers = { authorization: `Bearer ${key}` };
  const verify = async () => {
    const request = { credential: credentialOf(headers, false), access: 'read', orgName: 'acme' } as const;
    authorise(
      await authenticate(() => found, request),
      { id: 'listFlows', access: 'read', method: 'GET' },
      { path: {}, query: {} },
    );
  };
  const measured: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const each = await untilQuiet(
      [],
      () => processorTime(VERIFICATIONS, 1, verify),
      () => undefined,
    );
    // The first one warms up.
    if (round > 0) measured.push(each);
  }
  return median(measured);
}

/** Microseconds of this process for one of many. */
async function processorTime(count: number, concurrency: number, work: () => Promise<unknown>): Promise<number> {
  collectGarbage();
  const start = process.cpuUsage();
  const worker = async () => {
    for (let done = 0; done < count / concurrency; done++) await work();
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}

/** The same response with and without a credential; returns the number of reads per request with a credential. */
async function comparePaths({ databaseUrl }: Installation, key: string): Promise<number> {
  let reads = 0;
  const db = openDb({ url: databaseUrl, poolSize: 16, statementTimeoutMs: 30_000 }, log, () => {
    reads += 1;
  });
  const { app, close } = serve(db);
  const authorization = `Bearer ${key}`;
  const call = async (url: string) => {
    const { statusCode, body } = await app.http.inject({ url, headers: { authorization } });
    if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${body}`);
  };
  const side = (name: string, url: string) => ({
    name,
    measure: async () => 1_000_000 / (await processorTime(REQUESTS, CONCURRENCY, () => call(url))),
  });
  try {
    const [ours, bare] = [side('by key', '/api/v2/guarded/acme'), side('public', '/api/v2/open')];
    await ours.measure();
    await bare.measure();
    await compare({ name: 'key', ours, bare, rounds: ROUNDS, roots: serviceRoots() });
    reads = 0;
    await call('/api/v2/guarded/acme');
    return reads;
  } finally {
    await close();
  }
}

function serve(db: Db): { app: App; close: () => Promise<void> } {
  const root = mkdtempSync(join(tmpdir(), 'waymark-bench-'));
  const sandbox = openSandbox();
  const app = createApp({
    db,
    life: createLifeCheck(db, log),
    blobs: directoryBlobs({ root }),
    attachmentMaxBytes: 1,
    storageQuota: NO_QUOTA,
    log,
    now: () => new Date(),
    publicUrl: 'http://waymark.test',
    rateLimit: { perSecond: 10_000_000, burst: 10_000_000 },
    servers: () => 1,
    streamLimits: { perCredential: 20, perOrg: 500, perServer: 2_000 },
    trustedProxies: [],
    metrics: undefined,
    onWrite: () => undefined,
  });
  handlePublic(app, open, () => 'admin' as const);
  handle(app, guarded, async () => 'admin' as const);
  const close = async () => {
    await app.http.close();
    await sandbox.close();
    await db.destroy();
    rmSync(root, { recursive: true });
  };
  return { app, close };
}
