import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { nextLink } from '../../platform/http/links.ts';
import { epochSeconds, fromEpochSeconds } from '../../platform/time.ts';
import * as reads from './waiver.reads.ts';
import * as allowLists from './waiver.service.ts';

export function allowListRoutes(app: App): void {
  handle(app, api.allowArtifact, async (ctx, { params, body }) =>
    toListing(await allowLists.allowArtifact(ctx, params.env_name, fromInput(body))),
  );

  handle(app, api.withdrawAllowListing, async (ctx, { params }) => {
    await allowLists.withdrawListing(ctx, params.env_name, params.fingerprint);
    return 'OK';
  });

  handle(app, api.listAllowListings, async (ctx, { params, query }, out) => {
    const { listings, next } = await list(ctx, query.environment_name, query);
    if (next) out.header('link', nextLink(app.publicUrl, `/allowlists/${params.org}`, { ...query, after: next }));
    return listings;
  });

  handle(app, api.listEnvironmentAllowListings, async (ctx, { params, query }, out) => {
    const { listings, next } = await list(ctx, params.env_name, query);
    const path = `/allowlists/${params.org}/${params.env_name}`;
    if (next) out.header('link', nextLink(app.publicUrl, path, { ...query, after: next }));
    return listings;
  });
}

type ListQuery = api.Input<typeof api.listEnvironmentAllowListings>['query'];

async function list(ctx: Ctx, environmentName: string | undefined, query: ListQuery) {
  const filter = { environmentName, ended: query.ended === 'true' };
  const { listings, next } = await reads.listListingsFrom(ctx, filter, query.after);
  return { listings: listings.map(toListing), next };
}

function fromInput(input: api.AllowListingInput): allowLists.Allowance {
  return {
    fingerprint: input.artifact_fingerprint,
    artifactName: input.artifact_name,
    reason: input.description,
    expiresAt: input.expires_at == null ? null : fromEpochSeconds(input.expires_at),
  };
}

function toListing(listing: reads.ListingView): api.AllowListing {
  return {
    id: listing.id,
    artifact_name: listing.artifact_name,
    fingerprint: listing.fingerprint,
    environment_name: listing.environment_name,
    timestamp: epochSeconds(listing.created_at),
    user_name: listing.created_by,
    description: listing.description,
    expires_at: listing.expires_at && epochSeconds(listing.expires_at),
    ended_at: listing.ended_at && epochSeconds(listing.ended_at),
    ended_by: listing.ended_by,
    end_reason: listing.end_reason,
  };
}
