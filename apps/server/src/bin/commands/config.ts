import type { Command } from 'commander';
import { sql } from 'kysely';
import type { Config } from '../../config/env.ts';
import { openBlobs } from '../../platform/blobs/open-blobs.ts';
import type { Db } from '../../platform/db/db.ts';
import { listPending } from '../../platform/db/migrate.ts';
import { checkStream } from '../../platform/journal/stream.ts';
import { checkMail } from '../../platform/mail/mailer.ts';
import { requireChromium } from '../../platform/print-pdf.ts';
import { print, withDb } from './with-db.ts';

export function configCommands(program: Command): void {
  const config = program.command('config').description('Settings of this installation');
  config
    .command('check')
    .description('Try everything that the settings name, and say what was found')
    .action(() =>
      withDb(async (db, _, config) => {
        const findings = await Promise.all(checks(db, config).map(find));
        for (const { state, name, text } of findings) print(`${state.padEnd(7)} ${name.padEnd(15)} ${text}`);
        if (findings.some(({ state }) => state === 'failed')) process.exitCode = 1;
      }),
    );
}

interface Check {
  readonly name: string;
  /** What it means when the part is not configured. Absent for parts that every installation has. */
  readonly without?: string | undefined;
  /** Returns what was found, and rejects with what is wrong. */
  run(): Promise<string>;
}

interface Finding {
  readonly state: 'ok' | 'failed' | 'none';
  readonly name: string;
  readonly text: string;
}

async function find({ name, without, run }: Check): Promise<Finding> {
  if (without !== undefined) return { state: 'none', name, text: without };
  try {
    return { state: 'ok', name, text: await run() };
  } catch (error) {
    return { state: 'failed', name, text: reasonOf(error) };
  }
}

/** Errors of several addresses carry no text of their own. */
function reasonOf(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const { message, code, cause } = (inner ?? {}) as { message?: string; code?: string; cause?: unknown };
  const text = message || code || String(error);
  return cause instanceof Error ? `${text}: ${cause.message}` : text;
}

function checks(db: Db, config: Config): Check[] {
  const { stream, mail, chromium, secretKeys, publicUrl } = config;
  return [
    { name: 'PostgreSQL', run: () => checkDatabase(db) },
    { name: 'migrations', run: () => checkMigrations(db) },
    { name: 'evidence files', run: () => checkBlobs(config) },
    {
      name: 'NATS',
      without: stream ? undefined : 'not set: run one process with `waymark-server all`',
      run: async () => `${stream ? await checkStream(stream) : ''}, with JetStream`,
    },
    {
      name: 'mail',
      without: mail ? undefined : 'not set: nobody gets mail, so nobody can sign in by a link',
      run: async () => {
        if (mail) await checkMail(mail);
        return `sent as ${mail?.from}`;
      },
    },
    {
      name: 'secret key',
      without: secretKeys ? undefined : 'not set: secrets of webhooks and identity providers cannot be stored',
      run: async () => (secretKeys?.length === 1 ? 'one key' : `${secretKeys?.length} keys`),
    },
    {
      name: 'Chromium',
      without: chromium ? undefined : 'not set: reports are not printed as PDF',
      run: async () => (await requireChromium(chromium, { warn: () => undefined }))?.path ?? '',
    },
    { name: 'public URL', run: () => checkPublicUrl(publicUrl) },
  ];
}

async function checkDatabase(db: Db): Promise<string> {
  const { rows } = await sql<{ version: string; name: string; encoding: string; is_standby: boolean }>`
    select current_setting('server_version') as version, current_database() as name,
      current_setting('server_encoding') as encoding, pg_is_in_recovery() as is_standby`.execute(db);
  const [found] = rows;
  if (!found) throw new Error('PostgreSQL says nothing');
  if (found.encoding !== 'UTF8') throw new Error(`database '${found.name}' has encoding ${found.encoding}: use UTF8`);
  if (found.is_standby) throw new Error('this is a standby, which takes no writes: name the primary');
  return `${found.version}, database '${found.name}'`;
}

async function checkMigrations(db: Db): Promise<string> {
  const pending = await listPending(db);
  if (pending.length > 0) throw new Error(`${pending.length} are missing: run \`waymark-server migrate\``);
  return 'the database is up to date';
}

/** As a server would: what can be read may still be full or read-only. */
async function checkBlobs({ blobs: config }: Config): Promise<string> {
  const blobs = openBlobs(config);
  const org = '00000000-0000-0000-0000-000000000000';
  await blobs.check();
  const { sha256 } = await blobs.put(org, oneBlob(), { maxBytes: 100 });
  await blobs.remove(org, sha256);
  return config.kind === 'directory' ? `directory ${config.root}` : `bucket ${config.bucket}`;
}

async function* oneBlob(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('waymark-server config check');
}

async function checkPublicUrl(url: string): Promise<string> {
  const isLocal = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(url);
  if (url.startsWith('https:') || isLocal) return url;
  throw new Error(`${url} is not https: keys and sessions would be sent in the clear`);
}
