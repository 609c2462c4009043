import type { KeyObject } from 'node:crypto';
import { Envelope, isSignedBy } from './envelope.ts';
import { PAYLOAD_TYPE, Summary } from './summary.ts';

export interface Expected {
  readonly fingerprint: string;
  readonly org: string;
  readonly environment: string;
  readonly maxAgeSeconds: number;
  readonly keys: readonly KeyObject[];
  readonly now: Date;
}

export type Judged =
  | { readonly result: 'passed' | 'failed'; readonly summary: Summary; readonly ageSeconds: number }
  /** Nothing can be said from this file. */
  | { readonly result: 'unusable'; readonly because: string };

/** Clocks of two machines differ. */
const SKEW_SECONDS = 300;

/** Decides from a signed summary alone, without asking the service. */
export function judgeSummary(
  text: string,
  { fingerprint, org, environment, maxAgeSeconds, keys, now }: Expected,
): Judged {
  const envelope = Envelope.safeParse(parsed(text));
  if (!envelope.success) return unusable('The file is not a DSSE envelope');
  if (envelope.data.payloadType !== PAYLOAD_TYPE) return unusable('The envelope contains no in-toto statement');
  if (!isSignedBy(envelope.data, keys)) return unusable('No given key made a signature on it, or it was changed since');
  const read = Summary.safeParse(parsed(Buffer.from(envelope.data.payload, 'base64').toString('utf8')));
  if (!read.success) return unusable('The statement is not a verification summary');
  const { subject, predicate } = read.data;
  if (!subject.some(({ digest }) => digest.sha256 === fingerprint)) return unusable('It is about another artifact');
  // The keys say which installation it is, whatever the address under which it is reached.
  if (!predicate.resourceUri.endsWith(`/${org}/environments/${environment}`))
    return unusable(`It is about ${predicate.resourceUri}, and not about environment ${environment} of ${org}`);
  const ageSeconds = (now.getTime() - Date.parse(predicate.timeVerified)) / 1000;
  if (ageSeconds < -SKEW_SECONDS) return unusable(`Its time, ${predicate.timeVerified}, is in the future`);
  if (ageSeconds > maxAgeSeconds) return unusable(`It is too old: its verdict is of ${predicate.timeVerified}`);
  return {
    result: predicate.verificationResult === 'PASSED' ? 'passed' : 'failed',
    summary: read.data,
    ageSeconds: Math.max(0, ageSeconds),
  };
}

function unusable(because: string): Judged {
  return { result: 'unusable', because };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
