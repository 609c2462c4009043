import { loadConfig } from '../../../apps/server/src/config/env.ts';
import { openDb } from '../../../apps/server/src/platform/db/db.ts';
import { publishSequenced } from '../../../apps/server/src/platform/journal/notices.ts';
import { runSequencer } from '../../../apps/server/src/platform/journal/sequencer.ts';
import { linkStream } from '../../../apps/server/src/platform/journal/stream.ts';
import { createLogger } from '../../../apps/server/src/platform/log.ts';

/** A worker that only sequences, so that a bench measures the sequencer and nothing that follows from it. */
const config = loadConfig(process.env);
const log = createLogger(config.logLevel);
const db = openDb({ ...config.database, poolSize: 2 }, log);
const stream = linkStream(config.stream, 'waymark-bench-sequencer', log);
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
await runSequencer({
  db,
  stream,
  log,
  signal: stopping.signal,
  onSequenced: (sequenced) => publishSequenced(stream, sequenced),
});
await stream.close();
await db.destroy();
