import * as api from '@waymark/contract';
import type { App } from '../../../platform/http/app.ts';
import { handleFile } from '../../../platform/http/file-reply.ts';
import type { WitnessPolicy } from '../../../platform/ledger/witness-policy.ts';
import { periodOf } from '../printed/period.ts';
import { packArtifact, packAttestation, packTrail } from './audit-package.service.ts';
import { packEnvironment } from './environment/environment-package.service.ts';

export function auditPackageRoutes(app: App, witnesses: WitnessPolicy): void {
  const sourceOf = ({ org }: { org: string }) => ({ org, publicUrl: app.publicUrl, blobs: app.blobs, witnesses });

  handleFile(app, api.getTrailPackage, (ctx, { params }) =>
    packTrail(ctx, sourceOf(params), params.flow_name, params.trail_name),
  );

  handleFile(app, api.getArtifactPackage, (ctx, { params }) =>
    packArtifact(ctx, sourceOf(params), params.flow_name, params.fingerprint),
  );

  handleFile(app, api.getEnvironmentPackage, (ctx, { params, query }) =>
    packEnvironment(ctx, sourceOf(params), params.env_name, periodOf(query, ctx.now())),
  );

  handleFile(app, api.getAttestationPackage, (ctx, { params }) =>
    packAttestation(ctx, sourceOf(params), params.flow_name, params.trail_name, params.attestation_id),
  );
}
