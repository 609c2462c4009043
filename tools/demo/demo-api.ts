import { type ApiParts, buildApi } from '../../apps/server/src/app/api.ts';
import { createListeners } from '../../apps/server/src/features/activity/feed/listeners.ts';
import { type BlobConfig, openBlobs } from '../../apps/server/src/platform/blobs/open-blobs.ts';
import { type Db, openDb } from '../../apps/server/src/platform/db/db.ts';
import { NO_QUOTA } from '../../apps/server/src/platform/http/storage-quota.ts';
import type { WebFiles } from '../../apps/server/src/platform/http/web-files.ts';
import { createLifeCheck } from '../../apps/server/src/platform/journal/life-check.ts';
import { NO_WITNESSES } from '../../apps/server/src/platform/ledger/witness-policy.ts';
import { createLogger, type Logger } from '../../apps/server/src/platform/log.ts';
import type { Mail, Mailer } from '../../apps/server/src/platform/mail/mailer.ts';
import { createGuardedFetch, type GuardedFetch } from '../../apps/server/src/platform/outbound/guarded-fetch.ts';
import { openSandbox } from '../../apps/server/src/platform/sandbox/sandbox.ts';
import { openSecretBox, type SecretBox } from '../../apps/server/src/platform/secret-box.ts';
import { type Contract, fillPath, type Reply } from '../../packages/contract/src/index.ts';
import type { Attachment } from './evidence/files.ts';
import { ORG } from './shop.ts';

export interface DemoInstallation {
  readonly databaseUrl: string;
  /** Where evidence files are stored. */
  readonly blobs: BlobConfig;
  /** 32 bytes; the installation that serves the demo afterwards needs the same. */
  readonly secretKey: Buffer;
  readonly publicUrl: string;
  /** For a browser. */
  readonly web?: WebFiles | undefined;
  /** What the ledger is called, and its witnesses. */
  readonly ledger?: ApiParts['ledger'];
}

type Input<Schema> = Schema extends { readonly _zod: { readonly input: infer In } } ? In : undefined;

interface Call<C extends Contract> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Input<C['body']>;
  /** Sent with the body as a form. */
  readonly file?: Attachment;
}

/** The API without a port, with a clock that the caller moves. */
export interface DemoApi {
  readonly db: Db;
  readonly log: Logger;
  readonly box: SecretBox;
  readonly publicUrl: string;
  readonly outbound: GuardedFetch;
  /** Stores all mail. */
  readonly mailer: Mailer;
  readonly mails: readonly Mail[];
  readonly clock: { now: Date };
  readonly now: () => Date;
  /** Throws unless it succeeds. */
  call<C extends Contract>(key: string, contract: C, call?: Call<C>): Promise<Reply<C>>;
  /** The same, but returns the status. */
  ask<C extends Contract>(key: string, contract: C, call?: Call<C>): Promise<{ status: number; body: Reply<C> }>;
  listen(port: number): Promise<void>;
  /** Writes deferred updates, such as when environments reported. */
  close(): Promise<void>;
}

/** The settings of `pnpm demo`. With permitted hosts, names need not be public. */
const NETWORKS = ['127.0.0.0/8'];

