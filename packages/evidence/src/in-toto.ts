import { isBundleWithPublicKey } from '@sigstore/bundle';
import { Envelope } from './dsse.ts';
import { readEnvelopes } from './envelopes.ts';
import { checkIdentities } from './identity-signature.ts';
import { isObject } from './json-document.ts';
import { checkKeys } from './key-signature.ts';
import type { PredicateFields } from './predicates/fields.ts';
import { type Predicate, readPredicate } from './predicates/read-predicate.ts';
import type { SbomComponent } from './sbom-fields.ts';
import { shaped } from './shape.ts';
import { isSigstoreBundle, readSigstoreBundle } from './sigstore-bundle.ts';
import type { InTotoStatement } from './statement.ts';
import { inBrief, isAbout, otherSubject, readStatement, type Subject, type WholeStatement } from './statement.ts';
import type { Check, SignatureFault, Signer, Trust, Unproven } from './trust.ts';
import { Unreadable } from './unreadable.ts';
import { vexAbout } from './vex.ts';
import type { VexSubject } from './vex-products.ts';
import type { Vex, VexDocument } from './vex-statement.ts';

/** The verdict on a file: every statement in it that is about the artifact must be signed by a trusted signer. */
export type Verified = (
  | { verified: true; by: Signer; statement: InTotoStatement }
  | (Unproven & { statement: InTotoStatement })
) & {
  /** All statements about the artifact. */
  statements: ReadStatement[];
  /** The number of statements about other things, which do not count. */
  others: number;
  /** Of the SBOMs among the verified statements. */
  components: SbomComponent[];
  /** What the VEX documents among the verified statements say about the artifact. */
  vex: Vex | null;
};

/** A statement about the artifact. */
export interface ReadStatement {
  predicateType: string;
  /** The first ones, those that match before others. */
  subjects: Subject[];
  subjectCount: number;
  /** The algorithm of the digest by which it is about the artifact. */
  about: Algorithm;
  verified: boolean;
  /** All trusted signers. */
  signers: readonly Signer[];
  fault?: SignatureFault;
  /** What is read of a verified statement. An unverified one may say anything. */
  fields: PredicateFields;
}

type Algorithm = 'sha256' | 'sha512' | 'gitCommit';

const NAME = 'The attestation';
const SUBJECTS_SHOWN = 10;

/**
 * Throws `Unreadable` for anything but envelopes with in-toto statements, and for a file without a statement about this
 * digest. An untrusted or wrong signature is a result and not an error.
 */
export function verifyInToto(
  file: { bytes: Uint8Array },
  trust: Trust,
  fingerprint: string,
  names: readonly string[] = [],
): Verified {
  const all = readEnvelopes(NAME, file.bytes).map(({ name, document }) => {
    const { envelope, check } = readSigned(name, document, trust);
    return { statement: readStatement(`${name}: payload`, envelope.payload), check };
  });
  const own = new Set([fingerprint]);
  const direct = all.filter(({ statement }) => isAbout(statement, 'sha256', own));
  const found = direct.map(({ statement, check }) => read(statement, check(), 'sha256', own));
  if (found.length > 0)
    found.push(
      ...linkedTo(
        found,
        fingerprint,
        all.filter((one) => !direct.includes(one)),
      ),
    );
  const [first] = found;
  if (!first) {
    throw otherSubject(
      NAME,
      all.map(({ statement }) => statement),
      fingerprint,
    );
  }
  return verdictOn(found, first, { others: all.length - found.length, vex: vexIn(found, { fingerprint, names }) });
}

interface Found {
  readonly whole: WholeStatement;
  readonly check: Check;
  readonly statement: ReadStatement;
  readonly components: SbomComponent[];
  readonly vex: VexDocument | undefined;
}

