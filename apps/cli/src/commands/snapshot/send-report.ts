import {
  type Contract,
  reportAzureApps,
  reportCloudRun,
  reportCloudxApps,
  reportDocker,
  reportEcs,
  reportK8s,
  reportLambda,
  reportS3,
  reportServer,
} from '@waymark/contract';
import { tellDryRun } from '../../evidence/record-attestation.ts';
import { endingOf, type Sent, sendEvidence } from '../../evidence/send-evidence.ts';
import type { Report, ReportType } from '../../reporters/report.ts';
import { inWords } from '../../resources/write.ts';
import type { Outcome } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { oneLine } from '../../run/table.ts';

export const reportContracts = {
  K8S: reportK8s,
  ECS: reportEcs,
  S3: reportS3,
  lambda: reportLambda,
  server: reportServer,
  docker: reportDocker,
  'cloudx-apps': reportCloudxApps,
  'azure-apps': reportAzureApps,
  'cloud-run': reportCloudRun,
} as const satisfies Readonly<Record<ReportType, Contract>>;

/** Sends what runs. Of several reports that wait for one environment, only the newest stays. */
export async function sendReport(session: Session, environment: string, report: Report): Promise<Outcome> {
  const org = session.need('org');
  const sent = await sendEvidence(
    session,
    reportContracts[report.type],
    { params: { org, env_name: environment }, body: report, latestOnly: true },
    [org, environment],
  );
  tellDryRun(session);
  return {
    ending: endingOf(session, [sent]),
    data: { environment, type: report.type, instances: report.artifacts.length, ...stateOf(sent) },
    text: inWords(session, textOf(environment, sent)),
    page: session.pageOf(org, 'environments', environment),
  };
}

function stateOf(sent: Sent): object {
  if (sent.kind === 'recorded') return { ...snapshotIn(sent.headers), message: sent.body };
  return sent.kind === 'spooled' ? { spooled: sent.id } : { ignored: true };
}

/** Returns the latest snapshot, and whether this report made it. */
function snapshotIn(headers: Headers): { snapshot: number | null; created: boolean } {
  const [, index, what] = /^(\d+); (\w+)/.exec(headers.get('waymark-snapshot') ?? '') ?? [];
  return { snapshot: index === undefined ? null : Number(index), created: what === 'created' };
}

function textOf(environment: string, sent: Sent): string {
  if (sent.kind === 'recorded') return oneLine(sent.body);
  return `The report on ${environment} ${sent.kind === 'spooled' ? 'is spooled' : 'was not sent'}`;
}
