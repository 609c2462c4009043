import { afterAll } from 'vitest';
import { buildApi } from '../../src/app/api.ts';
import { createListeners, type Listeners } from '../../src/features/activity/feed/listeners.ts';
import { openDb } from '../../src/platform/db/db.ts';
import type { App } from '../../src/platform/http/app.ts';
import { noLog, type TestApi } from '../harness.ts';

/**
 * Another server over the same database, with separate connections. `onQuery` sees the text of its queries, and
 * `listeners` are those of its event streams.
 */
export function givenSecondServer(
  api: TestApi,
  onQuery?: (text: string) => void,
  listeners: Listeners = createListeners(),
): App {
  const db = openDb({ url: api.url, poolSize: 4, statementTimeoutMs: 30_000 }, noLog, onQuery);
  const app = buildApi({ ...api.parts, db }, listeners);
  afterAll(async () => {
    app.drain();
    await app.http.close();
    await db.destroy();
  });
  return app;
}
