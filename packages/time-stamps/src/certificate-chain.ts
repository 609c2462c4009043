import {
  basicConstraintsOf,
  type Certificate,
  extendedKeyUsageOf,
  isIssuedBy,
  keyUsageOf,
  unknownExtensionOf,
} from './certificate.ts';
import { sameBytes } from './fields.ts';
import { TimeStampError } from './time-stamp-error.ts';

const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const ANY_PURPOSE = '2.5.29.37.0';
const DIGITAL_SIGNATURE = 0;
const NON_REPUDIATION = 1;
const CERTIFICATE_SIGNING = 5;
/** Certificates of authorities between the signer and a root. */
const MAX_BETWEEN = 4;

/** Verifies that a certificate may sign time stamps, and nothing else, as RFC 3161 demands. */
export function checkPurpose(signer: Certificate): void {
  const usage = extendedKeyUsageOf(signer);
  if (usage?.purposes.length !== 1 || usage.purposes[0] !== TIME_STAMPING)
    throw new TimeStampError('the certificate of the signer is not one for time stamps only');
  if (!usage.isCritical)
    throw new TimeStampError('the certificate of the signer names its purpose without marking it as critical');
  const bits = keyUsageOf(signer);
  if (bits && (bits.length === 0 || bits.some((bit) => bit !== DIGITAL_SIGNATURE && bit !== NON_REPUDIATION)))
    throw new TimeStampError('the key of the signer may be used for something other than signatures');
}

interface Vouching {
  readonly roots: readonly Certificate[];
  /** Came with the token. */
  readonly others: readonly Certificate[];
  readonly at: Date;
}

/** Verifies that one of the roots vouched for the signer at this time. */
export async function checkChain(signer: Certificate, vouching: Vouching): Promise<void> {
  if (vouching.roots.length === 0) throw new TimeStampError('no root certificate is configured');
  const fault = usableFault(signer, vouching.at);
  if (fault !== undefined) throw new TimeStampError(fault);
  let problem = 'no configured root certificate vouches for the signer';
  let reached: readonly Certificate[] = [signer];
  for (let between = 0; between <= MAX_BETWEEN + 1; between += 1) {
    if (reached.some((certificate) => vouching.roots.some((root) => sameBytes(root.raw, certificate.raw)))) return;
    const found = await findIssuers(reached, between, vouching);
    problem = found.problem ?? problem;
    reached = found.issuers;
  }
  throw new TimeStampError(problem);
}

/** Each issuer once, so that certificates that name each other in circles end. */
async function findIssuers(reached: readonly Certificate[], between: number, { roots, others, at }: Vouching) {
  const issuers = new Set<Certificate>();
  let problem: string | undefined;
  for (const certificate of reached) {
    for (const issuer of [...roots, ...others]) {
      if (issuers.has(issuer) || !sameBytes(issuer.subject, certificate.issuer)) continue;
      const fault = await faultOf(certificate, issuer, between, at);
      if (fault === undefined) issuers.add(issuer);
      else problem = fault;
    }
  }
  return { issuers: [...issuers], problem };
}

async function faultOf(
  certificate: Certificate,
  issuer: Certificate,
  between: number,
  at: Date,
): Promise<string | undefined> {
  if (!(await isIssuedBy(certificate, issuer)))
    return `'${issuer.name}' did not sign the certificate '${certificate.name}'`;
  const { isCa, pathLength } = basicConstraintsOf(issuer);
  const bits = keyUsageOf(issuer);
  if (!isCa || (bits && !bits.includes(CERTIFICATE_SIGNING))) return `'${issuer.name}' must not issue certificates`;
  if (between > pathLength) return `'${issuer.name}' must not issue certificates of other authorities`;
  const usage = extendedKeyUsageOf(issuer);
  if (usage && !usage.purposes.some((purpose) => purpose === TIME_STAMPING || purpose === ANY_PURPOSE))
    return `'${issuer.name}' must not issue certificates for time stamps`;
  return usableFault(issuer, at);
}

function usableFault(certificate: Certificate, at: Date): string | undefined {
  const { name, notBefore, notAfter } = certificate;
  if (at < notBefore) return `the certificate '${name}' was not valid before ${notBefore.toISOString()}`;
  if (at > notAfter) return `the certificate '${name}' expired at ${notAfter.toISOString()}`;
  const unknown = unknownExtensionOf(certificate);
  return unknown && `the certificate '${name}' has the critical extension ${unknown}, which is not supported`;
}
