import * as api from '@waymark/contract';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { nextLink } from '../../platform/http/links.ts';
import { epochSeconds } from '../../platform/time.ts';
import { listNamedHolds, type NamedHold } from './legal-hold.reads.ts';
import { liftHold, placeHold } from './legal-hold.service.ts';
import { readRetention } from './retention.reads.ts';
import { changeRetention } from './retention.service.ts';

export function retentionRoutes(app: App): void {
  handle(app, api.getRetention, async (ctx) => ({ record_types: await readRetention(ctx) }));

  handle(app, api.putRetention, async (ctx, { body }) => {
    await changeRetention(ctx, body.minimum_years);
    return { record_types: await readRetention(ctx) };
  });

  handle(app, api.placeLegalHold, async (ctx, { body }) => toLegalHold(await placeHold(ctx, body)));

  handle(app, api.listLegalHolds, async (ctx, { params, query }, out) => {
    const { holds, next } = await listNamedHolds(ctx, { lifted: query.lifted === 'true', after: query.after });
    const path = `/organizations/${params.org}/legal-holds`;
    if (next) out.header('link', nextLink(app.publicUrl, path, { ...query, after: next }));
    return holds.map(toLegalHold);
  });

  handle(app, api.liftLegalHold, async (ctx, { params, body }) =>
    toLegalHold(await liftHold(ctx, params.hold_id, body.reason)),
  );
}

function toLegalHold({ hold, environment, flow, trail }: NamedHold): api.LegalHold {
  return {
    id: hold.id,
    name: hold.name,
    reason: hold.reason,
    kind: hold.subject_kind,
    env_name: environment,
    flow_name: flow,
    trail_name: trail,
    artifact_fingerprint: hold.fingerprint,
    placed_at: epochSeconds(hold.placed_at),
    placed_by: hold.placed_by,
    lifted_at: hold.lifted_at && epochSeconds(hold.lifted_at),
    lifted_by: hold.lifted_by,
    lift_reason: hold.lift_reason,
  };
}
