import * as api from '@waymark/contract';
import type { App } from '../../../platform/http/app.ts';
import { handleFile } from '../../../platform/http/file-reply.ts';
import { packArtifact, packAttestation, packTrail } from './audit-package.service.ts';

export function auditPackageRoutes(app: App): void {
  const sourceOf = ({ org }: { org: string }) => ({ org, publicUrl: app.publicUrl, blobs: app.blobs });

  handleFile(app, api.getTrailPackage, (ctx, { params }) =>
    packTrail(ctx, sourceOf(params), params.flow_name, params.trail_name),
  );

  handleFile(app, api.getArtifactPackage, (ctx, { params }) =>
    packArtifact(ctx, sourceOf(params), params.flow_name, params.fingerprint),
  );

  handleFile(app, api.getAttestationPackage, (ctx, { params }) =>
    packAttestation(ctx, sourceOf(params), params.flow_name, params.trail_name, params.attestation_id),
  );
}
