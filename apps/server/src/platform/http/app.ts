import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { BlobStore } from '../blobs/blob-store.ts';
import { type Db, probe } from '../db/db.ts';
import { type OrgShares, shareByOrg } from '../db/org-shares.ts';
import { invalid, unavailable } from '../errors.ts';
import { createExportPlaces, type ExportPlaces } from '../export/export-places.ts';
import type { FairQueueLimits } from '../fair-queue.ts';
import { type LifeCheck, NEEDS_SEQUENCER } from '../journal/life-check.ts';
import type { StreamLink } from '../journal/stream.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { pause } from '../pause.ts';
import { observeQueues, type WatchQueue } from '../queue.metrics.ts';
import { type Admission, createAdmission } from './admission.ts';
import type { Caller } from './auth.ts';
import { basePathOf, withoutBase } from './base-path.ts';
import { observeBodies } from './body.metrics.ts';
import type { BodyBudget } from './body-budget.ts';
import { openBodyBudget } from './body-intake.ts';
import { BODY_LIMITS, type BodyLimits } from './body-limits.ts';
import { type CallerOrgs, createCallerOrgs } from './caller-orgs.ts';
import { type ChangeControl, createChangeControl } from './change-control.ts';
import { type CredentialUse, recordCredentialUse } from './credential-use.ts';
import { answerClientError, onError } from './errors.ts';
import { createFindCaller, createFindCallers, type FindCaller } from './find-caller.ts';
import { serveHelp } from './help.ts';
import { acceptFormFields, acceptJson } from './json-body.ts';
import { acceptForms } from './multipart.ts';
import { createOpenStreams, type OpenStreams, observeStreams, type StreamLimits } from './open-streams.ts';
import { createRateLimits, type RateLimitConfig, type RateLimits } from './rate-limit.ts';
import { requestIdOf } from './request-id.ts';
import type { StorageQuota } from './storage-quota.ts';
import { createStreamAccess, type StreamAccess } from './stream-access.ts';
import type { TlsServers } from './tls-servers.ts';
import { turnAwayEarly } from './turn-away.ts';
import { answerUnrouted } from './unrouted.ts';
import { placedAt, serveAssets } from './web-app.ts';
import type { WebFiles } from './web-files.ts';

export const API_PREFIX = '/api/v2';

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

export interface SignInConfig {
  /** Whether anyone with an email address may sign up, or only people who were invited. */
  readonly signUp: 'open' | 'invited';
  /** Attempts a minute from one address, over all API servers. */
  readonly perAddress: number;
  /** Sign-in links per account and quarter of an hour, over all API servers. */
  readonly perAccount: number;
}

/** Dependencies of every operation. What only some features need is passed to them where they are mounted. */
export interface AppParts {
  readonly db: Db;
  readonly life: LifeCheck;
  readonly blobs: BlobStore;
  /** Only to tell whether NATS answers; absent without it. */
  readonly stream?: Pick<StreamLink, 'current'> | undefined;
  /** Of evidence files, unless a contract says less or more. */
  readonly attachmentMaxBytes: number;
  /** For orgs without a quota of their own. */
  readonly storageQuota: StorageQuota;
  readonly log: Logger;
  readonly now: () => Date;
  readonly publicUrl: string;
  readonly rateLimit: RateLimitConfig;
  /** How many API servers share the limits on requests and on signing in. */
  readonly servers: () => number;
  readonly streamLimits: StreamLimits;
  /** Overrides of the default limits. */
  readonly bodyLimits?: Partial<BodyLimits>;
  readonly shareLimits?: Partial<FairQueueLimits>;
  readonly admissionLimits?: Partial<FairQueueLimits>;
  readonly trustedProxies: readonly string[];
  /** Absent when the server speaks plain HTTP, to a proxy that provides TLS. */
  readonly tls?: TlsServers | undefined;
  readonly metrics: Metrics | undefined;
  /** Absent where it was not built. */
  readonly web?: WebFiles | undefined;
  /** Called after each request that may have written, to wake the sequencer. */
  readonly onWrite: () => void;
}

