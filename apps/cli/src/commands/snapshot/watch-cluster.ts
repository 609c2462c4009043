import { reportK8s } from '@waymark/contract';
import { heartbeatHealth, serveHealth } from '../../reporters/health.ts';
import type { KubernetesApi } from '../../reporters/kubernetes/api.ts';
import type { KubernetesOptions } from '../../reporters/kubernetes/selection.ts';
import { watchKubernetes } from '../../reporters/kubernetes/watch-kubernetes.ts';
import type { ReportOf } from '../../reporters/report.ts';
import type { CliError } from '../../run/cli-error.ts';
import { failureOf } from '../../run/failure.ts';
import { openSession } from '../../run/open-session.ts';
import type { Session } from '../../run/session.ts';
import { oneLine } from '../../run/table.ts';

interface Watching {
  readonly environment: string;
  readonly selection: KubernetesOptions;
  readonly heartbeatMs?: number;
  readonly healthPort?: number;
}

const HEARTBEAT_MS = 60_000;
/** The number of missed reports before the health probe fails. */
const MAX_MISSED = 5;
const STALE_LEAST_MS = 120_000;

/**
 * Reports what runs until the session is aborted. Nothing is spooled: after a failure, the current state is reported.
 * Only a permanent error ends it, and only before the first report was accepted.
 */
export async function watchCluster(session: Session, api: KubernetesApi, watching: Watching): Promise<void> {
  const { environment, selection, heartbeatMs = HEARTBEAT_MS, healthPort } = watching;
  const { io, say, warn, detail } = session;
  const fatal = new AbortController();
  const health = heartbeatHealth(Math.max(STALE_LEAST_MS, MAX_MISSED * heartbeatMs));
  const probe = healthPort === undefined ? undefined : await serveHealth({ port: healthPort, ...health });
  if (probe) say(`Health probe at http://127.0.0.1:${probe.port}/healthz`);
  const send = reportSender(session, environment);
  let wasDelivered = false;
  try {
    await watchKubernetes(api, selection, {
      heartbeatMs,
      signal: AbortSignal.any([io.signal, fatal.signal]),
      onNote: (note) => warn(oneLine(note)),
      onReport: async (report, cause) => {
        health.beat();
        try {
          const answer = await send(report);
          wasDelivered = true;
          (cause === 'heartbeat' ? detail : say)(`${io.now().toISOString()} ${oneLine(answer)} (${cause})`);
        } catch (error) {
          const failure = failureOf(error, session.settings.host);
          if (!wasDelivered && isLasting(failure)) fatal.abort(failure);
          throw failure;
        }
      },
    });
  } finally {
    await probe?.close();
  }
  if (fatal.signal.aborted) throw fatal.signal.reason;
}

/** Signs in again after a failure: a failed sign-in is cached, and a key may have been replaced. */
function reportSender(session: Session, environment: string): (report: ReportOf<'K8S'>) => Promise<string> {
  const params = { org: session.need('org'), env_name: environment };
  const dryRun = session.settings.dryRun === true;
  let signedIn: Session | undefined;
  return async (body) => {
    signedIn ??= openSession(session.io, session, session.ci);
    try {
      return await signedIn.client().call(reportK8s, { params, body, dryRun, signal: session.io.signal });
    } catch (error) {
      signedIn = undefined;
      throw error;
    }
  };
}

function isLasting({ ending }: CliError): boolean {
  return ending === 'usage' || ending === 'notFound';
}
