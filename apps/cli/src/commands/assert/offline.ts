import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { detailsOf, judgeSummary, readPublicKeys, type Summary } from '@waymark/verification-summary';
import { usageError } from '../../run/cli-error.ts';
import { readDuration } from '../../run/duration.ts';
import type { Session } from '../../run/session.ts';
import type { Verdict } from './verdict.ts';

export interface OfflineFlags {
  /** A file with the signed verdict. */
  readonly offline: string;
  /** A file with the public keys. */
  readonly keys: string;
  readonly env: string;
  readonly maxAgeMs: number;
}

export function readMaxAge(text: string): number {
  try {
    return readDuration(text);
  } catch (error) {
    throw usageError(`--max-age ${error instanceof Error ? error.message : 'is not valid'}, not '${text}'`);
  }
}

/** The verdict that the service signed earlier. Nothing is asked of the service. */
export function judgeOffline(
  session: Session,
  fingerprint: string,
  { offline, keys, env, maxAgeMs }: OfflineFlags,
): Verdict {
  const org = session.need('org');
  const page = session.pageOf(org, 'environments', env);
  const judged = judgeSummary(readText(session, offline), {
    fingerprint,
    org,
    environment: env,
    maxAgeSeconds: maxAgeMs / 1000,
    keys: readKeys(session, keys),
    now: new Date(),
  });
  const about = `sha256:${fingerprint.slice(0, 12)} for ${env}, from ${offline}`;
  if (judged.result === 'unusable') {
    const problems = [{ why: judged.because, fix: `Get it again while the service is there: waymark vsa get` }];
    return {
      ending: 'unknown',
      state: 'UNKNOWN',
      about,
      problems,
      page,
      data: { result: 'unknown', because: judged.because },
    };
  }
  const { summary, ageSeconds } = judged;
  const { because, compliance } = statedIn(summary);
  const data = { result: judged.result, compliance, because, age_seconds: Math.round(ageSeconds), statement: summary };
  if (judged.result === 'passed')
    return { ending: 'done', state: compliance.toUpperCase(), about, summary: because, problems: [], page, data };
  return { ending: 'nonCompliant', state: 'NON-COMPLIANT', about, problems: [{ why: because }], page, data };
}

function statedIn(summary: Summary): { because: string; compliance: string } {
  const { timeVerified, verificationResult } = summary.predicate;
  const details = detailsOf(summary);
  return {
    because: `${details?.because ?? verificationResult} Judged at ${timeVerified}.`,
    compliance: details?.compliance ?? (verificationResult === 'PASSED' ? 'compliant' : 'non-compliant'),
  };
}

function readKeys(session: Session, path: string) {
  try {
    return readPublicKeys(readText(session, path));
  } catch (error) {
    if (error instanceof Error && error.name === 'CliError') throw error;
    throw usageError(
      `${path} has no usable public keys: ${(error as Error).message}`,
      "'waymark vsa keys' prints those of the service, to compare them with what you got elsewhere",
    );
  }
}

function readText({ io }: Session, path: string): string {
  try {
    return readFileSync(resolve(io.cwd, path), 'utf8');
  } catch (error) {
    throw usageError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
  }
}
