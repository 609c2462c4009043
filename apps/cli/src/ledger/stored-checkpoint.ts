import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { FormatError, parseSignedCheckpoint, type SignedCheckpoint } from '@waymark/transparency';
import { z } from 'zod';
import { usageError } from '../run/cli-error.ts';
import { replaceFile } from '../run/replace-file.ts';

const Head = z.object({ log: z.string(), size: z.number().int().min(0), root: z.hex().length(64) });

const Stored = z.object({
  v: z.literal(1),
  /** The last verified checkpoint of the region log, as it was signed. */
  region: z.object({ epoch: z.number().int().min(1), checkpoint: z.string() }),
  /** The last verified head of the log of the org. */
  org: Head.nullable(),
  /** The last checkpoint of each epoch that ended, and when its successor was accepted. */
  ended: z.array(z.object({ epoch: z.number().int(), checkpoint: z.string(), accepted_at: z.string() })),
});
export type Stored = z.infer<typeof Stored>;

export interface StoredCheckpoint {
  readonly stored: Stored;
  readonly signed: SignedCheckpoint;
}

/** Returns what a monitor verified last, or undefined for its first check. */
export function readStored(path: string): StoredCheckpoint | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  try {
    const stored = Stored.parse(JSON.parse(text));
    return { stored, signed: parseSignedCheckpoint(stored.region.checkpoint) };
  } catch (error) {
    if (!(error instanceof z.ZodError || error instanceof SyntaxError || error instanceof FormatError)) throw error;
    throw usageError(
      `${path} is not a checkpoint file of this command`,
      'Restore it from a backup. Without it, nothing proves what the log was before; --state chooses another file',
    );
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces the file at once, so that a power cut leaves the old or the new one. */
export function writeStored(path: string, stored: Stored): void {
  mkdirSync(dirname(path), { recursive: true });
  replaceFile(path, `${JSON.stringify(stored, null, 2)}\n`);
}
