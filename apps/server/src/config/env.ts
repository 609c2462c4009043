import { z } from 'zod';
import type { BlobConfig } from '../platform/blobs/open-blobs.ts';
import type { DbConfig } from '../platform/db/db.ts';
import type { SignInConfig } from '../platform/http/app.ts';
import type { StreamLimits } from '../platform/http/open-streams.ts';
import type { RateLimitConfig } from '../platform/http/rate-limit.ts';
import type { StorageQuota } from '../platform/http/storage-quota.ts';
import type { StreamConfig } from '../platform/journal/stream.ts';
import type { MailConfig } from '../platform/mail/mailer.ts';
import { parseDenied } from '../platform/outbound/denied.ts';
import { parseNetworks } from '../platform/outbound/public-address.ts';
import { parseDnsServers } from '../platform/outbound/resolve-name.ts';
import { WEB } from '../platform/places.ts';
import type { Chromium } from '../platform/print-pdf.ts';

/** One browser or one command needs one; the jobs of a pipeline may share a key. */
const STREAMS_PER_CREDENTIAL = 20;

const Port = z.coerce.number().int().min(0).max(65_535);

/** A list with commas, validated by `parse`. */
function listFor(parse: (items: string[]) => unknown) {
  return z.string().superRefine((text, issues) => {
    try {
      parse(listOf(text));
    } catch (error) {
      issues.addIssue({ code: 'custom', message: `is wrong: ${(error as Error).message}` });
    }
  });
}

const Env = z.object({
  WAYMARK_REGION: z.string().regex(/^[a-z]+$/, 'must be lower-case letters, for example eu'),
  WAYMARK_PUBLIC_URL: z.url('must be the URL people use, for example https://waymark.example.com'),
  WAYMARK_LISTEN_HOST: z
    .string()
    .regex(
      /^[^/\s]+$/,
      'must be the interface to listen on, for example 0.0.0.0; WAYMARK_PUBLIC_URL is the place of a URL',
    )
    .default('127.0.0.1'),
  WAYMARK_TRUSTED_PROXIES: z.string().optional(),
  WAYMARK_PORT: Port.default(8080),
  WAYMARK_METRICS_PORT: Port.optional(),
  WAYMARK_METRICS_HOST: z
    .string()
    .regex(/^[^/\s]+$/, 'must be the interface to serve metrics on, for example 10.0.0.5')
    .default('127.0.0.1'),
  WAYMARK_DATABASE_URL: z.url('must be a PostgreSQL URL'),
  // A worker needs four: it re-evaluates two groups at once, each with a claim.
  WAYMARK_DATABASE_POOL: z.coerce.number().int().min(4).max(200).default(16),
  WAYMARK_NATS_URL: z
    .string()
    .regex(/^(nats|tls):\/\/[^,]+(,(nats|tls):\/\/[^,]+)*$/, 'must be NATS URLs separated by commas')
    .optional(),
  WAYMARK_NATS_STREAM: z
    .string()
    .regex(/^[a-z0-9_]+$/, 'must be lower-case letters, digits and underscores')
    .default('journal'),
  WAYMARK_NATS_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  WAYMARK_BLOB_DIR: z.string().optional(),
  WAYMARK_S3_BUCKET: z.string().optional(),
  WAYMARK_S3_REGION: z.string().default('us-east-1'),
  WAYMARK_S3_ENDPOINT: z.url().optional(),
  WAYMARK_S3_ACCESS_KEY: z.string().optional(),
  WAYMARK_S3_SECRET_KEY: z.string().optional(),
  WAYMARK_ATTACHMENT_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(10 * 1024 * 1024),
  WAYMARK_STORAGE_QUOTA_BYTES: z.coerce.number().int().min(1).optional(),
  WAYMARK_STORAGE_QUOTA_ROWS: z.coerce.number().int().min(1).optional(),
  WAYMARK_SIGSTORE_TRUSTED_ROOT: z.string().min(1, 'must be the path of a trusted_root.json').optional(),
  WAYMARK_WEB_DIR: z.string().optional(),
  WAYMARK_CHROMIUM: z.string().startsWith('/', 'must be the path of a Chromium, such as /usr/bin/chromium').optional(),
  WAYMARK_CHROMIUM_SANDBOX: z.enum(['on', 'off']).default('on'),
  WAYMARK_RATE_PER_SECOND: z.coerce.number().positive().default(500),
  WAYMARK_RATE_BURST: z.coerce.number().positive().default(5_000),
  WAYMARK_EVENT_STREAMS: z.coerce.number().int().min(1).max(100_000).default(2_000),
  WAYMARK_EVENT_STREAMS_PER_ORG: z.coerce.number().int().min(1).max(100_000).default(500),
  WAYMARK_SECRET_KEY: z
    .string()
    .refine(
      (text) => listOf(text).every((key) => Buffer.from(key, 'base64').length === 32),
      'must be 32 random bytes in base64, or several such keys with commas, the newest first',
    )
    .optional(),
  WAYMARK_OUTBOUND_NETWORKS: listFor(parseNetworks).optional(),
  WAYMARK_OUTBOUND_DENIED: listFor(parseDenied).optional(),
  WAYMARK_OUTBOUND_DNS: listFor(parseDnsServers).optional(),
  WAYMARK_SIGN_UP: z.enum(['open', 'invited']).default('invited'),
  WAYMARK_SIGN_IN_PER_ADDRESS: z.coerce.number().positive().default(60),
  WAYMARK_SIGN_IN_PER_ACCOUNT: z.coerce.number().positive().default(5),
  WAYMARK_SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'must be an smtp or smtps URL')
    .optional(),
  WAYMARK_MAIL_FROM: z.string().optional(),
  WAYMARK_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
});
type Env = z.infer<typeof Env>;

