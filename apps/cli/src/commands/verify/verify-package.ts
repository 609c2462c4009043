import { createHash, hash as hashOf } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BrokenArchiveError, type PackageEntry, type PackageVerdict, verifyPackage } from '@waymark/audit-verifier';
import { readTimeStampRoots } from '../../ledger/time-stamp-roots.ts';
import { readTrustPolicy } from '../../ledger/trust-policy.ts';
import { usageError } from '../../run/cli-error.ts';
import type { Outcome } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { compareWithLog, isWhole } from './compare-with-log.ts';
import { archiveEntries, directoryEntries, isGzip } from './package-entries.ts';
import { documentOf, pageOf } from './package-page.ts';

export interface PackageFlags {
  readonly policy?: string | undefined;
  readonly timeStampRoots?: string | undefined;
  /** Compare the package with the whole log of the org. */
  readonly complete?: boolean | undefined;
}

/** Verifies a package: its files, its proofs, and its verdicts. The service is not asked. */
export async function verifyPackageFile(
  session: Session,
  path: string,
  { policy, complete, timeStampRoots }: PackageFlags,
): Promise<Outcome> {
  if (complete && policy === undefined)
    throw usageError('--complete needs --policy', 'What the service says proves nothing without a trust policy');
  const trusted = policy === undefined ? undefined : readTrustPolicy(session, policy);
  const verifyTimeStamp = readTimeStampRoots(session, timeStampRoots);
  const verdict = await verifyPackage(entriesOf(session, path), { ...HASHING, policy: trusted, verifyTimeStamp });
  const compared = complete && verdict.isProven ? await compareWithLog(session, verdict) : undefined;
  return {
    data: { ...documentOf(path, verdict), complete: compared ?? null },
    text: (style) => pageOf({ path, verdict, hasPolicy: trusted !== undefined, session, compared }, style),
    ending: isGood(verdict, trusted !== undefined) && isWhole(compared) ? 'done' : 'nonCompliant',
  };
}

/** With a policy, nothing less than proven is good. */
export function isGood({ findings, isProven }: PackageVerdict, hasPolicy: boolean): boolean {
  return findings.length === 0 && (!hasPolicy || isProven);
}

function entriesOf(session: Session, path: string): AsyncIterable<PackageEntry> {
  const place = resolve(session.io.cwd, path);
  const isDirectory = statSync(place).isDirectory();
  if (isDirectory) return directoryEntries(place);
  if (isGzip(place)) return archiveEntries(place, session.io.signal);
  throw usageError(
    `${path} is not an audit package`,
    "Use the .tgz that 'waymark audit package' wrote, or its unpacked directory",
  );
}

/** That of Node is several times as fast as the one for browsers. */
const HASHING = {
  hash: (data: Uint8Array) => hashOf('sha256', data, 'buffer'),
  createDigest() {
    const digest = createHash('sha256');
    return { update: (bytes: Uint8Array) => digest.update(bytes), hex: () => digest.digest('hex') };
  },
};

/** Whether it is a package, as far as that can be determined without trusting it. */
export async function isPackage(session: Session, path: string): Promise<boolean> {
  const place = resolve(session.io.cwd, path);
  if (!existsSync(place)) return false;
  if (statSync(place).isDirectory())
    return ['SHA256SUMS', 'manifest.json'].every((name) => existsSync(join(place, name)));
  if (!statSync(place).isFile() || !isGzip(place)) return false;
  const names = new Set<string>();
  try {
    for await (const { path, content } of archiveEntries(place, session.io.signal)) {
      if (path === 'README.md' && names.size === 0) return (await startOf(content)).startsWith('# Audit package: ');
      names.add(path.replace(/^(\.\/)+/, ''));
    }
  } catch (error) {
    if (!(error instanceof BrokenArchiveError)) throw error;
  }
  return names.has('SHA256SUMS') && names.has('manifest.json');
}

async function startOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const chunk of content) return Buffer.from(chunk).toString('utf8');
  return '';
}
