import type { BlobStore } from '../blobs/blob-store.ts';
import { type Db, probe } from '../db/db.ts';
import type { LifeCheck } from '../journal/life-check.ts';
import { isStreamUp, type StreamLink } from '../journal/stream.ts';
import { LATE_AFTER_SECONDS, readWorkerState } from '../journal/worker-state.ts';
import { pause } from '../pause.ts';
import { shareRunning } from '../share-running.ts';

export interface StatusParts {
  readonly db: Db;
  readonly life: LifeCheck;
  readonly blobs: BlobStore;
  /** Absent without NATS. */
  readonly stream?: Pick<StreamLink, 'current'> | undefined;
  readonly now: () => Date;
}

export interface ComponentStatus {
  readonly status: 'operational' | 'degraded' | 'unavailable' | 'unknown' | 'not_configured';
  /** What it means for users, unless all is well. */
  readonly detail?: string;
  readonly lag_seconds?: number;
}

export interface InstallationStatus {
  readonly status: 'operational' | 'degraded' | 'unavailable';
  readonly checkedAt: Date;
  readonly components: {
    readonly database: ComponentStatus;
    readonly evidence_files: ComponentStatus;
    readonly stream: ComponentStatus;
    readonly worker: ComponentStatus;
  };
}

/** Strangers may ask: this is how often they make the server ask its database and the others. */
const VALID_MS = 5_000;
const ANSWER_WITHIN_MS = 2_500;

/** Returns a function that checks each component at most every 5 seconds, however many call it, and never rejects. */
export function createStatusReader(parts: StatusParts): () => Promise<InstallationStatus> {
  let last: { readonly status: InstallationStatus; readonly until: number } | undefined;
  const read = shareRunning(async () => {
    const status = await readStatus(parts);
    last = { status, until: performance.now() + VALID_MS };
    return status;
  });
  return async () => (last && performance.now() < last.until ? last.status : read());
}

async function readStatus(parts: StatusParts): Promise<InstallationStatus> {
  const [database, evidenceFiles, stream, worker] = await Promise.all([
    orUnavailable(checkDatabase(parts), 'The database does not respond: nothing can be read or written.'),
    orUnavailable(checkBlobs(parts), 'Evidence files cannot be stored or read.'),
    orUnavailable(checkStream(parts), 'Events and processing are delayed by a few seconds.'),
    orUnavailable(checkWorker(parts), 'Unknown while the database does not respond.'),
  ]);
  const components = {
    database,
    evidence_files: evidenceFiles,
    stream,
    worker: worker.status === 'unavailable' && database.status === 'unavailable' ? unknown(worker) : worker,
  };
  return { status: overall(components), checkedAt: parts.now(), components };
}

function unknown({ detail = '' }: ComponentStatus): ComponentStatus {
  return { status: 'unknown', detail };
}

function overall(components: InstallationStatus['components']): InstallationStatus['status'] {
  if (components.database.status === 'unavailable') return 'unavailable';
  const isFine = ({ status }: ComponentStatus) => status === 'operational' || status === 'not_configured';
  return Object.values(components).every(isFine) ? 'operational' : 'degraded';
}

/** A check that takes too long counts as failed. */
async function orUnavailable(check: Promise<ComponentStatus>, detail: string): Promise<ComponentStatus> {
  const answered = new AbortController();
  const failed: ComponentStatus = { status: 'unavailable', detail };
  const late = pause(ANSWER_WITHIN_MS, answered.signal).then(() => failed);
  try {
    return await Promise.race([check, late]);
  } catch {
    return failed;
  } finally {
    answered.abort();
  }
}

async function checkDatabase({ db, life }: StatusParts): Promise<ComponentStatus> {
  await probe(db);
  if (await life.isKnown()) return { status: 'operational' };
  return {
    status: 'degraded',
    detail: 'The database was restored or moved: it is read-only until a worker has recorded that.',
  };
}

async function checkBlobs({ blobs }: StatusParts): Promise<ComponentStatus> {
  await blobs.check();
  return { status: 'operational' };
}

async function checkStream({ stream }: StatusParts): Promise<ComponentStatus> {
  if (!stream) return { status: 'not_configured' };
  if (await isStreamUp(stream)) return { status: 'operational' };
  throw new Error('NATS does not respond');
}

async function checkWorker({ db }: StatusParts): Promise<ComponentStatus> {
  const { workers, lagSeconds } = await readWorkerState(db);
  const lag = { lag_seconds: Math.round(lagSeconds) };
  if (workers === 0) {
    return {
      status: 'unavailable',
      detail: 'No worker is running: notifications and re-evaluations are delayed.',
      ...lag,
    };
  }
  if (lagSeconds <= LATE_AFTER_SECONDS) return { status: 'operational', ...lag };
  return { status: 'degraded', detail: 'Notifications and re-evaluations are delayed.', ...lag };
}
