import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contract, Reply, Role } from '@waymark/contract';
import { fillPath, roles } from '@waymark/contract';
import type { InjectOptions } from 'fastify';
import { pino } from 'pino';
import { afterAll, inject } from 'vitest';
import type { z } from 'zod';
import { type ApiParts, buildApi } from '../src/app/api.ts';
import { createListeners, type Listeners } from '../src/features/activity/feed/listeners.ts';
import { createKey } from '../src/features/api-keys/api-key.service.ts';
import { setMembership } from '../src/features/memberships/membership.service.ts';
import { createUser } from '../src/features/memberships/sign-up.service.ts';
import { createOrg } from '../src/features/orgs/org.service.ts';
import { type Difference, replayDecisions } from '../src/features/runtime-verdicts/replay.reads.ts';
import { ensureServiceAccount } from '../src/features/service-accounts/service-account.service.ts';
import { directoryBlobs } from '../src/platform/blobs/directory-blobs.ts';
import { type Ctx, systemCtx } from '../src/platform/ctx.ts';
import { type Db, openDb } from '../src/platform/db/db.ts';
import type { App } from '../src/platform/http/app.ts';
import { NO_QUOTA } from '../src/platform/http/storage-quota.ts';
import { createLifeCheck } from '../src/platform/journal/life-check.ts';
import { NO_WITNESSES } from '../src/platform/ledger/witness-policy.ts';
import type { Logger } from '../src/platform/log.ts';
import { createGuardedFetch } from '../src/platform/outbound/guarded-fetch.ts';
import { openSandbox } from '../src/platform/sandbox/sandbox.ts';
import { openSecretBox } from '../src/platform/secret-box.ts';
import { createDatabase, serverUrlOf } from './databases.ts';
import { createOrgCheck, type OrgCheck, orgTablesOf } from './org-queries.ts';

export const noLog = pino({ level: 'silent' });

/** An org with one key for each role, made the way an operator would. */
export interface TestOrg {
  readonly id: string;
  readonly name: string;
  readonly keys: Readonly<Record<Role, string>>;
}

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Body;
}

interface Call<C extends Contract> {
  params?: Record<string, string>;
  query?: Record<string, string | string[]>;
  body?: C['body'] extends z.ZodType ? z.input<C['body']> : unknown;
  headers?: Record<string, string>;
  key?: string;
}

export interface TestApi {
  /** As the server uses it: with a role that may change no table. */
  readonly db: Db;
  readonly url: string;
  /** With the role that owns the tables. */
  readonly owner: Db;
  readonly ownerUrl: string;
  readonly app: App;
  /** The parts it was built from. */
  readonly parts: ApiParts;
  readonly listeners: Listeners;
  /** Where the evidence files are. */
  readonly blobRoot: string;
  /** Moved by tests; nothing sleeps. */
  readonly clock: { now: Date };
  /**
   * Calls an operation as the admin of `org` with the beta opt-in header, unless overridden. Bodies are not checked
   * here.
   */
  call<C extends Contract>(contract: C, call?: Call<C>): Promise<Answer<Reply<C>>>;
  inject(options: InjectOptions): Promise<Answer<unknown>>;
  readonly org: TestOrg;
  givenOrg(name: string): Promise<TestOrg>;
  /** The journal entries, oldest first. */
  journal(org?: TestOrg): Promise<{ type: string; subject_seq: number; payload: unknown; actor: string }[]>;
}

