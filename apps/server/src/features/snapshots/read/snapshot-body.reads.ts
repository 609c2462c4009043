import { hash } from 'node:crypto';
import type { Ctx } from '../../../platform/ctx.ts';
import type { WrittenText } from '../../../platform/http/raw-json.ts';
import { VERSION } from '../../../platform/version.ts';
import type { EnvironmentRow } from '../../environments/environment.reads.ts';
import { type CachedBody, createBodyCache } from './body-cache.ts';
import { readRunsAt, type SnapshotRow } from './snapshot.reads.ts';
import { digestFlowNames, readFlowNames, readSnapshotContext } from './snapshot-context.reads.ts';
import { snapshotText, storedParts } from './snapshot-view.ts';

interface Asked {
  readonly org: string;
  readonly publicUrl: string;
}

/** Ten bodies of large environments. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024;

const bodies = createBodyCache(MAX_CACHE_BYTES);

/** Concurrent requests share one write: after a change there are many. */
const beingWritten = new Map<string, Promise<CachedBody>>();

/**
 * Returns a snapshot as JSON in UTF-8. Many clients read the same one, so bodies are cached: their inputs never change
 * except for the names of flows, which are compared each time, and for what the stamp covers.
 */
export async function readSnapshotBody(
  ctx: Ctx,
  environment: EnvironmentRow,
  snapshot: SnapshotRow,
  asked: Asked,
): Promise<WrittenText> {
  const key = `${asked.publicUrl} ${asked.org} ${environment.id} ${snapshot.index}`;
  const stamp = stampOf(environment, snapshot);
  const known = bodies.find(key, stamp) ?? (await beingWritten.get(`${key} ${stamp}`));
  if (known && isSame(known.flowNames, await readFlowNames(ctx, known.flowNames.keys()))) return known;
  const writing = write(ctx, environment, snapshot, stamp, asked);
  beingWritten.set(`${key} ${stamp}`, writing);
  try {
    const written = await writing;
    // A damaged row is read again until it is restored.
    if (written.isWhole) bodies.add(key, written);
    return written;
  } finally {
    beingWritten.delete(`${key} ${stamp}`);
  }
}

async function write(
  ctx: Ctx,
  environment: EnvironmentRow,
  snapshot: SnapshotRow,
  stamp: string,
  asked: Asked,
): Promise<CachedBody> {
  const runs = await readRunsAt(ctx, environment, snapshot.index);
  const snapshotContext = await readSnapshotContext(ctx, environment.id, runs, snapshot.next_at === null);
  const { text, isWhole } = snapshotText(snapshot, runs, snapshotContext, {
    ...asked,
    environment,
    stored: storedParts(ctx.log),
  });
  return { stamp, flowNames: snapshotContext.flowNames, body: Buffer.from(text), isWhole };
}

/**
 * Identifies the body of a snapshot without writing it, by the key and stamp of a cached body and the names of all
 * flows that it can show.
 */
export async function snapshotTag(
  ctx: Ctx,
  environment: EnvironmentRow,
  snapshot: SnapshotRow,
  asked: Asked,
): Promise<string> {
  const written = [
    ...[VERSION, asked.publicUrl, asked.org, environment.id, snapshot.index, stampOf(environment, snapshot)],
    ...[snapshot.next_at?.getTime() ?? null, await digestFlowNames(ctx, snapshot.next_at)],
  ];
  return `"${hash('sha256', JSON.stringify(written)).slice(0, 32)}"`;
}

/**
 * Instances of the latest snapshot are replaced when they change; a journal entry records that, and raises the
 * revision.
 */
export function stampOf({ name, revision }: EnvironmentRow, { next_at }: SnapshotRow): string {
  return next_at ? name : `${name} latest ${revision}`;
}

function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  if (a.size !== b.size) return false;
  for (const [id, name] of a) if (b.get(id) !== name) return false;
  return true;
}
