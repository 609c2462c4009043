import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { BlobStore } from '../../../platform/blobs/blob-store.ts';
import type { OnDifference } from '../difference.ts';
import type { LedgerRow } from '../order/ledger-page.ts';
import { recordedPayload } from '../records/subject-entries.ts';

interface FileParts {
  readonly blobs: BlobStore;
  readonly onDifference: OnDifference;
}

interface Attached {
  readonly attachment?: { readonly sha256: string; readonly size: number };
}

/** Reads the files that the attestations in a page of the ledger name. An erased entry names none any more. */
export async function compareFiles(parts: FileParts, org: string, rows: readonly LedgerRow[]): Promise<void> {
  for (const row of rows.filter(({ kind }) => kind === 'attestation')) {
    const { attachment }: Attached = recordedPayload(row) ?? {};
    if (!attachment) continue;
    const { index, subject } = row;
    const problem = await problemOf(parts.blobs, org, attachment);
    if (!problem) continue;
    const about = { org, table: 'object', row: attachment.sha256, column: null, index };
    parts.onDifference({ ...about, says: `${problem}, attached to attestation ${subject}` });
  }
}

/** A full read fails at its end if the content does not match. */
async function problemOf(
  blobs: BlobStore,
  org: string,
  { sha256, size }: NonNullable<Attached['attachment']>,
): Promise<string | undefined> {
  const found = await blobs.open(org, sha256);
  if (!found) return 'is missing';
  if (found.size !== size) {
    found.stream.destroy();
    return `has ${found.size} bytes, not ${size}`;
  }
  try {
    await drain(found.stream);
    return undefined;
  } catch (error) {
    return `does not have the content that it is named by (${(error as Error).message})`;
  }
}

async function drain(stream: Readable): Promise<void> {
  await finished(stream.resume());
}
