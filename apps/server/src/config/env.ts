import type { KeyObject } from 'node:crypto';
import { parseRoots } from '@waymark/time-stamps';
import type { TrustPolicy } from '@waymark/transparency';
import { readPrivateKeys } from '@waymark/verification-summary';
import type { z } from 'zod';
import type { BlobConfig } from '../platform/blobs/open-blobs.ts';
import type { DbConfig } from '../platform/db/db.ts';
import type { SignInConfig } from '../platform/http/app.ts';
import type { CertificateFiles } from '../platform/http/certificate.ts';
import type { StreamLimits } from '../platform/http/open-streams.ts';
import type { RateLimitConfig } from '../platform/http/rate-limit.ts';
import type { StorageQuota } from '../platform/http/storage-quota.ts';
import type { StreamConfig } from '../platform/journal/stream.ts';
import type { Authority } from '../platform/ledger/time-stamps/request-stamp.ts';
import { parseWitnessPolicy } from '../platform/ledger/witnesses/asked-witnesses.ts';
import type { MailConfig } from '../platform/mail/mailer.ts';
import { WEB } from '../platform/places.ts';
import type { Chromium } from '../platform/print-pdf.ts';
import { readSecretFiles } from './secret-files.ts';
import { listOf, metaOf, ServerSettings } from './settings.ts';

/** One browser or one command needs one; the jobs of a pipeline may share a key. */
export const STREAMS_PER_CREDENTIAL = 20;

export interface Config {
  readonly region: string;
  readonly publicUrl: string;
  readonly listen: { readonly host: string; readonly port: number };
  /** Absent when no port is configured for metrics. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** Absent when the server speaks plain HTTP, to a proxy that provides TLS. */
  readonly tls: CertificateFiles | undefined;
  /** Proxies that are trusted to report the caller's address. */
  readonly trustedProxies: readonly string[];
  readonly database: DbConfig;
  /** Absent when one role both migrates and serves. */
  readonly databaseOwnerUrl: string | undefined;
  /** Absent without NATS: then what follows from the journal happens within a second or two. */
  readonly stream: StreamConfig | undefined;
  readonly blobs: BlobConfig;
  readonly attachmentMaxBytes: number;
  /** For orgs without a quota of their own; null for unlimited. */
  readonly storageQuota: StorageQuota;
  /** The directory of the built web application. */
  readonly webDir: string;
  /** Path of the trusted_root.json for identities without one of their own. */
  readonly sigstoreTrustedRoot: string | undefined;
  /** The Chromium that makes PDFs, if there is one. */
  readonly chromium: Chromium | undefined;
  readonly rateLimit: RateLimitConfig;
  readonly streamLimits: StreamLimits;
  /** Of 32 bytes each, newest first; without one, no secret of a customer can be stored. */
  readonly secretKeys: readonly [Buffer, ...Buffer[]] | undefined;
  /** Without a key, checkpoints of the ledger are not signed. */
  readonly ledger: LedgerConfig;
  /** Private keys that sign verdicts, newest first; without one, they are not signed. */
  readonly statementKeys: readonly KeyObject[];
  /** Networks besides the public internet that may be called for customers, as CIDRs. */
  readonly outboundNetworks: readonly string[];
  /** Networks, addresses and domain names that are never called for customers. */
  readonly outboundDenied: readonly string[];
  /** DNS servers for calls to customers' servers; the system's resolver if there are none. */
  readonly outboundDns: readonly string[];
  readonly signIn: SignInConfig;
  /** Absent when the installation sends no mail. */
  readonly mail: MailConfig | undefined;
  readonly logLevel: string;
}

export interface LedgerConfig {
  /** The name of the region log, with which the origin of each epoch begins. */
  readonly name: string;
  /** As `waymark-server ledger key` writes them, newest first. */
  readonly keys: readonly string[];
  /** Who is asked for cosignatures; absent without witnesses. */
  readonly witnesses: TrustPolicy | undefined;
  /** Absent without time stamps. */
  readonly timeStamps: Authority | undefined;
}

