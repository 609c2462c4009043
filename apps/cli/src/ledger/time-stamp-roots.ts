import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { TimeStampError, timeStampVerifier } from '@waymark/time-stamps';
import { usageError } from '../run/cli-error.ts';
import type { Session } from '../run/session.ts';

export const TIME_STAMP_HELP =
  'root certificates (PEM) of the time stamping authorities that you trust; without it, time stamps are not verified';

/** Returns what verifies time stamps, or undefined without a file. */
export function readTimeStampRoots({ io }: Pick<Session, 'io'>, path: string | undefined) {
  if (path === undefined) return undefined;
  const pem = readFileSync(resolve(io.cwd, path), 'utf8');
  try {
    return timeStampVerifier(pem);
  } catch (error) {
    if (!(error instanceof TimeStampError)) throw error;
    throw usageError(`${path} has no root certificates: ${error.message}`, 'Use a file of certificates in PEM');
  }
}
