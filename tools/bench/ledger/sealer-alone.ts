import { loadConfig } from '../../../apps/server/src/config/env.ts';
import { createAlarm } from '../../../apps/server/src/platform/alarm.ts';
import { openObjects } from '../../../apps/server/src/platform/blobs/open-objects.ts';
import { openDb } from '../../../apps/server/src/platform/db/db.ts';
import { publishSequenced } from '../../../apps/server/src/platform/journal/notices.ts';
import { runSequencer } from '../../../apps/server/src/platform/journal/sequencer.ts';
import { linkStream } from '../../../apps/server/src/platform/journal/stream.ts';
import { parseLogKeys } from '../../../apps/server/src/platform/ledger/log-keys.ts';
import { runSealer } from '../../../apps/server/src/platform/ledger/sealer.ts';
import { createLogger } from '../../../apps/server/src/platform/log.ts';

/** A worker that only sequences and seals, so that a bench measures these and nothing that follows from entries. */
const config = loadConfig(process.env);
const log = createLogger(config.logLevel);
const db = openDb({ ...config.database, poolSize: 3 }, log);
const stream = linkStream(config.stream, 'waymark-bench-sealer', log);
const stopping = new AbortController();
const sequenced = createAlarm();
process.once('SIGTERM', () => stopping.abort());
const parts = { db, log, signal: stopping.signal };
const keys = await parseLogKeys(config.ledger.keys);
await Promise.all([
  runSequencer({
    ...parts,
    stream,
    onSequenced(passed) {
      sequenced.wake();
      publishSequenced(stream, passed);
    },
  }),
  runSealer({ ...parts, objects: openObjects(config.blobs), name: config.ledger.name, keys, sequenced }),
]);
await stream.close();
await db.destroy();
