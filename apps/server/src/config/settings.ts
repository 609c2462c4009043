import { parseRoots } from '@waymark/time-stamps';
import { readPrivateKeys } from '@waymark/verification-summary';
import { z } from 'zod';
import { faultOfPublicUrl } from '../platform/http/base-path.ts';
import { parseProxies } from '../platform/http/trusted-proxies.ts';
import { parseWitnessPolicy } from '../platform/ledger/witnesses/asked-witnesses.ts';
import { parseDenied } from '../platform/outbound/denied.ts';
import { parseNetworks } from '../platform/outbound/public-address.ts';
import { parseDnsServers } from '../platform/outbound/resolve-name.ts';

const Port = z.coerce.number().int().min(0).max(65_535);

/** A list with commas, validated by `parse`. */
function listFor(parse: (items: string[]) => unknown) {
  return textFor((text) => parse(listOf(text)));
}

/** A text that is validated by `parse`. */
function textFor(parse: (text: string) => unknown) {
  return z.string().superRefine((text, issues) => {
    try {
      parse(text);
    } catch (error) {
      issues.addIssue({ code: 'custom', message: `is wrong: ${(error as Error).message}` });
    }
  });
}

/** Each setting of the server: how it is checked, and what the reference says about it. */
export const ServerSettings = z.object({
  WAYMARK_REGION: z
    .string()
    .regex(/^[a-z]+$/, 'must be lower-case letters, for example eu')
    .meta({ group: 'The service', about: 'lower-case letters, such as `eu`; keys contain the first one' }),
  WAYMARK_PUBLIC_URL: z
    .url({ error: 'must be the URL people use, for example https://waymark.example.com', abort: true })
    .superRefine((url, issues) => {
      const fault = faultOfPublicUrl(url);
      if (fault !== undefined) issues.addIssue({ code: 'custom', message: fault });
    })
    .meta({
      group: 'The service',
      about: 'the URL people use, including its path, if any; used in links and the API description',
    }),
  WAYMARK_LISTEN_HOST: z
    .string()
    .regex(/^[^/\s]+$/, 'must be the interface to listen on, for example 0.0.0.0; a URL belongs in WAYMARK_PUBLIC_URL')
    .default('127.0.0.1')
    .meta({ group: 'The service', about: 'the interface to listen on' }),
  WAYMARK_PORT: Port.default(8080).meta({ group: 'The service', about: 'the port of the API' }),
  WAYMARK_TLS_CERT: z.string().optional().meta({
    group: 'The service',
    about: 'path of a PEM certificate with its intermediates; the API then serves TLS 1.2 and 1.3 itself',
  }),
  WAYMARK_TLS_KEY: z.string().optional().meta({
    group: 'The service',
    about: 'path of its PEM private key; both files are reloaded when they change',
  }),
  WAYMARK_TRUSTED_PROXIES: listFor(parseProxies).optional().meta({
    group: 'The service',
    about: 'comma-separated addresses or ranges of proxies whose `X-Forwarded-*` headers are trusted',
  }),
  WAYMARK_WEB_DIR: z.string().optional().meta({
    group: 'The service',
    about: 'directory of the built web application',
    shownDefault: 'the shipped one',
  }),
  WAYMARK_LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .meta({ group: 'The service', about: '`debug`, `info`, `warn`, `error` or `silent`' }),
  WAYMARK_METRICS_PORT: Port.optional().meta({
    group: 'The service',
    about: 'port for `/metrics`; no metrics without it',
  }),
  WAYMARK_METRICS_HOST: z
    .string()
    .regex(/^[^/\s]+$/, 'must be the interface to serve metrics on, for example 10.0.0.5')
    .default('127.0.0.1')
    .meta({ group: 'The service', about: 'the interface for `/metrics`, which requires no credential' }),
  WAYMARK_DATABASE_URL: z
    .url('must be a PostgreSQL URL')
    .meta({ group: 'PostgreSQL and NATS', about: 'PostgreSQL', isSecret: true }),
  WAYMARK_DATABASE_OWNER_URL: z.url('must be a PostgreSQL URL').optional().meta({
    group: 'PostgreSQL and NATS',
    about: 'URL with the role that owns the tables, for `migrate` only; servers then need no right to alter tables',
    shownDefault: '`WAYMARK_DATABASE_URL`',
    isSecret: true,
  }),
  // A worker needs eight: its sequencer, sealer, publisher, and collector of cosignatures keep one each, and it re-evaluates
  // two groups, each with a claim.
  WAYMARK_DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(8)
    .max(200)
    .default(16)
    .meta({ group: 'PostgreSQL and NATS', about: 'maximum connections per process, 8 to 200' }),
  WAYMARK_NATS_URL: z
    .string()
    .regex(/^(nats|tls):\/\/[^,]+(,(nats|tls):\/\/[^,]+)*$/, 'must be NATS URLs separated by commas')
    .optional()
    .meta({
      group: 'PostgreSQL and NATS',
      about: 'comma-separated, user and password in the first; without it, workers poll the database once a second',
      isSecret: true,
    }),
  WAYMARK_NATS_STREAM: z
    .string()
    .regex(/^[a-z0-9_]+$/, 'must be lower-case letters, digits and underscores')
    .default('journal')
    .meta({ group: 'PostgreSQL and NATS', about: 'name of the stream: lower-case letters, digits, underscores' }),
  WAYMARK_NATS_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .meta({ group: 'PostgreSQL and NATS', about: 'replicas of the stream, 1 to 5, when it is created' }),
  WAYMARK_BLOB_DIR: z
    .string()
    .optional()
    .meta({ group: 'Evidence files', about: 'a directory for evidence files', shownDefault: 'this or a bucket' }),
  WAYMARK_S3_BUCKET: z
    .string()
    .optional()
    .meta({ group: 'Evidence files', about: 'a bucket for evidence files', shownDefault: 'this or a directory' }),
  WAYMARK_S3_REGION: z.string().default('us-east-1').meta({ group: 'Evidence files', about: 'region of the bucket' }),
  WAYMARK_S3_ENDPOINT: z
    .url()
    .optional()
    .meta({ group: 'Evidence files', about: 'URL of an S3 server other than AWS; path-style requests are then used' }),
  WAYMARK_S3_ACCESS_KEY: z.string().optional().meta({
    group: 'Evidence files',
    about: 'without it and its secret, the role of the machine is used',
    isSecret: true,
  }),
  WAYMARK_S3_SECRET_KEY: z
    .string()
    .optional()
    .meta({ group: 'Evidence files', about: 'the secret that belongs to it', isSecret: true }),
  WAYMARK_S3_OBJECT_LOCK_DAYS: z.coerce.number().int().min(1).max(36_500).optional().meta({
    group: 'Evidence files',
    about: 'days for which nobody can remove what the ledger stores; needs a bucket with Object Lock',
    shownDefault: 'not locked',
  }),
  WAYMARK_ATTACHMENT_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(10 * 1024 * 1024)
    .meta({ group: 'Evidence files', about: 'maximum size of an evidence file' }),
  WAYMARK_STORAGE_QUOTA_BYTES: z.coerce.number().int().min(1).optional().meta({
    group: 'Evidence files',
    about: 'default storage quota of an org, in bytes',
  }),
  WAYMARK_STORAGE_QUOTA_ROWS: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .meta({ group: 'Evidence files', about: 'default storage quota of an org, in rows' }),
  WAYMARK_SIGN_UP: z
    .enum(['open', 'invited'])
    .default('invited')
    .meta({ group: 'People and email', about: '`open` lets anyone with an email address sign up' }),
  WAYMARK_SIGN_IN_PER_ADDRESS: z.coerce
    .number()
    .positive()
    .default(60)
    .meta({ group: 'People and email', about: 'sign-in attempts per minute from one IP address, over all servers' }),
  WAYMARK_SIGN_IN_PER_ACCOUNT: z.coerce
    .number()
    .positive()
    .default(5)
    .meta({ group: 'People and email', about: 'email links per 15 minutes for one account, over all servers' }),
  WAYMARK_SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'must be an smtp or smtps URL')
    .optional()
    .meta({ group: 'People and email', about: '`smtp://` or `smtps://`; no email is sent without it', isSecret: true }),
  WAYMARK_MAIL_FROM: z.string().optional().meta({
    group: 'People and email',
    about: 'the sender of emails',
    shownDefault: '`Waymark <waymark@HOST>`, with the host of the public URL',
  }),
  WAYMARK_SECRET_KEY: z
    .string()
    .refine(
      (text) => listOf(text).every((key) => Buffer.from(key, 'base64').length === 32),
      'must be 32 random bytes in base64, or several such keys separated by commas, newest first',
    )
    .optional()
    .meta({
      group: 'People and email',
      about: "32 random bytes in base64, or several separated by commas, newest first; encrypts customers' secrets",
      isSecret: true,
    }),
  WAYMARK_LEDGER_KEY: z
    .string()
    .refine(
      (text) => listOf(text).every((key) => key.startsWith('PRIVATE+KEY+')),
      'must be a key that `waymark-server ledger key` has generated, or several separated by commas, newest first',
    )
    .optional()
    .meta({
      group: 'Ledger',
      about:
        'private key that signs the checkpoints of the ledger, as `waymark-server ledger key` writes it, or several ' +
        'separated by commas, newest first; without it, checkpoints are not signed',
      isSecret: true,
    }),
  WAYMARK_LEDGER_NAME: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9./:_-]{0,98}[a-z0-9])?$/i, 'must be a name like waymark.example.com/eu')
    .optional()
    .meta({
      group: 'Ledger',
      about: 'name of the region log, with which the origin of each epoch begins; takes effect with the next epoch',
      shownDefault: 'host and path of the public URL, and the region: `waymark.example.com/eu`',
    }),
  WAYMARK_LEDGER_WITNESSES: textFor(parseWitnessPolicy)
    .optional()
    .meta({
      group: 'Ledger',
      about:
        'C2SP tlog-policy with the witnesses to ask for cosignatures, each with its URL; usually from a file, with ' +
        '`_FILE` at the end of the name',
      isText: true,
    }),
  WAYMARK_LEDGER_TIME_STAMP_URL: z
    .url('must be the URL of a time stamping authority')
    .optional()
    .meta({ group: 'Ledger', about: 'URL of an RFC 3161 authority, which stamps a checkpoint every hour' }),
  WAYMARK_LEDGER_TIME_STAMP_CA: textFor(parseRoots).optional().meta({
    group: 'Ledger',
    about: 'root certificates of that authority in PEM; usually from a file, in the same way',
    isText: true,
  }),
  WAYMARK_STATEMENT_KEY: textFor(readPrivateKeys)
    .optional()
    .meta({
      group: 'Ledger',
      about:
        'private key in PEM, Ed25519 or ECDSA with P-256, that signs verdicts for other tools; usually from a file, ' +
        'which can contain several, newest first; without it, verdicts are not signed',
      isSecret: true,
    }),
  WAYMARK_RATE_PER_SECOND: z.coerce.number().positive().default(500).meta({
    group: 'Limits',
    about: 'requests per second for each key, over all servers; each 8 KiB of JSON count as one more',
  }),
  WAYMARK_RATE_BURST: z.coerce
    .number()
    .positive()
    .default(5_000)
    .meta({ group: 'Limits', about: 'burst of requests for each key, over all servers' }),
  WAYMARK_EVENT_STREAMS: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(2_000)
    .meta({ group: 'Limits', about: 'open event streams per server' }),
  WAYMARK_EVENT_STREAMS_PER_ORG: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(500)
    .meta({ group: 'Limits', about: 'open event streams per org and server' }),
  WAYMARK_OUTBOUND_NETWORKS: listFor(parseNetworks).optional().meta({
    group: 'Outbound requests',
    about: 'comma-separated ranges that can be called in addition to the public internet',
  }),
  WAYMARK_OUTBOUND_DENIED: listFor(parseDenied).optional().meta({
    group: 'Outbound requests',
    about: 'comma-separated ranges, addresses, and domains that are never called',
  }),
  WAYMARK_OUTBOUND_DNS: listFor(parseDnsServers).optional().meta({
    group: 'Outbound requests',
    about: 'comma-separated DNS servers for customer-provided host names',
    shownDefault: "the system's",
  }),
  WAYMARK_SIGSTORE_TRUSTED_ROOT: z
    .string()
    .min(1, 'must be the path of a trusted_root.json')
    .optional()
    .meta({ group: 'Outbound requests', about: 'path of the default `trusted_root.json` for Sigstore identities' }),
  WAYMARK_CHROMIUM: z
    .string()
    .startsWith('/', 'must be the path of a Chromium, such as /usr/bin/chromium')
    .optional()
    .meta({ group: 'PDF', about: 'path of Chromium, for PDF reports; no PDF without it' }),
  WAYMARK_CHROMIUM_SANDBOX: z
    .enum(['on', 'off'])
    .default('on')
    .meta({ group: 'PDF', about: '`off` runs Chromium without its sandbox, which is required as root' }),
});

export type ServerSettings = z.infer<typeof ServerSettings>;

/** What the reference says about a setting. */
export interface SettingMeta {
  readonly group: string;
  readonly about: string;
  /** May come from a file instead, which a variable with `_FILE` at its end names. */
  readonly isSecret?: true;
  /** Has several lines, so it may come from a file in the same way. */
  readonly isText?: true;
  readonly shownDefault?: string;
}

export function metaOf(name: keyof ServerSettings): SettingMeta {
  return ServerSettings.shape[name].meta() as unknown as SettingMeta;
}

export function listOf(text: string | undefined): string[] {
  return text ? text.split(',').map((item) => item.trim()) : [];
}
