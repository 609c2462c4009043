import * as z from 'zod';
import { parseJson } from './json-document.ts';
import { listOf, shaped } from './shape.ts';
import { shorten } from './shorten.ts';
import { Unreadable } from './unreadable.ts';

export interface InTotoStatement {
  predicateType: string;
  subjects: { name: string; sha256: string }[];
}

export const MAX_SUBJECTS = 10_000;
const SHOWN_DIGESTS = 5;
const MAX_NAME_LENGTH = 500;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in lower-case hex');

const Statement = z.object({
  _type: z.enum(['https://in-toto.io/Statement/v1', 'https://in-toto.io/Statement/v0.1']),
  predicateType: z.string().min(1).max(1000),
  subject: listOf(z.object({ name: z.string().nullish(), digest: z.object({ sha256: Sha256.optional() }) })),
});

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Leaves out subjects without a SHA-256. They are matched by digest alone; a name is only shown. */
export function readStatement(name: string, payload: Uint8Array): InTotoStatement {
  const { predicateType, subject } = shaped(name, Statement, parseJson(name, payloadText(name, payload)));
  if (subject.length > MAX_SUBJECTS) throw new Unreadable(`${name}: has more than ${MAX_SUBJECTS} subjects.`);
  return {
    predicateType: shorten(predicateType, Number.POSITIVE_INFINITY),
    subjects: subject.flatMap((one) => {
      const { sha256 } = one.digest;
      return sha256 === undefined ? [] : [{ name: shorten(one.name ?? '', MAX_NAME_LENGTH), sha256 }];
    }),
  };
}

export function refuseOtherSubject(name: string, { subjects }: InTotoStatement, fingerprint: string): void {
  const digests = subjects.map((subject) => subject.sha256);
  if (digests.includes(fingerprint)) return;
  const shown = digests.slice(0, SHOWN_DIGESTS).join(', ') || 'nothing with a SHA-256';
  const rest = digests.length > SHOWN_DIGESTS ? ` and ${digests.length - SHOWN_DIGESTS} more` : '';
  throw new Unreadable(`${name}: is about ${shown}${rest}, not about ${fingerprint}.`);
}

function payloadText(name: string, payload: Uint8Array): string {
  try {
    return UTF8.decode(payload);
  } catch (cause) {
    throw new Unreadable(`${name}: is not UTF-8.`, { cause });
  }
}
