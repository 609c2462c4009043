import type { Config } from '../../config/env.ts';
import { readInstallationRoot } from '../../features/trust/installation-root.ts';
import { openBlobs } from '../../platform/blobs/open-blobs.ts';
import type { S3BlobOptions } from '../../platform/blobs/s3-client.ts';
import { findObjectLock } from '../../platform/blobs/s3-object-lock.ts';
import type { Db } from '../../platform/db/db.ts';
import { type CertificateFiles, readCertificate, requireValidAt } from '../../platform/http/certificate.ts';
import { checkStream, type StreamConfig } from '../../platform/journal/stream.ts';
import { checkMail, type MailConfig } from '../../platform/mail/mailer.ts';
import { requireChromium } from '../../platform/print-pdf.ts';
import { systemClock } from '../../platform/time.ts';
import { type Check, Fault, orFault } from './check.ts';
import { databaseChecks } from './database-checks.ts';
import { ledgerSettingsChecks } from './ledger-checks.ts';

/** Tries the services and files of a server once. The reference of settings lists those that are not tried. */
export function settingsChecks(db: Db, config: Config): Check[] {
  const { stream, mail, chromium, sigstoreTrustedRoot, secretKeys, publicUrl, tls } = config;
  return [
    ...databaseChecks(db),
    { name: 'evidence files', run: () => checkBlobs(config) },
    {
      name: 'NATS',
      without: stream ? undefined : 'not set: run one process with `waymark-server all`',
      run: async () => (stream ? checkNats(stream) : ''),
    },
    {
      name: 'mail',
      without: mail ? undefined : 'not set: no email is sent, so sign-in links do not work',
      run: async () => (mail ? checkMailServer(mail) : ''),
    },
    {
      name: 'secret key',
      without: secretKeys ? undefined : 'not set: secrets of webhooks and identity providers cannot be stored',
      run: async () => (secretKeys?.length === 1 ? 'one key' : `${secretKeys?.length} keys`),
    },
    {
      name: 'Chromium',
      without: chromium ? undefined : 'not set: reports are not available as PDF',
      run: () => checkChromium(chromium),
    },
    {
      name: 'Sigstore root',
      without: sigstoreTrustedRoot ? undefined : 'not set: each Sigstore identity needs a trusted root of its own',
      run: () => checkSigstoreRoot(sigstoreTrustedRoot),
    },
    ...ledgerSettingsChecks(config),
    { name: 'public URL', run: () => checkPublicUrl(publicUrl) },
    {
      name: 'certificate',
      without: tls ? undefined : 'not set: a proxy provides TLS',
      run: async () => (tls ? checkCertificate(tls) : ''),
    },
  ];
}

/** As a server would: what can be read may still be full or read-only. */
async function checkBlobs({ blobs: config }: Config): Promise<string> {
  const blobs = openBlobs(config);
  const org = '00000000-0000-0000-0000-000000000000';
  const isDirectory = config.kind === 'directory';
  const storeOne = async () => {
    await blobs.check();
    const { sha256 } = await blobs.put(org, oneBlob(), { maxBytes: 100 });
    await blobs.remove(org, sha256);
  };
  await orFault(
    storeOne(),
    'Evidence files cannot be stored',
    isDirectory
      ? 'give the user that runs the server write permission for WAYMARK_BLOB_DIR, and check that the disk has free space'
      : 'check the WAYMARK_S3_ settings, and that the key can read, write, and delete in the bucket',
  );
  if (isDirectory) return `directory ${config.root}`;
  return `bucket ${config.bucket}, ${await checkObjectLock(config)}`;
}

/** Fails if the ledger is to be locked in a bucket that cannot do it; otherwise says what it offers. */
async function checkObjectLock(config: S3BlobOptions): Promise<string> {
  const { kind } = await findObjectLock(config);
  const { objectLockDays: days } = config;
  if (days === undefined)
    return kind === 'offered'
      ? 'which offers Object Lock: to use it for the ledger, set WAYMARK_S3_OBJECT_LOCK_DAYS'
      : 'without Object Lock';
  if (kind === 'offered') return `with the ledger under Object Lock for ${days} days`;
  throw new Fault('The ledger cannot be locked', {
    found: `WAYMARK_S3_OBJECT_LOCK_DAYS is set, but ${LOCK_FAULTS[kind]}`,
    fix: 'create a bucket with Object Lock and versions, let the key read both settings of the bucket, or unset it',
  });
}

const LOCK_FAULTS = {
  off: 'the bucket has no Object Lock',
  no_versions: 'the bucket keeps no versions',
  unknown: 'it cannot be read whether the bucket has Object Lock',
};

async function* oneBlob(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('waymark-server config check');
}

async function checkNats(stream: StreamConfig): Promise<string> {
  try {
    return `${await checkStream(stream)}, with JetStream`;
  } catch (error) {
    if (!/jetstream/i.test(String(error))) {
      const fix = 'check that NATS runs; check the addresses, the user, and the password in WAYMARK_NATS_URL';
      return orFault(Promise.reject(error), 'NATS cannot be used', fix);
    }
    throw new Fault('NATS has no JetStream', {
      found: (error as Error).message,
      fix: 'start nats-server with `-js`, or with a `jetstream` block in its configuration',
    });
  }
}

async function checkMailServer(mail: MailConfig): Promise<string> {
  const fix = 'check WAYMARK_SMTP_URL: host, port, user, password, and smtps:// for a server that requires TLS';
  await orFault(checkMail(mail), 'The mail server cannot be used', fix);
  return `sent as ${mail.from}`;
}

async function checkChromium(chromium: Config['chromium']): Promise<string> {
  const fix = 'install Chromium, and check WAYMARK_CHROMIUM and WAYMARK_CHROMIUM_SANDBOX';
  const found = await orFault(requireChromium(chromium, { warn: () => undefined }), 'Chromium cannot be used', fix);
  return found?.path ?? '';
}

async function checkSigstoreRoot(path: string | undefined): Promise<string> {
  const fix = 'set WAYMARK_SIGSTORE_TRUSTED_ROOT to a trusted_root.json that the user that runs the server can read';
  await orFault(readInstallationRoot(path), 'The Sigstore trusted root cannot be used', fix);
  return path ?? '';
}

async function checkCertificate(files: CertificateFiles): Promise<string> {
  const readValid = async () => {
    const certificate = await readCertificate(files);
    requireValidAt(certificate, systemClock());
    return certificate;
  };
  const fix = 'renew the certificate, or fix WAYMARK_TLS_CERT and WAYMARK_TLS_KEY';
  const { notAfter, names } = await orFault(readValid(), 'The certificate cannot be used', fix);
  return `${files.cert}, for ${names.join(', ') || 'no name'}, until ${notAfter.toISOString().slice(0, 10)}`;
}

async function checkPublicUrl(url: string): Promise<string> {
  const isLocal = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(url);
  if (url.startsWith('https:') || isLocal) return url;
  throw new Fault('Keys and sessions are sent unencrypted', {
    found: `${url} is not https`,
    fix: 'serve it over TLS, and set WAYMARK_PUBLIC_URL to its https URL',
  });
}
