import * as z from 'zod';
import { parseJson } from './json-document.ts';
import { listOf, shaped } from './shape.ts';
import { shorten } from './shorten.ts';
import { Unreadable } from './unreadable.ts';

/** The part of a statement that says what it is about. */
export interface InTotoStatement {
  predicateType: string;
  subjects: { name: string; sha256: string }[];
}

export interface Subject {
  name: string;
  /** By algorithm, such as sha256 or gitCommit. All of them are of the same thing. */
  digests: Readonly<Record<string, string>>;
}

/** A statement with everything in it. */
export interface WholeStatement {
  predicateType: string;
  subjects: Subject[];
  predicate: unknown;
}

export const MAX_SUBJECTS = 10_000;
const SHOWN_DIGESTS = 5;
const MAX_NAME_LENGTH = 500;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in lower-case hex');

const Statement = z.object({
  _type: z.enum(['https://in-toto.io/Statement/v1', 'https://in-toto.io/Statement/v0.1']),
  predicateType: z.string().min(1).max(1000),
  subject: listOf(z.object({ name: z.string().nullish(), digest: z.looseObject({ sha256: Sha256.optional() }) })),
  predicate: z.unknown().optional(),
});

const UTF8 = new TextDecoder('utf-8', { fatal: true });

const MAX_DIGESTS = 8;
const MAX_DIGEST_LENGTH = 200;

/** Subjects are matched by digest alone; a name is only shown. */
export function readStatement(name: string, payload: Uint8Array): WholeStatement {
  const { predicateType, subject, predicate } = shaped(name, Statement, parseJson(name, payloadText(name, payload)));
  if (subject.length > MAX_SUBJECTS) throw new Unreadable(`${name}: has more than ${MAX_SUBJECTS} subjects.`);
  return {
    predicateType: shorten(predicateType, Number.POSITIVE_INFINITY),
    subjects: subject.map((one) => ({
      name: shorten(one.name ?? '', MAX_NAME_LENGTH),
      digests: digestsOf(one.digest),
    })),
    predicate,
  };
}

function digestsOf(digest: Record<string, unknown>): Record<string, string> {
  const texts = Object.entries(digest).flatMap(([algorithm, value]): [string, string][] => {
    const isShort = typeof value === 'string' && value.length <= MAX_DIGEST_LENGTH && algorithm.length <= 50;
    return isShort ? [[shorten(algorithm, 50), shorten(value, MAX_DIGEST_LENGTH)]] : [];
  });
  // The one that decides must not be cut.
  const inOrder = texts.toSorted(([one], [other]) => Number(other === 'sha256') - Number(one === 'sha256'));
  return Object.fromEntries(inOrder.slice(0, MAX_DIGESTS));
}

/** Leaves out subjects without a SHA-256. */
export function inBrief({ predicateType, subjects }: WholeStatement): InTotoStatement {
  return {
    predicateType,
    subjects: subjects.flatMap(({ name, digests: { sha256 } }) => (sha256 === undefined ? [] : [{ name, sha256 }])),
  };
}

export function isAbout({ subjects }: WholeStatement, algorithm: string, wanted: ReadonlySet<string>): boolean {
  return subjects.some(({ digests }) => wanted.has(digests[algorithm] ?? ''));
}

export function otherSubject(name: string, statements: readonly WholeStatement[], fingerprint: string): Unreadable {
  const all = statements.flatMap(({ subjects }) => subjects.flatMap(({ digests }) => wordsOf(digests)));
  const digests = [...new Set(all)];
  const shown = digests.slice(0, SHOWN_DIGESTS).join(', ') || 'nothing with a SHA-256';
  const rest = digests.length > SHOWN_DIGESTS ? ` and ${digests.length - SHOWN_DIGESTS} more` : '';
  return new Unreadable(`${name}: is about ${shown}${rest}, not about ${fingerprint}.`);
}

/** The SHA-256, or else whatever there is. */
function wordsOf(digests: Readonly<Record<string, string>>): string[] {
  const { sha256 } = digests;
  if (sha256 !== undefined) return [sha256];
  return Object.entries(digests)
    .slice(0, 1)
    .map(([algorithm, digest]) => `${algorithm}:${digest}`);
}

function payloadText(name: string, payload: Uint8Array): string {
  try {
    return UTF8.decode(payload);
  } catch (cause) {
    throw new Unreadable(`${name}: is not UTF-8.`, { cause });
  }
}
