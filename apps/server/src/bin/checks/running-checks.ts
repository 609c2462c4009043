import { statfs } from 'node:fs/promises';
import { sql } from 'kysely';
import { sealedColumns } from '../../app/sealed-columns.ts';
import type { Config } from '../../config/env.ts';
import { listAbandonedReevaluations } from '../../features/runtime-verdicts/reevaluation/abandoned-reevaluation.reads.ts';
import type { BlobConfig } from '../../platform/blobs/open-blobs.ts';
import type { Db } from '../../platform/db/db.ts';
import { listDeadLetters } from '../../platform/journal/dead-letters.ts';
import { isKnownLife } from '../../platform/journal/life.ts';
import { LATE_AFTER_SECONDS, readWorkerState } from '../../platform/journal/worker-state.ts';
import { SEALED_PREFIX_LENGTH, sealedWith, secretKeyId } from '../../platform/secret-box.ts';
import { type Check, Fault } from './check.ts';

const MIN_FREE_BYTES = 1024 ** 3;
/** More are counted as this many. */
const MAX_COUNTED = 1_000;

/** What goes wrong while an installation runs, with settings that are right. */
export function runningChecks(db: Db, { blobs, secretKeys }: Config): Check[] {
  const needs = ['migrations'];
  return [
    { name: 'cluster', needs, run: () => checkLife(db) },
    { name: 'worker', needs, run: () => checkWorker(db) },
    { name: 'dead letters', needs, run: () => checkDeadLetters(db) },
    { name: 'sealed secrets', needs, run: () => checkSealed(db, secretKeys ?? []) },
    {
      name: 'disk space',
      needs: ['evidence files'],
      without: blobs.kind === 'directory' ? undefined : 'not used: evidence files are in a bucket',
      run: () => checkDisk(blobs),
    },
  ];
}

async function checkLife(db: Db): Promise<string> {
  if (await isKnownLife(db)) return 'the journal is in the cluster and on the timeline where it was last sequenced';
  throw new Fault('The database was restored or moved, and takes no writes yet', {
    found: 'the PostgreSQL cluster or its timeline is not the one that the sequencer has recorded',
    fix: 'start a worker: it records the new cluster within a second',
  });
}

async function checkWorker(db: Db): Promise<string> {
  const { workers, lagSeconds } = await readWorkerState(db);
  const lag = `the oldest unprocessed journal entry is ${Math.round(lagSeconds)} s old`;
  if (workers === 0) {
    throw new Fault('No worker is running: notifications, re-evaluations, and event streams are delayed', {
      found: `no worker sent a heartbeat in the last 10 seconds${lagSeconds > 0 ? `; ${lag}` : ''}`,
      fix: 'start `waymark-server worker`, or `waymark-server all` in place of `api`',
    });
  }
  if (lagSeconds > LATE_AFTER_SECONDS) {
    throw new Fault('Workers are falling behind', {
      found: `${workers} alive, and ${lag}`,
      fix: 'read the worker log, or start another worker',
    });
  }
  return `${workers} alive, ${lagSeconds > 0 ? lag : 'every journal entry is processed'}`;
}

async function checkDeadLetters(db: Db): Promise<string> {
  const letters = await listDeadLetters(db, MAX_COUNTED);
  const abandoned = await listAbandonedReevaluations(db, MAX_COUNTED);
  if (letters.length + abandoned.length === 0) return 'none';
  const sources = Object.entries(Object.groupBy(letters, ({ processor }) => processor));
  const counts = sources.map(([processor, of = []]) => `${of.length} of ${processor}`);
  if (abandoned.length > 0) counts.push(`${abandoned.length} re-evaluations`);
  throw new Fault('Work failed too often and was set aside', {
    found: `${counts.join(', ')} in \`waymark-server dead-letters list\``,
    fix: 'read the errors in that list, fix their cause, then run `waymark-server dead-letters replay`',
  });
}

async function checkSealed(db: Db, keys: readonly Buffer[]): Promise<string> {
  const known = new Set(keys.map(secretKeyId));
  const lost = new Map<string, number>();
  let opened = 0;
  for (const { table, column } of sealedColumns) {
    const text = sql.ref(column);
    const { rows } = await sql<{ prefix: string; secrets: number }>`
      select left(${text}, ${SEALED_PREFIX_LENGTH}) as prefix, count(*) as secrets from ${sql.table(table)}
      where ${text} is not null group by 1`.execute(db);
    for (const { prefix, secrets } of rows) {
      const id = sealedWith(prefix);
      if (known.has(id)) opened += secrets;
      else lost.set(id, (lost.get(id) ?? 0) + secrets);
    }
  }
  if (lost.size === 0) return opened === 0 ? 'none' : `${opened}, all readable with WAYMARK_SECRET_KEY`;
  const found = [...lost].map(([id, secrets]) => `${secrets} sealed with key ${id}`).join(', ');
  throw new Fault('Stored secrets of webhooks, chats, or identity providers cannot be opened', {
    found: `${found}; WAYMARK_SECRET_KEY ${keys.length === 0 ? 'is not set' : 'does not contain that key'}`,
    fix: 'add the missing key to WAYMARK_SECRET_KEY, after the newest one; if it is lost, enter those secrets again',
  });
}

async function checkDisk(blobs: BlobConfig): Promise<string> {
  if (blobs.kind !== 'directory') return '';
  const { bavail, bsize } = await statfs(blobs.root);
  const free = bavail * bsize;
  const text = `${(free / 1024 ** 2).toFixed(0)} MiB free in ${blobs.root}`;
  if (free >= MIN_FREE_BYTES) return text;
  throw new Fault('The disk of the evidence files is almost full', {
    found: text,
    fix: 'enlarge the disk, or move the files to a larger one or to a bucket',
  });
}
