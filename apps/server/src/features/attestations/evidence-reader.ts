import type { StoredFile } from '@waymark/contract';
import type { Findings, JunitReport, Sbom, Trust, Verified, Vex, VexSubject } from '@waymark/evidence';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Reading } from '../../platform/sandbox/read-evidence.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { refusedIfUnbounded } from './bounded.ts';

/** Parses attached files in the sandbox: senders control their content. */
export interface EvidenceReader {
  /** Undefined for another format, where the results may have been sent beside the file. */
  junit(org: string, file: StoredFile, mayBeOther: boolean): Promise<JunitReport | undefined>;
  findings(org: string, file: StoredFile, mayBeOther: boolean): Promise<Findings | undefined>;
  sbom(org: string, file: StoredFile): Promise<Sbom>;
  vex(org: string, file: StoredFile, subject: VexSubject): Promise<Vex>;
  inToto(org: string, file: StoredFile, trust: Trust, about: SignedArtifact): Promise<Verified>;
}

export interface SignedArtifact {
  readonly fingerprint: string;
  readonly names: readonly string[];
}

const TIMEOUT_MS = 10_000;

export function createEvidenceReader(blobs: BlobStore, sandbox: Sandbox): EvidenceReader {
  async function fileOf(org: string, file: StoredFile): Promise<{ name: string; bytes: Uint8Array }> {
    const blob = await blobs.open(org, file.sha256);
    if (!blob) throw new Error(`the attachment ${file.sha256} was stored and is not there`);
    return { name: file.filename, bytes: Buffer.concat(await blob.stream.toArray()) };
  }

  /** Domain rule: an unreadable file is refused, and nothing is recorded. */
  async function readable<Value>(reading: Promise<Reading<Value>>): Promise<Value> {
    const value = await readableOrOther(reading, false);
    if (value === undefined) throw new Error('a file of another format was not refused');
    return value;
  }

  async function readableOrOther<Value>(
    reading: Promise<Reading<Value>>,
    mayBeOther: boolean,
  ): Promise<Value | undefined> {
    const read = await refusedIfUnbounded('attachment_file', reading);
    if (read.ok) return read.value;
    if (read.other && mayBeOther) return undefined;
    throw invalidField('attachment_file', `cannot be read: ${read.problem}`);
  }

  const within = { timeoutMs: TIMEOUT_MS };
  return {
    junit: (org, file, mayBeOther) =>
      readableOrOther(
        sandbox.run(org, 'readJunit', () => fileOf(org, file), within),
        mayBeOther,
      ),
    findings: (org, file, mayBeOther) =>
      readableOrOther(
        sandbox.run(org, 'readFindings', () => fileOf(org, file), within),
        mayBeOther,
      ),
    sbom: (org, file) => readable(sandbox.run(org, 'readSbom', () => fileOf(org, file), within)),
    vex: (org, file, subject) =>
      readable(sandbox.run(org, 'readVex', async () => ({ ...(await fileOf(org, file)), subject }), within)),
    inToto: (org, file, trust, about) =>
      readable(
        sandbox.run(org, 'verifyInToto', async () => ({ ...(await fileOf(org, file)), trust, ...about }), within),
      ),
  };
}