export function openDemoApi(installation: DemoInstallation, startsAt: Date): DemoApi {
  const log = createLogger('silent');
  const db = openDb({ url: unhurried(installation.databaseUrl), poolSize: 12, statementTimeoutMs: 60_000 }, log);
  const clock = { now: startsAt };
  const now = () => clock.now;
  const sandbox = openSandbox();
  const box = openSecretBox(installation.secretKey);
  const outbound = createGuardedFetch({ allowedNetworks: NETWORKS });
  const { mailer, mails } = keepingMailer();
  const app = buildApi(
    {
      db,
      life: createLifeCheck(db, log),
      blobs: openBlobs(installation.blobs),
      attachmentMaxBytes: 10 * 1024 * 1024,
      storageQuota: NO_QUOTA,
      sandbox,
      log,
      metrics: undefined,
      now,
      publicUrl: installation.publicUrl,
      regionLetter: 'e',
      outbound,
      outboundNetworks: NETWORKS,
      mailer: undefined,
      secretBox: box,
      ledger: installation.ledger ?? { name: 'waymark.demo/eu', witnesses: NO_WITNESSES },
      signIn: { signUp: 'invited', perAddress: 1_000, perAccount: 1_000 },
      trustedProxies: [],
      rateLimit: { perSecond: 100_000, burst: 100_000 },
      servers: () => 1,
      streamLimits: { perCredential: 20, perOrg: 500, perServer: 2_000 },
      onWrite: () => undefined,
      web: installation.web,
    },
    createListeners(),
  );
  const ask: DemoApi['ask'] = async (key, contract, call = {}) => {
    const response = await app.http.inject(await toRequest(key, contract, call));
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return { status: response.statusCode, body: (isJson ? response.json() : response.body) as never };
  };
  return {
    db,
    log,
    box,
    publicUrl: installation.publicUrl,
    outbound,
    mailer,
    mails,
    clock,
    now,
    ask,
    async call(key, contract, call) {
      let { status, body } = await ask(key, contract, call);
      for (let again = 0; again < TRIES && isOutOfTime(status, body); again++) {
        ({ status, body } = await ask(key, contract, call));
      }
      if (status < 300) return body;
      throw new Error(`${contract.id} of the demo was refused with ${status}: ${JSON.stringify(body)}`);
    },
    async listen(port) {
      await app.http.listen({ host: '127.0.0.1', port });
    },
    async close() {
      app.drain();
      await app.http.close();
      await sandbox.close();
      await db.destroy();
    },
  };
}

const TRIES = 5;

/** On a busy machine the sandbox may exceed its time limit. */
function isOutOfTime(status: number, body: unknown): boolean {
  return status === 503 || (status === 400 && /more time/.test(JSON.stringify(body)));
}

/** A lost history is made again, so no commit waits for the disk. */
function unhurried(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', '-c jit=off -c synchronous_commit=off');
  return url.href;
}

async function toRequest<C extends Contract>(key: string, contract: C, call: Call<C>) {
  const params: Readonly<Record<string, string>> = { org: ORG, ...call.params };
  const path = fillPath(contract, (name) => encodeURIComponent(params[name] ?? ''));
  const search = call.query ? `?${new URLSearchParams(call.query)}` : '';
  const headers = {
    authorization: `Bearer ${key}`,
    ...(contract.beta && { 'waymark-beta': contract.beta }),
  };
  const request = { method: contract.method, url: `/api/v2${path}${search}` };
  if (!call.file) return { ...request, headers, ...(call.body !== undefined && { payload: call.body as object }) };
  const form = await formOf(contract, call.body, call.file);
  return { ...request, headers: { ...headers, 'content-type': form.type }, payload: form.bytes };
}

async function formOf(contract: Contract, body: unknown, file: Attachment) {
  if (!contract.form) throw new Error(`${contract.id} takes no file`);
  const form = new FormData();
  form.append(contract.form.json, JSON.stringify(body));
  form.append(contract.form.file.name, new Blob([file.content]), file.name);
  const encoded = new Response(form);
  return { type: encoded.headers.get('content-type') ?? '', bytes: Buffer.from(await encoded.arrayBuffer()) };
}

function keepingMailer(): { mailer: Mailer; mails: readonly Mail[] } {
  const mails: Mail[] = [];
  const mailer: Mailer = {
    send(mail) {
      mails.push(mail);
      return Promise.resolve({ response: '250 kept' });
    },
    figures: () => ({ running: 0, waiting: 0, admitted: 0, refused: 0, waitedSeconds: 0 }),
    close: () => undefined,
  };
  return { mailer, mails };
}
