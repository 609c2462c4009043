import { openAsBlob, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { saveDownload } from '../resources/save-download.ts';
import { CliError } from '../run/cli-error.ts';
import type { ImportRun } from './import-run.ts';
import type { SourceAttestation } from './source-contracts.ts';
import type { TargetTrail } from './target-trail.ts';

export interface Attachment {
  readonly name: string;
  readonly content: Blob;
}

/** Runs the work with the attached file, which is on disk for so long. Undefined when the source has it no more. */
export async function withAttachment<T>(
  run: ImportRun,
  into: TargetTrail,
  attestation: SourceAttestation,
  work: (attachment: Attachment | undefined) => Promise<T>,
): Promise<T> {
  const response = await run.source.attachment(into.flow, into.trail, attestation.attestation_id);
  if (!response) return work(undefined);
  const file = join(run.scratch, 'attachment');
  try {
    await save(run, response, { file, sha256: attestation.evidence_archive_fingerprint ?? null, overwrite: true });
    return await work({ name: nameOf(attestation), content: await openAsBlob(file) });
  } finally {
    rmSync(file, { force: true });
  }
}

async function save(run: ImportRun, response: Response, to: Parameters<typeof saveDownload>[2]): Promise<void> {
  const { signal } = run.target;
  // Nothing is written to standard output: the file has a name.
  const io = { cwd: run.scratch, signal, stdout: { write: () => undefined, isTty: false, columns: 0 } };
  try {
    await saveDownload(io, response, to);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CliError || (error instanceof Error && 'syscall' in error)) throw error;
    throw new CliError('unavailable', `The source ${run.source.host} cut off a download`, {
      why: error instanceof Error ? error.message : String(error),
      cause: error,
    });
  }
}

/** Other services answer with a path in their store. */
function nameOf({ evidence_archive_path: path, attestation_id: id }: SourceAttestation): string {
  return basename((path ?? '').replaceAll('\\', '/')) || `attestation-${id}`;
}
