import * as api from '@waymark/contract';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { switchExperimentalFeatures } from './org.service.ts';

export function orgRoutes(app: App): void {
  handle(app, api.putExperimentalFeatures, async (ctx, { body }) => {
    await switchExperimentalFeatures(ctx, body.experimental_features_enabled);
    return body;
  });
}
