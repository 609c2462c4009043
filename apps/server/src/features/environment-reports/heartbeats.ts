import type { Db } from '../../platform/db/db.ts';
import { isUnavailable } from '../../platform/db/failure.ts';
import type { Logger } from '../../platform/log.ts';
import { type Beat, type Reporter, updateHeartbeats } from './report.store.ts';

const FLUSH_MS = 1_000;

/** The arrival of a report is written at most this often per environment. */
const WRITTEN_EVERY_MS = 10_000;

const BATCH = 1_000;

/** Tracks when environments last reported, and which bytes need no parsing, without a write per report. */
export interface Heartbeats {
  add(reporter: Reporter, beat: Beat): void;
  close(): Promise<void>;
}

/** Losing this when the process dies costs nothing: the next report brings it again. */
export function createHeartbeats(db: Db, log: Logger): Heartbeats {
  const waiting = new Map<string, Beat>();
  let flushing = Promise.resolve();

  async function writeAll(): Promise<void> {
    const beats = [...waiting.values()];
    waiting.clear();
    for (let i = 0; i < beats.length; i += BATCH) await updateHeartbeats(db, beats.slice(i, i + BATCH));
  }

  function flush(): Promise<void> {
    flushing = flushing.then(writeAll).catch((error: unknown) => {
      if (!isUnavailable(error)) log.error({ err: error }, 'heartbeats could not be written');
    });
    return flushing;
  }

  const timer = setInterval(() => {
    if (waiting.size > 0) void flush();
  }, FLUSH_MS).unref();

  return {
    add(reporter, beat) {
      if (isWorthWriting(reporter, beat)) waiting.set(`${beat.org} ${beat.environment}`, beat);
    },
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

function isWorthWriting(reporter: Reporter, beat: Beat): boolean {
  const last = reporter.last_reported_at;
  return last === null || beat.at.getTime() - last.getTime() >= WRITTEN_EVERY_MS;
}
