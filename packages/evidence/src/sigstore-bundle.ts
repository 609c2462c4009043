import type { Bundle, BundleWithDsseEnvelope } from '@sigstore/bundle';
import {
  BUNDLE_V01_MEDIA_TYPE,
  BUNDLE_V02_MEDIA_TYPE,
  BUNDLE_V03_LEGACY_MEDIA_TYPE,
  BUNDLE_V03_MEDIA_TYPE,
  bundleFromJSON,
  isBundleWithDsseEnvelope,
} from '@sigstore/bundle';
import * as z from 'zod';
import { Envelope } from './dsse.ts';
import { shaped } from './shape.ts';
import { Unreadable } from './unreadable.ts';

const MEDIA_TYPE_START = 'application/vnd.dev.sigstore.bundle';
const MAX_PROOFS = 10;

const few = z.array(z.unknown()).max(MAX_PROOFS).nullish();

/** Bounds the work of the verifier; the rest is checked where the bundle is built. */
const SerializedBundle = z.object({
  mediaType: z.enum([
    BUNDLE_V01_MEDIA_TYPE,
    BUNDLE_V02_MEDIA_TYPE,
    BUNDLE_V03_LEGACY_MEDIA_TYPE,
    BUNDLE_V03_MEDIA_TYPE,
  ]),
  dsseEnvelope: Envelope,
  verificationMaterial: z.object({
    tlogEntries: few,
    timestampVerificationData: z.object({ rfc3161Timestamps: few }).nullish(),
    x509CertificateChain: z.object({ certificates: few }).nullish(),
  }),
});

export interface SigstoreBundle {
  envelope: Envelope;
  bundle: BundleWithDsseEnvelope;
}

export function isSigstoreBundle(document: Record<string, unknown>): boolean {
  const mediaType = document['mediaType'];
  return typeof mediaType === 'string' && mediaType.startsWith(MEDIA_TYPE_START);
}

export function readSigstoreBundle(name: string, document: Record<string, unknown>): SigstoreBundle {
  if ('messageSignature' in document) throw new Unreadable(`${name}: signs a file and contains no statement about it.`);
  const { dsseEnvelope: envelope } = shaped(name, SerializedBundle, document);
  const bundle = build(name, document);
  if (!isBundleWithDsseEnvelope(bundle) || !isSame(bundle, envelope)) {
    throw new Unreadable(`${name}: contains no unambiguous envelope.`);
  }
  return { envelope, bundle };
}

function build(name: string, document: unknown): Bundle {
  try {
    return bundleFromJSON(document);
  } catch (cause) {
    throw new Unreadable(`${name}: is not a complete Sigstore bundle.`, { cause });
  }
}

/** The verified bytes and the parsed statement must be the same. */
function isSame({ content: { dsseEnvelope: built } }: BundleWithDsseEnvelope, read: Envelope): boolean {
  return built.payloadType === read.payloadType && built.payload.equals(read.payload);
}
