import {
  buildConsistencyProof,
  FormatError,
  formatAddCheckpoint,
  nodesOfTiles,
  parseConflict,
  parseSignedCheckpoint,
  parseVerifierKey,
  tilesForConsistency,
} from '@waymark/transparency';
import type { Db } from '../../db/db.ts';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';
import { findOutboundError } from '../../outbound/outbound-error.ts';
import { type NewestCheckpoint, readNewestCheckpoint } from '../newest-checkpoint.ts';
import { readRegionTiles } from '../region-tiles.ts';
import { nodeSha256 } from '../tree.ts';
import { readCosignature } from './read-cosignature.ts';
import { type AskedWitness, type Cosignature, findSignedSize, type LastCosigned } from './witness.store.ts';
import { WitnessProblem } from './witness-problem.ts';

/** First with the size that is known here, then with the one that the witness has. A third time if that has just grown. */
const MAX_REQUESTS = 3;

interface AskParts {
  readonly db: Db;
  readonly outbound: GuardedFetch;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

export interface WitnessAnswer {
  readonly checkpoint: NewestCheckpoint;
  readonly cosignature: Cosignature;
}

/**
 * Asks a witness for its cosignature of the newest checkpoint. If it cosigned another size last than is known here, as
 * after an answer that was lost, it says so, and is asked again from there: what it says counts if this log has signed a
 * checkpoint of that size.
 */
export async function askWitness(
  parts: AskParts,
  witness: AskedWitness,
  state: LastCosigned,
  newest: NewestCheckpoint,
): Promise<WitnessAnswer> {
  let checkpoint = newest;
  let oldSize = state.epoch === newest.epoch ? Math.min(state.size, newest.size) : 0;
  for (let requests = 1; requests <= MAX_REQUESTS; requests += 1) {
    const response = await send(parts, witness, checkpoint, oldSize);
    if (response.status === 200) {
      const key = parseVerifierKey(witness.verifierKey);
      return { checkpoint, cosignature: await readCosignature(response.body, checkpoint.note, key, parts.now()) };
    }
    if (response.status !== 409) throw problemOf(response.status, checkpoint);
    const size = sizeOf(response.body);
    if (size === oldSize)
      throw new WitnessProblem(`It has cosigned another tree of ${size} leaves than the one of this log`, CONTRADICTS);
    // It may have got a checkpoint meanwhile that is newer than the one it was sent.
    checkpoint = (await readNewestCheckpoint(parts.db)) ?? checkpoint;
    if (checkpoint.epoch !== newest.epoch) throw new WitnessProblem('A new epoch began while it was asked');
    if (size > 0 && !(await findSignedSize(parts.db, checkpoint.epoch, size)))
      throw new WitnessProblem(
        `It has cosigned a checkpoint of ${size} leaves, which this log has not signed: PostgreSQL was restored to an ` +
          'earlier point, or somebody else signs with the key of this log',
        CONTRADICTS,
      );
    oldSize = size;
  }
  throw new WitnessProblem(`It had another size each time it was asked, ${MAX_REQUESTS} times`);
}

const CONTRADICTS = { contradicts: true };

async function send(
  { db, outbound, signal }: AskParts,
  { url }: AskedWitness,
  { epoch, note }: NewestCheckpoint,
  oldSize: number,
): Promise<{ status: number; body: Uint8Array }> {
  const signed = parseSignedCheckpoint(note);
  const proof = await readProof(db, epoch, oldSize, signed.checkpoint.size);
  const body = formatAddCheckpoint({ oldSize, proof, signed });
  try {
    const response = await outbound(`${url.replace(/\/+$/, '')}/add-checkpoint`, { method: 'POST', body, signal });
    return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
  } catch (error) {
    if (signal.aborted) throw error;
    throw new WitnessProblem(findOutboundError(error)?.message ?? 'The request failed', { cause: error });
  }
}

async function readProof(db: Db, epoch: number, oldSize: number, size: number) {
  if (oldSize === 0 || oldSize === size) return [];
  const readTile = await readRegionTiles(db, epoch, tilesForConsistency(oldSize, size));
  return buildConsistencyProof(oldSize, size, nodesOfTiles(readTile, nodeSha256), nodeSha256);
}

function sizeOf(body: Uint8Array): number {
  try {
    return parseConflict(body);
  } catch (error) {
    if (error instanceof FormatError) throw new WitnessProblem('It responded with status 409 without the size it has');
    throw error;
  }
}

function problemOf(status: number, { note }: NewestCheckpoint): WitnessProblem {
  const { origin } = parseSignedCheckpoint(note).checkpoint;
  if (status === 404) return new WitnessProblem(`It does not know the log ${origin}, or its URL is wrong`);
  if (status === 403) return new WitnessProblem(`It does not know the key of the log ${origin}`);
  if (status === 422)
    return new WitnessProblem('It has cosigned a checkpoint that this log does not extend', { contradicts: true });
  return new WitnessProblem(`It responded with status ${status}`);
}
