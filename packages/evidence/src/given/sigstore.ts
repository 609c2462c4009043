import type { KeyObject } from 'node:crypto';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { dsse } from '@sigstore/core';
import { initializeCA, initializeCTLog, initializeTLog, initializeTSA } from '@sigstore/mock';
import { PAYLOAD_TYPE } from './envelope.ts';

const ISSUER_OID = '1.3.6.1.4.1.57264.1.8';
const SHA256_OID = '2.16.840.1.101.3.4.2.1';
const POLICY_OID = '1.3.6.1.4.1.57264.2';
const LOG_HOST = 'rekor.example.com';

export type GivenSigstore = Awaited<ReturnType<typeof givenSigstore>>;

export interface Wishes {
  subject: string;
  issuer: string;
  proof: 'log' | 'timestamp' | 'both' | 'none';
}

/** The response of the log; its own types are not published. */
interface LoggedEntry {
  body: string;
  integratedTime: number;
  logID: string;
  logIndex: number;
  verification: {
    signedEntryTimestamp: string;
    inclusionProof: { logIndex: number; treeSize: number; rootHash: string; checkpoint: string };
  };
}

/** A certificate authority with its log, a transparency log and a timestamp authority, all in memory. */
export async function givenSigstore({ hasLogs = true } = {}) {
  const keys = { ca: ecKey('P-384'), ct: ecKey(), log: ecKey(), tsa: ecKey('P-384') };
  // Before the certificates made below, in whole seconds: a fraction without three digits is not read back.
  const clock = new Date(Math.ceil(Date.now() / 1000) * 1000 + 60_000);
  const ctLog = await initializeCTLog(keys.ct, clock);
  const ca = await initializeCA(keys.ca, hasLogs ? ctLog : undefined, clock);
  const log = await initializeTLog(`https://${LOG_HOST}`, keys.log, clock);
  const tsa = await initializeTSA(keys.tsa, clock);
  const start = new Date(Date.now() - 60_000).toISOString();

  const authority = (...certificates: ArrayBufferView[]) => ({
    certChain: { certificates: certificates.map((certificate) => ({ rawBytes: base64(certificate) })) },
    validFor: { start },
  });
  const logInstance = (baseUrl: string, { publicKey }: { publicKey: KeyObject }) => {
    const der = publicKey.export({ type: 'spki', format: 'der' });
    return {
      baseUrl,
      hashAlgorithm: 'SHA2_256',
      publicKey: { rawBytes: base64(der), keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor: { start } },
      logId: { keyId: createHash('sha256').update(der).digest('base64') },
    };
  };

  return {
    ca,
    log,
    tsa,
    /** As `trusted_root.json` has it. */
    root: {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: hasLogs ? [logInstance(`https://${LOG_HOST}`, keys.log)] : [],
      certificateAuthorities: [authority(ca.rootCertificate)],
      ctlogs: hasLogs ? [logInstance('https://ct.example.com', keys.ct)] : [],
      timestampAuthorities: [authority(tsa.intCertificate, tsa.rootCertificate)],
    },
  };
}

export async function givenBundle({ ca, log, tsa }: GivenSigstore, payload: string, wishes: Wishes) {
  const signer = ecKey();
  const certificate = await ca.issueCertificate({
    publicKey: signer.publicKey.export({ type: 'spki', format: 'der' }) as Buffer<ArrayBuffer>,
    subjectAltName: wishes.subject,
    extensions: [{ oid: ISSUER_OID, value: wishes.issuer }],
  });
  const bytes = Buffer.from(payload);
  const signature = sign('sha256', dsse.preAuthEncoding(PAYLOAD_TYPE, bytes), signer.privateKey);
  const includes = (proof: Wishes['proof']) => wishes.proof === 'both' || wishes.proof === proof;
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: {
      certificate: { rawBytes: base64(certificate) },
      tlogEntries: includes('log') ? [await logged(log, bytes, signature, certificate)] : [],
      timestampVerificationData: {
        rfc3161Timestamps: includes('timestamp') ? [{ signedTimestamp: await timestamp(tsa, signature) }] : [],
      },
    },
    dsseEnvelope: {
      payloadType: PAYLOAD_TYPE,
      payload: bytes.toString('base64'),
      signatures: [{ sig: signature.toString('base64'), keyid: '' }],
    },
  };
}

async function logged(log: GivenSigstore['log'], payload: Buffer, signature: Buffer, certificate: ArrayBufferView) {
  const entries: Record<string, LoggedEntry> = await log.log({
    kind: 'dsse',
    apiVersion: '0.0.1',
    spec: {
      payloadHash: { algorithm: 'sha256', value: createHash('sha256').update(payload).digest('hex') },
      signatures: [{ signature: signature.toString('base64'), verifier: base64(certificate) }],
    },
  });
  const [entry] = Object.values(entries);
  if (!entry) throw new Error('the log gave no entry');
  const { inclusionProof: proof, signedEntryTimestamp } = entry.verification;
  return {
    logIndex: String(entry.logIndex),
    logId: { keyId: Buffer.from(entry.logID, 'hex').toString('base64') },
    kindVersion: { kind: 'dsse', version: '0.0.1' },
    integratedTime: String(entry.integratedTime),
    inclusionPromise: { signedEntryTimestamp },
    inclusionProof: {
      logIndex: String(proof.logIndex),
      treeSize: String(proof.treeSize),
      rootHash: Buffer.from(proof.rootHash, 'hex').toString('base64'),
      hashes: [],
      checkpoint: { envelope: proof.checkpoint },
    },
    canonicalizedBody: entry.body,
  };
}

async function timestamp(tsa: GivenSigstore['tsa'], signature: Buffer): Promise<string> {
  const artifactHash = createHash('sha256').update(signature).digest();
  const request = { artifactHash, hashAlgorithmOID: SHA256_OID, policyOID: POLICY_OID, nonce: 7 };
  return base64(await tsa.timestamp(request));
}

function ecKey(namedCurve = 'P-256') {
  return generateKeyPairSync('ec', { namedCurve });
}

function base64(view: ArrayBufferView): string {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64');
}
