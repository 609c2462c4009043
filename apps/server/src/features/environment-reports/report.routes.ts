import * as api from '@waymark/contract';
import type { App } from '../../platform/http/app.ts';
import { handleBytes } from '../../platform/http/bytes-body.ts';
import { createTurns } from '../../platform/turns.ts';
import { createBodyDigests } from './body-digests.ts';
import { createHeartbeats } from './heartbeats.ts';
import type { ReportKind } from './read-report.ts';
import { createFindReporter, type Taken, takeReport } from './report.service.ts';

const REPORTS = [
  [api.reportK8s, 'K8S'],
  [api.reportEcs, 'ECS'],
  [api.reportS3, 'S3'],
  [api.reportLambda, 'lambda'],
  [api.reportServer, 'server'],
  [api.reportDocker, 'docker'],
  [api.reportCloudxApps, 'cloudx-apps'],
  [api.reportAzureApps, 'azure-apps'],
  [api.reportCloudRun, 'cloud-run'],
] as const satisfies readonly (readonly [unknown, ReportKind])[];

export function reportRoutes(app: App): void {
  const heartbeats = createHeartbeats(app.db, app.log);
  const turns = createTurns();
  app.watchQueue('environment_changes', turns.figures);
  const parts = {
    digestOf: createBodyDigests(),
    findReporter: createFindReporter(app.db, app.watchQueue),
    heartbeats,
    inTurn: turns.inTurn,
  };
  app.http.addHook('onClose', () => heartbeats.close());
  for (const [contract, kind] of REPORTS) {
    handleBytes(app, contract, async (ctx, { params }, sent, out) => {
      const taken = await takeReport(ctx, parts, {
        kind,
        environment: params.env_name,
        bytes: sent.bytes,
        parse: sent.parse,
        isDryRun: sent.isDryRun,
      });
      const { kind: outcome, index } = taken.recorded;
      out.header('waymark-snapshot', `${index}; ${outcome === 'created' ? 'created' : 'unchanged'}`);
      return { body: inWords(taken), wrote: outcome !== 'unchanged' };
    });
  }
}

function inWords({ environment, recorded }: Taken): string {
  const { kind, index, started, exited } = recorded;
  if (kind === 'created') return `Snapshot ${index} of '${environment}' created: ${started} started, ${exited} exited`;
  const what = kind === 'scaled' ? 'Only instances changed' : 'Nothing changed';
  return `${what} in '${environment}'; its latest snapshot is ${index}`;
}
