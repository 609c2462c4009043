import { searchNames } from '@waymark/contract';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import * as reads from './name-search.reads.ts';

export function nameSearchRoutes(app: App): void {
  handle(app, searchNames, async (ctx, { query }) => {
    const whole = query.q.trim();
    const asked = { whole, words: whole.split(/\s+/), limit: query.limit ?? 6 };
    const [flows, environments, policies, controls, trails, artifacts] = await Promise.all([
      reads.listFlowsNamed(ctx, asked),
      reads.listEnvironmentsNamed(ctx, asked),
      reads.listPoliciesNamed(ctx, asked),
      reads.listControlsNamed(ctx, asked),
      reads.listTrailsNamed(ctx, asked),
      reads.listArtifactsNamed(ctx, asked),
    ]);
    return { flows, environments, policies, controls, trails, artifacts };
  });
}
