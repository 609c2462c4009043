import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { claimOf, secondsOf } from '../../platform/evidence-receipt.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { storedRows } from '../../platform/stored-json.ts';
import { epochSeconds } from '../../platform/time.ts';
import { type ArtifactPresence, listRunEvents, readWhereabouts } from '../deployments/running.reads.ts';
import { readFlow } from '../flows/flow.reads.ts';
import { findRepositoryIds } from '../repos/repo.reads.ts';
import { listTrailEvents, type TrailEvent } from '../trails/trail-events.reads.ts';
import { listApprovalNumbers } from './approvals/approval.reads.ts';
import * as reads from './artifact.reads.ts';
import { reportArtifact } from './artifact.service.ts';
import { toArtifact, toArtifactSummary } from './artifact-view.ts';

const EVENTS_READ = 1_000;

export function artifactRoutes(app: App): void {
  const shown = async (
    ctx: Ctx,
    org: string,
    artifact: reads.JudgedArtifact,
    events: readonly TrailEvent[],
    places: readonly ArtifactPresence[],
    stored = storedRows(ctx.log, 'artifact'),
  ) =>
    toArtifact(artifact, historyOf(artifact, events), {
      org,
      publicUrl: app.publicUrl,
      evaluatedAt: epochSeconds(ctx.now()),
      stored,
      approvals: await listApprovalNumbers(ctx, artifact.flow_id, artifact.fingerprint),
      runs: { places, events: await listRunEvents(ctx, places) },
    });

  handle(app, api.reportArtifact, (ctx, { params, headers, body }) =>
    reportArtifact(ctx, {
      flowName: params.flow_name,
      input: body,
      claim: claimOf(headers['waymark-evidence-id'], ['reportArtifact', params.flow_name, body]),
      claimedAt: secondsOf(headers['waymark-claimed-at']),
    }),
  );

  handle(app, api.getArtifact, async (ctx, { params, query }) => {
    const artifact = await reads.readArtifact(ctx, params.flow_name, params.fingerprint, query.trail);
    const events = await listTrailEvents(ctx, artifact.trail_id, EVENTS_READ);
    const places = await readWhereabouts(ctx, [artifact.fingerprint]);
    return shown(ctx, params.org, artifact, events, places.get(artifact.fingerprint) ?? []);
  });

  handle(app, api.listCommitArtifacts, async (ctx, { params, query }) => {
    const found = await reads.listCommitArtifacts(ctx, params.flow_name, params.commit, query.trail);
    // A commit often produces several artifacts in one trail, whose events are then read once.
    const trailIds = [...new Set(found.map((artifact) => artifact.trail_id))];
    const events = new Map(
      await Promise.all(trailIds.map(async (id) => [id, await listTrailEvents(ctx, id, EVENTS_READ)] as const)),
    );
    const fingerprints = found.map((artifact) => artifact.fingerprint);
    const places = await readWhereabouts(ctx, fingerprints);
    const stored = storedRows(ctx.log, 'artifact');
    return Promise.all(
      found.map((artifact) =>
        shown(
          ctx,
          params.org,
          artifact,
          events.get(artifact.trail_id) ?? [],
          places.get(artifact.fingerprint) ?? [],
          stored,
        ),
      ),
    );
  });

  handle(app, api.listArtifacts, async (ctx, { params, query }) => {
    const { page = 1, per_page = 15 } = query;
    const filter = await filterOf(ctx, query);
    const found = await reads.listArtifactPage(ctx, filter, page, per_page);
    return found.map((artifact) => toArtifactSummary(artifact, params.org, app.publicUrl));
  });

  handle(app, api.listFlowArtifacts, async (ctx, { params, query }) => {
    const { page = 1, per_page = 15 } = query;
    const flow = await readFlow(ctx, params.flow_name);
    const found = await reads.listArtifactPage(ctx, { flowId: flow.id }, page, per_page);
    return found.map((artifact) => toArtifactSummary(artifact, params.org, app.publicUrl));
  });

  handle(app, api.getLatestCommit, async (ctx, { params, query }) => ({
    latest_commit: await reads.findLatestCommit(ctx, params.flow_name, params.fingerprint, query.branch),
  }));
}

async function filterOf(
  ctx: Ctx,
  query: { flow_name?: string | undefined; repo_name?: string | undefined },
): Promise<reads.ArtifactFilter> {
  if (query.flow_name !== undefined) return { flowId: (await readFlow(ctx, query.flow_name)).id };
  if (query.repo_name !== undefined) return { repositoryIds: await findRepositoryIds(ctx, query.repo_name) };
  return {};
}

/** What happened to the artifact in its trail, oldest first; events come newest first. */
function historyOf(artifact: reads.JudgedArtifact, events: readonly TrailEvent[]): api.Artifact['history'] {
  return events.toReversed().flatMap((event) => {
    const byName = event.template_name === artifact.template_name && event.commit_sha === artifact.commit_sha;
    const isAbout = event.fingerprint ? event.fingerprint === artifact.fingerprint : byName && event.template_name;
    if (!isAbout) return [];
    return [{ event: eventText(event), timestamp: epochSeconds(event.created_at) }];
  });
}

function eventText(event: TrailEvent): string {
  if (event.source === 'artifact') return `${event.template_name ?? event.name} reported`;
  if (event.source === 'approval') {
    const by = event.name ? ` by ${event.name}` : '';
    return `Approval ${event.approval_number} reported: ${event.approval_state?.toLowerCase()}${by}`;
  }
  const verdict = event.is_compliant ? 'compliant' : 'non-compliant';
  return `Attestation '${event.name}' (${event.attestation_type}) reported: ${verdict}`;
}