function read(whole: WholeStatement, check: Check, about: Algorithm, wanted: ReadonlySet<string>): Found {
  const { predicateType, subjects, predicate } = whole;
  const { fields, components, vex } = check.verified ? readPredicate(predicateType, predicate) : NOTHING;
  const isMatch = ({ digests }: Subject) => wanted.has(digests[about] ?? '');
  const shown = [...subjects.filter(isMatch), ...subjects.filter((one) => !isMatch(one))].slice(0, SUBJECTS_SHOWN);
  const statement: ReadStatement = {
    predicateType,
    subjects: shown,
    subjectCount: subjects.length,
    about,
    verified: check.verified,
    signers: check.verified ? check.signers : [],
    ...(check.verified ? {} : { fault: check.fault }),
    fields,
  };
  return { whole, check, statement, components, vex };
}

const NOTHING: Predicate = { fields: {}, components: [] };

/**
 * Statements about another digest of the artifact, or about the commit it was built from, if a verified statement about
 * the artifact says so: its subject has both digests, or its source is that commit. A reporter's word is not enough.
 */
function linkedTo(
  direct: readonly Found[],
  fingerprint: string,
  others: readonly { statement: WholeStatement; check: () => Check }[],
): Found[] {
  const proven = direct.filter(({ check }) => check.verified);
  const sha512 = new Set(
    proven.flatMap(({ whole }) =>
      whole.subjects.flatMap(({ digests }) => (digests['sha256'] === fingerprint ? (digests['sha512'] ?? []) : [])),
    ),
  );
  const gitCommit = new Set(proven.flatMap(({ statement }) => statement.fields.source?.commit ?? []));
  const links = { sha512, gitCommit };
  return others.flatMap(({ statement, check }) => {
    const about = (['sha512', 'gitCommit'] as const).find((algorithm) =>
      isAbout(statement, algorithm, links[algorithm]),
    );
    return about === undefined ? [] : [read(statement, check(), about, links[about])];
  });
}

function verdictOn(found: readonly Found[], first: Found, rest: Pick<Verified, 'others' | 'vex'>): Verified {
  const more = {
    statements: found.map(({ statement }) => statement),
    components: found.flatMap(({ components }) => components),
    ...rest,
  };
  for (const { check, whole } of found) {
    if (!check.verified) return { ...check, statement: inBrief(whole), ...more };
  }
  const { check, whole } = first;
  if (!check.verified) throw new Error('an unverified statement was not found');
  return { verified: true, by: check.signers[0], statement: inBrief(whole), ...more };
}

/** Documents that are too many for one list say nothing: a part of them could say the opposite. */
function vexIn(found: readonly Found[], subject: VexSubject): Vex | null {
  const [first, ...more] = found.flatMap(({ vex }) => vex ?? []);
  if (!first) return null;
  const author = [...new Set([first, ...more].map((one) => one.author))].filter(Boolean).join(', ');
  const claims = [first, ...more].flatMap((one) => one.claims);
  try {
    return vexAbout(NAME, { format: first.format, author, claims }, subject);
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/** The check is deferred, so that nothing is verified for a statement that is refused anyway. */
function readSigned(name: string, document: unknown, trust: Trust): { envelope: Envelope; check: () => Check } {
  if (isObject(document) && isSigstoreBundle(document)) {
    const { envelope, bundle } = readSigstoreBundle(name, document);
    if (!isBundleWithPublicKey(bundle)) return { envelope, check: () => checkIdentities(bundle, trust.identities) };
    const { hint } = bundle.verificationMaterial.content.publicKey;
    const hinted = { ...envelope, signatures: envelope.signatures.map(({ sig }) => ({ sig, keyid: hint })) };
    return { envelope, check: () => checkKeys(hinted, trust.keys) };
  }
  if (!isObject(document) || !('payloadType' in document)) {
    throw new Unreadable(`${name}: is neither a DSSE envelope (no "payloadType") nor a Sigstore bundle.`);
  }
  const envelope = shaped(name, Envelope, document);
  return { envelope, check: () => checkKeys(envelope, trust.keys) };
}
