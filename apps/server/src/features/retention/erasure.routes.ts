import * as api from '@waymark/contract';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { nextLink } from '../../platform/http/links.ts';
import { epochSeconds } from '../../platform/time.ts';
import { listErasures, type NamedErasure } from './erasure.reads.ts';
import { eraseAttestation } from './erasure.service.ts';

export function erasureRoutes(app: App): void {
  handle(app, api.eraseAttestation, async (ctx, { params, body }) =>
    toErasure(await eraseAttestation(ctx, params.attestation_id, body.reason)),
  );

  handle(app, api.listErasures, async (ctx, { params, query }, out) => {
    const { erasures, next } = await listErasures(ctx, query.after);
    const path = `/organizations/${params.org}/erasures`;
    if (next) out.header('link', nextLink(app.publicUrl, path, { after: next }));
    return erasures.map(toErasure);
  });
}

function toErasure(row: NamedErasure): api.Erasure {
  return {
    attestation_id: row.attestation_id,
    attestation_name: row.attestation_name,
    flow_name: row.flow_name,
    trail_name: row.trail_name,
    reason: row.reason,
    erased_at: epochSeconds(row.erased_at),
    erased_by: row.erased_by,
    attachment: row.attachment,
  };
}
