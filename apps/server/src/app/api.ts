import { approvalRoutes } from '../features/approvals/approval.routes.ts';
import { artifactRoutes } from '../features/artifacts/artifact.routes.ts';
import { assertRoutes } from '../features/asserts/assert.routes.ts';
import { attestationTypeRoutes } from '../features/attestation-types/attestation-type.routes.ts';
import { attestRoutes } from '../features/attestations/attest.routes.ts';
import { attestationRoutes } from '../features/attestations/attestation.routes.ts';
import { auditPackageRoutes } from '../features/audit-packages/audit-package.routes.ts';
import { deploymentRoutes } from '../features/deployments/deployment.routes.ts';
import { environmentEventRoutes } from '../features/environment-events/event.routes.ts';
import { environmentRoutes } from '../features/environments/environment.routes.ts';
import { feedRoutes } from '../features/feed/feed.routes.ts';
import type { Listeners } from '../features/feed/listeners.ts';
import { flowRoutes } from '../features/flows/flow.routes.ts';
import { referenceRoutes } from '../features/reference/reference.routes.ts';
import { reportRoutes } from '../features/reports/report.routes.ts';
import { repoRoutes } from '../features/repos/repo.routes.ts';
import { searchRoutes } from '../features/search/search.routes.ts';
import { snapshotRoutes } from '../features/snapshots/snapshot.routes.ts';
import { tagRoutes } from '../features/tags/tag.routes.ts';
import { trailRoutes } from '../features/trails/trail.routes.ts';
import { trustRoutes } from '../features/trust/trust.routes.ts';
import { type App, type AppParts, createApp } from '../platform/http/app.ts';

/** Everything the API serves. Needs no port: tests call it directly. */
export function buildApi(parts: AppParts, listeners: Listeners): App {
  const app = createApp(parts);
  flowRoutes(app);
  trailRoutes(app);
  artifactRoutes(app);
  attestRoutes(app);
  attestationRoutes(app);
  attestationTypeRoutes(app, parts.sandbox);
  approvalRoutes(app);
  environmentRoutes(app);
  environmentEventRoutes(app);
  deploymentRoutes(app);
  assertRoutes(app);
  auditPackageRoutes(app);
  searchRoutes(app);
  repoRoutes(app);
  reportRoutes(app);
  snapshotRoutes(app);
  tagRoutes(app);
  trustRoutes(app);
  feedRoutes(app, listeners);
  referenceRoutes(app);
  return app;
}
