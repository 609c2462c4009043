import { feedRoutes } from '../features/feed/feed.routes.ts';
import type { Listeners } from '../features/feed/listeners.ts';
import { flowRoutes } from '../features/flows/flow.routes.ts';
import { referenceRoutes } from '../features/reference/reference.routes.ts';
import { tagRoutes } from '../features/tags/tag.routes.ts';
import { type App, type AppParts, createApp } from '../platform/http/app.ts';

/** Everything the API serves. Needs no port: tests call it directly. */
export function buildApi(parts: AppParts, listeners: Listeners): App {
  const app = createApp(parts);
  flowRoutes(app);
  tagRoutes(app);
  feedRoutes(app, listeners);
  referenceRoutes(app);
  return app;
}
