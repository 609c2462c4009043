import * as api from '@waymark/contract';
import { API_PREFIX, type App } from '../../platform/http/app.ts';
import { handlePublic } from '../../platform/http/handle.ts';
import { handlePublicFile, THE_PUBLIC } from '../../platform/http/small-file.ts';
import { FRESH, tileFile } from './ledger-file.ts';
import { toRegionEpoch } from './ledger-view.ts';
import { listRegionEpochs } from './region-epoch.reads.ts';
import { readRegionCheckpoint, readRegionResource } from './region-log.reads.ts';
import type { ServedLedger } from './served-ledger.ts';
import { readTrustPolicy } from './trust-policy.reads.ts';

/** The region log is public: it says nothing about orgs. */
export function regionLogRoutes(app: App, config: ServedLedger): void {
  handlePublic(app, api.getRegionLogs, async (_, __, out) => {
    const epochs = await listRegionEpochs(app.shares.of(THE_PUBLIC));
    out.header('cache-control', FRESH);
    return {
      name: config.name,
      current: epochs[0]?.epoch ?? null,
      epochs: epochs.map((epoch) => ({ ...toRegionEpoch(epoch), verifier_keys: [...epoch.verifier_keys] })),
    };
  });

  handlePublicFile(app, api.getTrustPolicy, async ({ db }) => ({
    content: await readTrustPolicy(db, config.witnesses, app.publicUrl + API_PREFIX),
    cacheControl: FRESH,
  }));

  handlePublicFile(app, api.getRegionCheckpoint, async ({ db }, { params }) => ({
    content: await readRegionCheckpoint(db, config.witnesses, params.epoch),
    cacheControl: FRESH,
  }));

  handlePublicFile(app, api.getRegionTile, async (ctx, { params }) =>
    tileFile(params.path, (resource) => readRegionResource(ctx, config.objects, params.epoch, resource), 'public'),
  );
}
