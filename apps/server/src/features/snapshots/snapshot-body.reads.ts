import { hash } from 'node:crypto';
import type { Ctx } from '../../platform/ctx.ts';
import type { WrittenText } from '../../platform/http/json-text.ts';
import { VERSION } from '../../platform/version.ts';
import type { EnvironmentRow } from '../environments/environment.reads.ts';
import { createKeptBodies, type KeptBody } from './kept-bodies.ts';
import { readRunsAt, type SnapshotRow } from './snapshot.reads.ts';
import { snapshotText } from './snapshot-view.ts';
import { readFlowNames, readSurroundings } from './surroundings.reads.ts';

interface Asked {
  readonly org: string;
  readonly publicUrl: string;
}

/** Ten answers about large environments. */
const KEPT_BYTES = 64 * 1024 * 1024;

const bodies = createKeptBodies(KEPT_BYTES);

/** Those that ask while it is being written wait for it: after a change many do. */
const beingWritten = new Map<string, Promise<KeptBody>>();

/**
 * A snapshot as JSON in UTF-8. Many ask for the same one, so that answers are kept: what they were written from does not
 * change but for the names of flows, which are looked up, and for what the stamp says.
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
    bodies.keep(key, written);
    return written.body;
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
): Promise<KeptBody> {
  const runs = await readRunsAt(ctx, environment, snapshot.index);
  const surroundings = await readSurroundings(ctx, environment.id, runs, snapshot.next_at === null);
  const body = Buffer.from(snapshotText(snapshot, runs, surroundings, { ...asked, environment }));
  return { stamp, flowNames: surroundings.flowNames, body };
}

/** Instances of the latest snapshot are replaced when they change, which an entry of the journal tells, and so counts. */
export function stampOf({ name, revision }: EnvironmentRow, { next_at }: SnapshotRow): string {
  return next_at ? name : `${name} latest ${revision}`;
}

function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  if (a.size !== b.size) return false;
  for (const [id, name] of a) if (b.get(id) !== name) return false;
  return true;
}
