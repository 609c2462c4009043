import { createPublicKey, X509Certificate } from 'node:crypto';
import { z } from 'zod';

const MAX_LENGTH = 64 * 1024;

const Certificate = z.looseObject({ rawBytes: z.base64().refine(isCertificate, 'is not a certificate') });
const Chain = z.looseObject({ certificates: z.array(Certificate).min(1).max(10) });
const Validity = z.looseObject({ start: z.iso.datetime({ offset: true }) });
const Authority = z.looseObject({ certChain: Chain, validFor: Validity });
const Log = z.looseObject({
  publicKey: z.looseObject({ rawBytes: z.base64().refine(isPublicKey, 'is not a public key'), validFor: Validity }),
  logId: z.looseObject({ keyId: z.base64() }),
});

/** The part of Sigstore's trusted_root.json that verification needs. */
const TrustedRoot = z
  .looseObject({
    mediaType: z.string().startsWith('application/vnd.dev.sigstore.trustedroot'),
    certificateAuthorities: z.array(Authority).min(1).max(20),
    tlogs: z.array(Log).max(20).default([]),
    ctlogs: z.array(Log).max(20).default([]),
    timestampAuthorities: z.array(Authority).max(20).default([]),
  })
  .refine((root) => root.tlogs.length + root.timestampAuthorities.length > 0, {
    // A certificate is valid for minutes: something must prove when it was used.
    message: 'must name a transparency log or a timestamp authority',
    path: ['tlogs'],
  });

/** Returns what is wrong with a trusted root, with its path; undefined if nothing. */
export function trustedRootFault(root: unknown): string | undefined {
  if ((JSON.stringify(root) ?? '').length > MAX_LENGTH) return `must be at most ${MAX_LENGTH / 1024} KiB of JSON`;
  const issue = TrustedRoot.safeParse(root).error?.issues[0];
  if (!issue) return undefined;
  const place = issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
  return `is not a Sigstore trusted root: ${place}${issue.message}`;
}

function isCertificate(base64: string): boolean {
  return !fails(() => new X509Certificate(Buffer.from(base64, 'base64')));
}

function isPublicKey(base64: string): boolean {
  return !fails(() => createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' }));
}

function fails(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}