/** What features mount their operations on. */
export interface App extends AppParts {
  readonly http: FastifyInstance;
  /** The path of the public URL, such as `/waymark`. Routes do not contain it. */
  readonly basePath: string;
  readonly shares: OrgShares;
  readonly admission: Admission;
  readonly allow: RateLimits;
  readonly findCaller: FindCaller;
  readonly credentialUse: CredentialUse;
  readonly callerOrgs: CallerOrgs;
  readonly changeControl: ChangeControl;
  readonly bodies: BodyBudget;
  readonly watchQueue: WatchQueue;
  readonly streams: OpenStreams;
  readonly exports: ExportPlaces;
  readonly streamAccess: StreamAccess;
  /** Aborted when the process is to end: long responses then close themselves. */
  readonly draining: AbortSignal;
  readonly drain: () => void;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

export function createApp(parts: AppParts): App {
  const basePath = basePathOf(parts.publicUrl);
  const http = fastify({
    loggerInstance: parts.log as FastifyBaseLogger,
    // One line per request, written when it is done.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 1024 * 1024,
    requestTimeout: 60_000,
    keepAliveTimeout: 75_000,
    genReqId: requestIdOf,
    trustProxy: parts.trustedProxies.length > 0 ? [...parts.trustedProxies] : false,
    exposeHeadRoutes: true,
    routerOptions: { maxParamLength: 2048 },
    rewriteUrl: ({ url = '/' }) => withoutBase(basePath, url),
    clientErrorHandler: answerClientError(basePath),
    ...(parts.tls && { serverFactory: parts.tls.factory }),
    // These fail before any hook runs.
    frameworkErrors: (error, request, reply) => void onError(error, request, reply.header('x-request-id', request.id)),
  });
  const draining = new AbortController();
  const bodies = openBodyBudget(http, { ...BODY_LIMITS, ...parts.bodyLimits });
  if (parts.metrics) observeBodies(parts.metrics, bodies);
  const watchQueue = parts.metrics ? observeQueues(parts.metrics) : () => undefined;
  const app: App = {
    ...parts,
    http,
    basePath,
    shares: shareByOrg(parts.db, parts.shareLimits),
    admission: createAdmission(parts.admissionLimits),
    allow: createRateLimits(parts.rateLimit, parts.servers),
    findCaller: createFindCaller(parts, watchQueue),
    credentialUse: recordCredentialUse(parts.db, parts.now, parts.log),
    callerOrgs: createCallerOrgs(),
    changeControl: createChangeControl(),
    bodies,
    watchQueue,
    streams: createOpenStreams(parts.streamLimits),
    exports: createExportPlaces(),
    streamAccess: createStreamAccess({ findCallers: createFindCallers(parts), now: parts.now }),
    draining: draining.signal,
    drain: () => draining.abort(),
  };

  app.watchQueue('database', app.shares.figures);
  app.watchQueue('requests', app.admission.figures);
  if (parts.metrics) observeStreams(parts.metrics, app.streams);
  http.decorateRequest('caller', null);
  acceptJson(http, bodies);
  acceptFormFields(http, bodies);
  acceptForms(http);
  http.setErrorHandler(onError);
  turnAwayEarly(http, app);
  http.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    done();
  });
  http.addHook('onRequest', (request, _reply, done) => {
    // Node uses the first of several. A proxy may use the last, and would then have checked another name.
    if (countHosts(request.raw.rawHeaders) > 1)
      done(invalid('The request has more than one Host header. Send exactly one'));
    else done();
  });
  http.addHook('onRequest', (request, _reply, done) => {
    if (READS.has(request.method)) done();
    else void refuseIfUnknown(parts.life, done);
  });
  answerUnrouted(http, parts.web && placedAt(basePath, parts.web));
  serveAssets(http, parts.web);
  serveHelp(http, parts.web, basePath);
  http.addHook('onSend', (_request, reply, _payload, done) => {
    // Otherwise a response in progress leaves an idle connection behind, and closing waits for it.
    if (draining.signal.aborted) reply.header('connection', 'close');
    done();
  });
  http.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    parts.metrics?.countRequest({
      method: request.method,
      route,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    });
    request.log.info(
      {
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        actor: request.caller?.actor.id,
      },
      'request',
    );
    done();
  });
  http.addHook('onClose', async () => {
    app.admission.stop();
    await app.credentialUse.stop();
    await parts.tls?.stop();
  });
  addHealth(app);
  return app;
}

async function refuseIfUnknown(life: LifeCheck, done: (fault?: Error) => void): Promise<void> {
  let fault: Error | undefined;
  try {
    if (!(await life.isKnown())) fault = unavailable(NEEDS_SEQUENCER);
  } catch (error) {
    fault = error as Error;
  }
  done(fault);
}

/** Names and values alternate. */
function countHosts(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host').length;
}

function addHealth(app: App): void {
  app.metrics?.observe('api_ready', '1 while this API server can serve requests', async () => [
    { value: (await findObstacle(app)) === undefined ? 1 : 0, labels: {} },
  ]);
  app.http.get('/live', (_, reply) => reply.type('text/plain').send('OK'));
  app.http.get('/ready', async (_, reply) => {
    if (app.draining.aborted) return reply.code(503).type('text/plain').send('stopping');
    const obstacle = await findObstacle(app);
    if (obstacle === undefined) return reply.type('text/plain').send('OK');
    return reply.code(503).header('retry-after', 1).type('text/plain').send(obstacle);
  });
}

/** Load balancers often time out after 5 seconds. */
const READY_WITHIN_MS = 2_500;

/** Returns what prevents this server from serving. A database that does not answer counts as missing. */
async function findObstacle(app: App): Promise<string | undefined> {
  const tooLate = new AbortController();
  const noAnswer = pause(READY_WITHIN_MS, tooLate.signal).then(() => 'the database does not respond');
  const check = async () => {
    await probe(app.db);
    return (await app.life.isKnown()) ? undefined : NEEDS_SEQUENCER;
  };
  try {
    return await Promise.race([check(), noAnswer]);
  } catch {
    return 'no database';
  } finally {
    tooLate.abort();
  }
}