export interface Config {
  readonly region: string;
  readonly publicUrl: string;
  readonly listen: { readonly host: string; readonly port: number };
  /** Absent when no port is configured for metrics. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** Proxies that are trusted to report the caller's address. */
  readonly trustedProxies: readonly string[];
  readonly database: DbConfig;
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

/** Reports every problem at once, so that a wrong configuration is fixed in one go. */
export class ConfigError extends Error {}

export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const result = Env.safeParse(env);
  const problems = [...(result.error?.issues.map(describe) ?? []), ...blobProblems(env)];
  if (!result.success || problems.length > 0) {
    throw new ConfigError(`The configuration is not complete:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  }
  return freeze(result.data);
}

function freeze(env: Env): Config {
  return Object.freeze({
    region: env.WAYMARK_REGION,
    publicUrl: env.WAYMARK_PUBLIC_URL.replace(/\/+$/, ''),
    listen: { host: env.WAYMARK_LISTEN_HOST, port: env.WAYMARK_PORT },
    metrics:
      env.WAYMARK_METRICS_PORT === undefined
        ? undefined
        : { host: env.WAYMARK_METRICS_HOST, port: env.WAYMARK_METRICS_PORT },
    trustedProxies: listOf(env.WAYMARK_TRUSTED_PROXIES),
    database: { url: env.WAYMARK_DATABASE_URL, poolSize: env.WAYMARK_DATABASE_POOL, statementTimeoutMs: 30_000 },
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

function streamConfig({ WAYMARK_NATS_URL: urls, WAYMARK_NATS_STREAM: name, WAYMARK_NATS_REPLICAS: replicas }: Env) {
  return urls === undefined ? undefined : { urls: listOf(urls), name, replicas };
}

function blobProblems(env: Readonly<Record<string, string | undefined>>): string[] {
  const places = ['WAYMARK_BLOB_DIR', 'WAYMARK_S3_BUCKET'].filter((name) => env[name]);
  if (places.length === 2) return ['WAYMARK_BLOB_DIR and WAYMARK_S3_BUCKET exclude each other'];
  if (places.length === 0) return ['WAYMARK_BLOB_DIR or WAYMARK_S3_BUCKET is required'];
  return [];
}

function blobConfig(env: Env): BlobConfig {
  if (!env.WAYMARK_S3_BUCKET) return { kind: 'directory', root: env.WAYMARK_BLOB_DIR ?? '' };
  return {
    kind: 's3',
    bucket: env.WAYMARK_S3_BUCKET,
    region: env.WAYMARK_S3_REGION,
    ...(env.WAYMARK_S3_ENDPOINT && { endpoint: env.WAYMARK_S3_ENDPOINT, forcePathStyle: true }),
    ...(env.WAYMARK_S3_ACCESS_KEY && { accessKey: env.WAYMARK_S3_ACCESS_KEY }),
    ...(env.WAYMARK_S3_SECRET_KEY && { secretKey: env.WAYMARK_S3_SECRET_KEY }),
  };
}

function chromiumOf({ WAYMARK_CHROMIUM: path, WAYMARK_CHROMIUM_SANDBOX: sandbox }: Env): Chromium | undefined {
  return path === undefined ? undefined : { path, isSandboxed: sandbox === 'on' };
}

function mailConfig(env: Env): MailConfig | undefined {
  if (env.WAYMARK_SMTP_URL === undefined) return undefined;
  const { hostname } = new URL(env.WAYMARK_PUBLIC_URL);
  return { url: env.WAYMARK_SMTP_URL, from: env.WAYMARK_MAIL_FROM ?? `Waymark <waymark@${hostname}>` };
}

function secretKeysOf(env: Env): Config['secretKeys'] {
  const [newest, ...older] = listOf(env.WAYMARK_SECRET_KEY).map((key) => Buffer.from(key, 'base64'));
  return newest && [newest, ...older];
}

function listOf(text: string | undefined): string[] {
  return text ? text.split(',').map((item) => item.trim()) : [];
}

function describe(issue: z.core.$ZodIssue): string {
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  return `${issue.path.join('.')} ${missing ? 'is required' : issue.message}`;
}
