import * as api from '@waymark/contract';
import type { ExcludedBy, FindingEvidence } from '@waymark/policy';
import { cut, decodeReceipt, encodeReceipt } from '../../platform/db/paginate.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { epochSeconds } from '../../platform/time.ts';
import { artifactUrl, stateOf } from '../artifacts/artifact-view.ts';
import { placesOf, readWhereabouts } from '../deployments/running.reads.ts';
import { listFindings, POSITION_MAX } from './finding.reads.ts';
import { readExclusions } from './finding-vex.reads.ts';
import * as reads from './search.reads.ts';

const COMMIT_LENGTH = 40;

export function searchRoutes(app: App): void {
  handle(app, api.searchSha, async (ctx, { params }) => {
    const sha = params.sha.toLowerCase();
    const none = { count: 0, matches: [] };
    const fingerprints = await reads.findMatches(ctx, 'fingerprint', sha);
    const commits = sha.length > COMMIT_LENGTH ? none : await reads.findMatches(ctx, 'commit_sha', sha);
    if (fingerprints.count + commits.count === 0) throw notFound('Artifact or commit', params.sha);
    // A fingerprint identifies one artifact; a commit may have produced several.
    const type: 'fingerprint' | 'commit' = fingerprints.count > 0 ? 'fingerprint' : 'commit';
    const resolved = type === 'fingerprint' ? fingerprints : commits;
    const list = type === 'fingerprint' ? reads.listByFingerprint : reads.listByCommit;
    const artifacts = await list(ctx, resolved.matches);
    const places = await readWhereabouts(
      ctx,
      artifacts.map((artifact) => artifact.fingerprint),
    );
    return {
      resolved_to: {
        type: fingerprints.count + commits.count === 1 ? type : null,
        full_match: resolved.count === 1 ? (resolved.matches[0] ?? null) : null,
        fingerprints: { type: 'fingerprint', count: fingerprints.count, matches: [...fingerprints.matches] },
        commits: { type: 'commit', count: commits.count, matches: [...commits.matches] },
      },
      artifacts: artifacts.map((artifact) =>
        toFound(artifact, placesOf(places.get(artifact.fingerprint) ?? []), params.org, app.publicUrl),
      ),
    };
  });

  handle(app, api.searchComponents, async (ctx, { query }) => {
    if ((query.name === undefined) === (query.purl === undefined)) {
      throw invalidField('query.name', 'or purl is required, but not both');
    }
    const { per_page = 20 } = query;
    const before = query.after === undefined ? undefined : decodePlace(query.after);
    const wanted = { name: query.name, version: query.version, purl: query.purl };
    const { shown, last } = cut(await reads.listComponents(ctx, wanted, per_page + 1, before), per_page);
    return {
      data: shown.map(({ fingerprint, created_at, receipt: _, position: __, ...component }) => ({
        ...component,
        artifact_fingerprint: fingerprint,
        attested_at: epochSeconds(created_at),
      })),
      pagination: { per_page, next: last ? encodePlace(last) : null },
    };
  });

  handle(app, api.searchFindings, async (ctx, { query }) => {
    const { id, component, attestation_id: attestationId, severity, per_page = 20 } = query;
    if ([id, component, attestationId].filter((one) => one !== undefined).length !== 1) {
      throw invalidField('query.id', 'or component or attestation_id is required, and only one of them');
    }
    const after = query.after === undefined ? undefined : decodePlace(query.after);
    const { found, next } = await listFindings(ctx, { id, component, attestationId, severity }, per_page, after);
    const exclusions = await readExclusions(ctx, found);
    return {
      data: found.map(({ attestation_id, attestation_name, flow_name, trail_name, ...row }, place) => ({
        ...{ attestation_id, attestation_name, flow_name, trail_name },
        artifact_fingerprint: row.fingerprint,
        attested_at: epochSeconds(row.created_at),
        finding: toFinding(row.finding),
        vex: toExclusion(exclusions[place] ?? null),
      })),
      pagination: { per_page, next: next ? encodePlace(next) : null },
    };
  });
}

function toFinding({ id, aliases, severity, score, component, fixed, location, title, seen }: FindingEvidence) {
  return {
    id,
    aliases: [...(aliases ?? [])],
    severity,
    score: score ?? null,
    component: component ?? null,
    fixed_version: fixed ?? null,
    location: location ?? null,
    title: title ?? null,
    first_seen_at: seen,
  };
}

function toExclusion(exclusion: ExcludedBy | null) {
  if (exclusion === null) return null;
  const { attestation, status, justification, by } = exclusion;
  const { id: attestation_id, name: attestation_name, trust } = attestation;
  return { status, justification, by, trust, attestation_id, attestation_name };
}

/** A position in a list: the attestation, and the component or finding in it. */
function encodePlace({ receipt, position }: { readonly receipt: number; readonly position: number }): string {
  return `${encodeReceipt(receipt)}.${encodeReceipt(position)}`;
}

function decodePlace(text: string): { receipt: number; position: number } {
  const [receipt = '', position = ''] = text.split('.', 2);
  return { receipt: decodeReceipt(receipt), position: Math.min(decodeReceipt(position), POSITION_MAX) };
}

function toFound(artifact: reads.FoundArtifact, places: ReturnType<typeof placesOf>, org: string, publicUrl: string) {
  return {
    fingerprint: artifact.fingerprint,
    name: artifact.filename,
    flow: artifact.flow_name,
    trail: artifact.trail_name,
    git_commit: artifact.commit_sha ?? api.NO_COMMIT,
    has_provenance: true,
    related_by_platform: artifact.platform,
    commit_url: artifact.commit_url,
    build_url: artifact.build_url,
    html_url: artifactUrl(publicUrl, org, artifact),
    compliance_state: stateOf(artifact.status),
    running_in: places.running.map((place) => place.environment_name),
    exited_from: places.exited.map((place) => place.environment_name),
    history: [
      {
        event: `${artifact.template_name ?? artifact.filename} reported`,
        timestamp: epochSeconds(artifact.created_at),
      },
    ],
  };
}