/** Reports every problem at once, so that a wrong configuration is fixed in one go. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  }
}

export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const names = Object.keys(ServerSettings.shape) as (keyof ServerSettings)[];
  const mayBeFile = (name: string) => {
    const { isSecret, isText } = metaOf(name as keyof ServerSettings);
    return isSecret === true || isText === true;
  };
  const { values, problems: unread } = readSecretFiles(env, names, mayBeFile);
  const result = ServerSettings.safeParse(values);
  const problems = [
    ...unread,
    ...(result.error?.issues.map(describe) ?? []),
    ...blobProblems(values),
    ...tlsProblems(values),
    ...timeStampProblems(values),
  ];
  if (!result.success || problems.length > 0) throw new ConfigError(problems);
  return freeze(result.data);
}

function freeze(env: ServerSettings): Config {
  return Object.freeze({
    region: env.WAYMARK_REGION,
    publicUrl: env.WAYMARK_PUBLIC_URL.replace(/\/+$/, ''),
    listen: { host: env.WAYMARK_LISTEN_HOST, port: env.WAYMARK_PORT },
    metrics: metricsOf(env),
    tls: certificateFiles(env),
    trustedProxies: listOf(env.WAYMARK_TRUSTED_PROXIES),
    database: { url: env.WAYMARK_DATABASE_URL, poolSize: env.WAYMARK_DATABASE_POOL, statementTimeoutMs: 30_000 },
    databaseOwnerUrl: env.WAYMARK_DATABASE_OWNER_URL,
    stream: streamConfig(env),
    blobs: blobConfig(env),
    attachmentMaxBytes: env.WAYMARK_ATTACHMENT_MAX_BYTES,
    storageQuota: { bytes: env.WAYMARK_STORAGE_QUOTA_BYTES ?? null, rows: env.WAYMARK_STORAGE_QUOTA_ROWS ?? null },
    webDir: env.WAYMARK_WEB_DIR ?? WEB,
    sigstoreTrustedRoot: env.WAYMARK_SIGSTORE_TRUSTED_ROOT,
    chromium: chromiumOf(env),
    rateLimit: {
      perSecond: env.WAYMARK_RATE_PER_SECOND,
      burst: env.WAYMARK_RATE_BURST,
    },
    streamLimits: {
      perCredential: STREAMS_PER_CREDENTIAL,
      perOrg: env.WAYMARK_EVENT_STREAMS_PER_ORG,
      perServer: env.WAYMARK_EVENT_STREAMS,
    },
    secretKeys: secretKeysOf(env),
    ledger: ledgerConfig(env),
    statementKeys: env.WAYMARK_STATEMENT_KEY === undefined ? [] : readPrivateKeys(env.WAYMARK_STATEMENT_KEY),
    outboundNetworks: listOf(env.WAYMARK_OUTBOUND_NETWORKS),
    outboundDenied: listOf(env.WAYMARK_OUTBOUND_DENIED),
    outboundDns: listOf(env.WAYMARK_OUTBOUND_DNS),
    signIn: {
      signUp: env.WAYMARK_SIGN_UP,
      perAddress: env.WAYMARK_SIGN_IN_PER_ADDRESS,
      perAccount: env.WAYMARK_SIGN_IN_PER_ACCOUNT,
    },
    mail: mailConfig(env),
    logLevel: env.WAYMARK_LOG_LEVEL,
  });
}

function streamConfig({
  WAYMARK_NATS_URL: urls,
  WAYMARK_NATS_STREAM: name,
  WAYMARK_NATS_REPLICAS: replicas,
  WAYMARK_REGION: region,
}: ServerSettings) {
  return urls === undefined ? undefined : { urls: listOf(urls), name, region, replicas };
}

type Of<Name extends keyof ServerSettings> = Pick<ServerSettings, Name>;

export function metricsOf({
  WAYMARK_METRICS_HOST: host,
  WAYMARK_METRICS_PORT: port,
}: Of<'WAYMARK_METRICS_HOST' | 'WAYMARK_METRICS_PORT'>): Config['metrics'] {
  return port === undefined ? undefined : { host, port };
}

export function tlsProblems(env: Readonly<Record<string, string | undefined>>): string[] {
  const [set, ...others] = ['WAYMARK_TLS_CERT', 'WAYMARK_TLS_KEY'].filter((name) => env[name]);
  if (set === undefined || others.length > 0) return [];
  return [`${set} is set without its counterpart: a certificate and its key belong together, so set both or neither`];
}

export function certificateFiles({
  WAYMARK_TLS_CERT: cert,
  WAYMARK_TLS_KEY: key,
}: Of<'WAYMARK_TLS_CERT' | 'WAYMARK_TLS_KEY'>): Config['tls'] {
  return cert && key ? { cert, key } : undefined;
}

function blobProblems(env: Readonly<Record<string, string | undefined>>): string[] {
  const places = ['WAYMARK_BLOB_DIR', 'WAYMARK_S3_BUCKET'].filter((name) => env[name]);
  if (places.length === 2) return ['WAYMARK_BLOB_DIR and WAYMARK_S3_BUCKET are mutually exclusive: set only one'];
  if (places.length === 0) return ['WAYMARK_BLOB_DIR or WAYMARK_S3_BUCKET is required'];
  return [];
}

function blobConfig(env: ServerSettings): BlobConfig {
  if (!env.WAYMARK_S3_BUCKET) return { kind: 'directory', root: env.WAYMARK_BLOB_DIR ?? '' };
  return {
    kind: 's3',
    bucket: env.WAYMARK_S3_BUCKET,
    region: env.WAYMARK_S3_REGION,
    ...(env.WAYMARK_S3_ENDPOINT && { endpoint: env.WAYMARK_S3_ENDPOINT, forcePathStyle: true }),
    ...(env.WAYMARK_S3_ACCESS_KEY && { accessKey: env.WAYMARK_S3_ACCESS_KEY }),
    ...(env.WAYMARK_S3_SECRET_KEY && { secretKey: env.WAYMARK_S3_SECRET_KEY }),
    ...(env.WAYMARK_S3_OBJECT_LOCK_DAYS && { objectLockDays: env.WAYMARK_S3_OBJECT_LOCK_DAYS }),
  };
}

function chromiumOf({
  WAYMARK_CHROMIUM: path,
  WAYMARK_CHROMIUM_SANDBOX: sandbox,
}: ServerSettings): Chromium | undefined {
  return path === undefined ? undefined : { path, isSandboxed: sandbox === 'on' };
}

function mailConfig(env: ServerSettings): MailConfig | undefined {
  if (env.WAYMARK_SMTP_URL === undefined) return undefined;
  const { hostname } = new URL(env.WAYMARK_PUBLIC_URL);
  return { url: env.WAYMARK_SMTP_URL, from: env.WAYMARK_MAIL_FROM ?? `Waymark <waymark@${hostname}>` };
}

function ledgerConfig(env: ServerSettings): LedgerConfig {
  const { host, pathname } = new URL(env.WAYMARK_PUBLIC_URL);
  const byAddress = `${host}${pathname.replace(/\/+$/, '')}/${env.WAYMARK_REGION}`;
  const { WAYMARK_LEDGER_TIME_STAMP_URL: url, WAYMARK_LEDGER_TIME_STAMP_CA: roots } = env;
  return {
    name: env.WAYMARK_LEDGER_NAME ?? byAddress,
    keys: listOf(env.WAYMARK_LEDGER_KEY),
    witnesses:
      env.WAYMARK_LEDGER_WITNESSES === undefined ? undefined : parseWitnessPolicy(env.WAYMARK_LEDGER_WITNESSES),
    timeStamps: url && roots ? { url, roots: parseRoots(roots) } : undefined,
  };
}

function timeStampProblems(env: Readonly<Record<string, string | undefined>>): string[] {
  const names = ['WAYMARK_LEDGER_TIME_STAMP_URL', 'WAYMARK_LEDGER_TIME_STAMP_CA'];
  const [set, ...others] = names.filter((name) => env[name]);
  if (set === undefined || others.length > 0) return [];
  return [`${set} is set without its counterpart: an authority counts only with its root certificates, so set both`];
}

function secretKeysOf(env: ServerSettings): Config['secretKeys'] {
  const [newest, ...older] = listOf(env.WAYMARK_SECRET_KEY).map((key) => Buffer.from(key, 'base64'));
  return newest && [newest, ...older];
}

export function describe(issue: z.core.$ZodIssue): string {
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  return `${issue.path.join('.')} ${missing ? 'is required' : issue.message}`;
}
