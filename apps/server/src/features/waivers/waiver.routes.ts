import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { EXPORT_BATCH, handleExport } from '../../platform/export/handle-export.ts';
import { pagesAfter } from '../../platform/export/pages.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { nextLink } from '../../platform/http/links.ts';
import { epochSeconds, fromEpochSeconds } from '../../platform/time.ts';
import * as reads from './waiver.reads.ts';
import * as allowLists from './waiver.service.ts';
import { EXPORTED_WAIVERS } from './waiver-export.ts';

export function allowListRoutes(app: App): void {
  handle(app, api.allowArtifact, async (ctx, { params, body }) =>
    toWaiver(await allowLists.allowArtifact(ctx, params.env_name, fromInput(body))),
  );

  handle(app, api.withdrawWaiver, async (ctx, { params }) => {
    await allowLists.withdrawWaiver(ctx, params.env_name, params.fingerprint);
    return 'OK';
  });

  handle(app, api.listWaivers, async (ctx, { params, query }, out) => {
    const { waivers, next } = await list(ctx, query.environment_name, query);
    if (next) out.header('link', nextLink(app.publicUrl, `/allowlists/${params.org}`, { ...query, after: next }));
    return waivers;
  });

  handle(app, api.listEnvironmentWaivers, async (ctx, { params, query }, out) => {
    const { waivers, next } = await list(ctx, params.env_name, query);
    const path = `/allowlists/${params.org}/${params.env_name}`;
    if (next) out.header('link', nextLink(app.publicUrl, path, { ...query, after: next }));
    return waivers;
  });

  handleExport(app, api.exportWaivers, EXPORTED_WAIVERS, async (ctx, { params, query }) => {
    const filter = filterOf(query.environment_name, query);
    return {
      name: `waivers-${params.org}`,
      total: await reads.countWaivers(ctx, filter),
      pages: pagesAfter(async (after: string | undefined) => {
        const { waivers, next } = await reads.listWaiversFrom(ctx, filter, after, EXPORT_BATCH);
        return { items: waivers.map(toWaiver), next };
      }),
    };
  });
}

type ListQuery = api.Input<typeof api.listEnvironmentWaivers>['query'];

async function list(ctx: Ctx, environmentName: string | undefined, query: ListQuery) {
  const { waivers, next } = await reads.listWaiversFrom(ctx, filterOf(environmentName, query), query.after);
  return { waivers: waivers.map(toWaiver), next };
}

function filterOf(environmentName: string | undefined, query: Omit<ListQuery, 'after'>): reads.WaiverFilter {
  return { environmentName, ended: query.ended === 'true' };
}

function fromInput(input: api.WaiverInput): allowLists.NewWaiver {
  return {
    fingerprint: input.artifact_fingerprint,
    artifactName: input.artifact_name,
    reason: input.description,
    expiresAt: input.expires_at == null ? null : fromEpochSeconds(input.expires_at),
  };
}

function toWaiver(waiver: reads.WaiverView): api.Waiver {
  return {
    id: waiver.id,
    artifact_name: waiver.artifact_name,
    fingerprint: waiver.fingerprint,
    environment_name: waiver.environment_name,
    timestamp: epochSeconds(waiver.created_at),
    user_name: waiver.created_by,
    description: waiver.description,
    expires_at: waiver.expires_at && epochSeconds(waiver.expires_at),
    ended_at: waiver.ended_at && epochSeconds(waiver.ended_at),
    ended_by: waiver.ended_by,
    end_reason: waiver.end_reason,
  };
}