/** A server over a separate database, for one test file. */
export async function startApi(
  options: {
    rateLimit?: App['rateLimit'];
    streamLimits?: App['streamLimits'];
    /** Sees the text of every query. */
    onQuery?: (text: string) => void;
    signIn?: ApiParts['signIn'];
    ledger?: ApiParts['ledger'];
    statementKeys?: ApiParts['statementKeys'];
    log?: Logger;
    publicUrl?: string;
    mailer?: ApiParts['mailer'];
    servers?: App['servers'];
    metrics?: App['metrics'];
    web?: App['web'];
    chromium?: ApiParts['chromium'];
    storageQuota?: App['storageQuota'];
    bodyLimits?: App['bodyLimits'];
    shareLimits?: App['shareLimits'];
    admissionLimits?: App['admissionLimits'];
    trustedProxies?: App['trustedProxies'];
  } = {},
): Promise<TestApi> {
  const { url: ownerUrl } = await createDatabase(inject('templateDatabase'));
  const url = serverUrlOf(ownerUrl);
  const violations: string[] = [];
  let withoutOrg: OrgCheck = () => undefined;
  const db = openDb({ url, poolSize: 16, statementTimeoutMs: 30_000 }, noLog, (text) => {
    options.onQuery?.(text);
    const violation = withoutOrg(text);
    if (violation) violations.push(violation);
  });
  const owner = openDb({ url: ownerUrl, poolSize: 4, statementTimeoutMs: 0 }, noLog);
  withoutOrg = createOrgCheck(await orgTablesOf(db));
  const clock = { now: new Date() };
  const blobRoot = await mkdtemp(join(tmpdir(), 'waymark-api-blobs-'));
  const listeners = createListeners();
  const sandbox = openSandbox();
  const parts: ApiParts = {
    db,
    life: createLifeCheck(db, noLog),
    blobs: directoryBlobs({ root: blobRoot }),
    attachmentMaxBytes: 10 * 1024 * 1024,
    storageQuota: options.storageQuota ?? NO_QUOTA,
    sandbox,
    log: options.log ?? noLog,
    metrics: options.metrics,
    now: () => clock.now,
    publicUrl: options.publicUrl ?? 'http://waymark.test',
    regionLetter: 'e',
    outbound: createGuardedFetch({ allowedNetworks: ['127.0.0.0/8'] }),
    outboundNetworks: ['127.0.0.0/8'],
    mailer: options.mailer,
    web: options.web,
    chromium: options.chromium,
    secretBox: openSecretBox(Buffer.alloc(32, 7)),
    signIn: options.signIn ?? { signUp: 'invited', perAddress: 100_000, perAccount: 100_000 },
    ledger: options.ledger ?? { name: 'waymark.test/eu', witnesses: NO_WITNESSES },
    statementKeys: options.statementKeys ?? [],
    // Tests call `app.bodies.tick`, so that a busy machine ends no body.
    bodyLimits: { tickMs: 0, ...options.bodyLimits },
    // A busy machine must not make anyone time out either.
    shareLimits: { patienceMs: 60_000, congestion: { afterMs: 60_000, patienceMs: 60_000 }, ...options.shareLimits },
    admissionLimits: {
      patienceMs: 60_000,
      runningPerOrg: 1_000,
      runningAlone: 1_000,
      runningOfLight: 1_000,
      runningOfHeaviest: 1_000,
      ...options.admissionLimits,
    },
    trustedProxies: options.trustedProxies ?? [],
    // The clock does not advance, so buckets never refill: more than any test uses.
    rateLimit: options.rateLimit ?? { perSecond: 1e9, burst: 1e9 },
    servers: options.servers ?? (() => 1),
    streamLimits: options.streamLimits ?? { perCredential: 20, perOrg: 500, perServer: 2_000 },
    onWrite: () => undefined,
  };
  const app = buildApi(parts, listeners);
  const ctx = systemCtx(db, '', 'tests', noLog);
  const org = await givenOrg(ctx, 'acme');

  afterAll(async () => {
    app.drain();
    await app.http.close();
    await sandbox.close();
    const differences: Difference[] = [];
    await replayDecisions(db, { onDifference: (difference) => differences.push(difference) });
    await db.destroy();
    await owner.destroy();
    await rm(blobRoot, { recursive: true });
    if (violations.length > 0) throw new Error(`queries that do not name org_id:\n${violations.join('\n')}`);
    const [first] = differences;
    if (first) throw new Error(`${differences.length} differences in replayed decisions:\n${JSON.stringify(first)}`);
  });

  const send = async (request: InjectOptions): Promise<Answer<never>> => {
    const response = await app.http.inject(request);
    const isJson = /^application\/(scim\+)?json/.test(String(response.headers['content-type']));
    return {
      status: response.statusCode,
      headers: response.headers,
      body: (isJson ? response.json() : response.body) as never,
    };
  };
  return {
    blobRoot,
    db,
    url,
    owner,
    ownerUrl,
    app,
    parts,
    listeners,
    clock,
    org,
    givenOrg: (name) => givenOrg(ctx, name),
    inject: send,
    call: (contract, call = {}) => send(requestFor(contract, { org: org.name, ...call.params }, call, org.keys.admin)),
    async journal(of = org) {
      const rows = await db
        .selectFrom('journal')
        .select(['type', 'subject_seq', 'payload', 'actor_name'])
        .where('org_id', '=', of.id)
        .orderBy('seq')
        .execute();
      return rows.map((row) => ({
        type: row.type,
        subject_seq: row.subject_seq,
        payload: JSON.parse(row.payload ?? 'null') as unknown,
        actor: row.actor_name,
      }));
    },
  };
}

function requestFor(
  contract: Contract,
  params: Record<string, string>,
  call: Call<Contract>,
  adminKey: string,
): InjectOptions {
  const path = fillPath(contract, (name) => encodeURIComponent(params[name] ?? `no-${name}`));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {}))
    for (const item of [value].flat()) search.append(name, item);
  const key = call.key ?? adminKey;
  return {
    method: contract.method,
    url: `/api/v2${path}${search.size > 0 ? `?${search}` : ''}`,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(contract.beta && { 'waymark-beta': contract.beta }),
      ...call.headers,
    },
    ...(call.body !== undefined && { payload: call.body as object }),
  };
}

async function givenOrg(ctx: Ctx, name: string): Promise<TestOrg> {
  const id = await createOrg(ctx, { name, kind: 'shared' });
  const inOrg = { ...ctx, org: id };
  const keys: Partial<Record<Role, string>> = {};
  for (const role of roles) {
    const login = `${name}-${role}`;
    if (role === 'admin') {
      const user = await createUser(ctx, { login, displayName: null, email: null });
      await setMembership(inOrg, user, role, 'script');
      keys[role] = await keyOf({ ...ctx, org: user.personalOrg }, 'user', user.id, login);
    } else {
      const account = await ensureServiceAccount(inOrg, { name: role, privilege: role });
      keys[role] = await keyOf(inOrg, 'service_account', account.id, role);
    }
  }
  return { id, name, keys: keys as Record<Role, string> };
}

async function keyOf(ctx: Ctx, kind: 'user' | 'service_account', id: string, name: string): Promise<string> {
  const key = { owner: { kind, id, name }, description: 'test', expiresAt: null, regionLetter: 'e' };
  return (await createKey(ctx, key)).text;
}
