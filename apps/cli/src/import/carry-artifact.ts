import { getArtifact, reportArtifact } from '@waymark/contract';
import { unlessMissing } from '../resources/unless-missing.ts';
import { evidenceId } from './evidence-id.ts';
import { attempt, type ImportRun } from './import-run.ts';
import { knownFields } from './known-fields.ts';
import { claimedAt, marksOf, withoutMarks } from './original.ts';
import { sameContent } from './same-content.ts';
import type { SourceArtifact } from './source-contracts.ts';
import type { Item } from './tally.ts';
import type { TargetTrail } from './target-trail.ts';

/** Carries the newest report of an artifact in a trail; a source answers with no other. */
export async function carryArtifact(run: ImportRun, into: TargetTrail, fingerprint: string): Promise<void> {
  const key = `artifact ${fingerprint}`;
  if (run.state.isDone(key)) return;
  const name = `${into.name} ${fingerprint}`;
  const items = await attempt(run, 'artifact', name, async () => {
    const artifact = await run.source.artifact(into.flow, fingerprint, into.trail);
    if (!artifact) {
      return [{ kind: 'artifact', name, outcome: 'not_carried', reason: 'The source lists it and does not have it' }];
    }
    return carry(run, into, { ...artifact, trail_name: into.trail }, name);
  });
  run.state.record(key, items);
}

/** Carries an artifact that was reported without a trail. The target names a trail after its commit. */
export async function carryLooseArtifact(run: ImportRun, flow: string, fingerprint: string): Promise<void> {
  const key = `loose-artifact ${fingerprint}`;
  if (run.state.isDone(key)) return;
  const name = `${flow} ${fingerprint}`;
  const items = await attempt(run, 'artifact', name, async () => {
    const artifact = await run.source.artifact(flow, fingerprint);
    const trail = artifact?.git_commit ?? fingerprint;
    return artifact ? carry(run, { flow, trail, hasContents: true }, artifact, name) : [];
  });
  run.state.record(key, items);
}

async function carry(
  run: ImportRun,
  { flow, trail, hasContents }: Pick<TargetTrail, 'flow' | 'trail' | 'hasContents'>,
  artifact: SourceArtifact,
  name: string,
): Promise<Item[]> {
  const { client, org, signal } = run.target;
  const { fingerprint, created_at, created_by: author, html_url } = artifact;
  const params = { org, flow_name: flow };
  const existing = hasContents
    ? await unlessMissing(client.call(getArtifact, { params: { ...params, fingerprint }, query: { trail }, signal }))
    : undefined;
  // The request names the trail; a source may leave it out.
  const compared = (one: SourceArtifact) => ({ ...contentOf(one), trail_name: null });
  if (existing && sameContent(compared(existing), compared(artifact))) {
    return [{ kind: 'artifact', name, outcome: 'already_there' }];
  }
  if (!run.isDryRun) {
    const content = contentOf(artifact);
    const marks = marksOf({ id: artifact.id, created_at, author, html_url }, run.source);
    const body = { ...content, annotations: { ...content.annotations, ...marks } };
    // Of the content: a source may change what it answers about an artifact, and that is another report.
    const id = evidenceId(run.source.host, run.source.org, 'artifact', flow, JSON.stringify(body));
    const headers = { 'waymark-evidence-id': id, ...claimedAt(created_at) };
    await client.call(reportArtifact, { params, body, headers, signal });
  }
  return [{ kind: 'artifact', name, outcome: 'carried' }];
}

const COMMIT = /^[a-f0-9]{40}$/;

function contentOf(artifact: SourceArtifact) {
  const { git_commit, build_url, commit_url, annotations, fingerprint, filename } = artifact;
  const body = {
    fingerprint,
    filename,
    build_url: build_url ?? '',
    commit_url: commit_url ?? '',
    git_commit: git_commit && COMMIT.test(git_commit) ? git_commit : null,
    git_commit_info: artifact.git_commit_info ?? null,
    repo_info: artifact.repo_info ?? null,
    repo_url: artifact.repo_url ?? null,
    trail_name: artifact.trail_name ?? null,
    template_reference_name: artifact.template_reference_name || null,
    description: artifact.description ?? null,
    commits_list: artifact.commits_list ?? null,
    template: artifact.template ?? null,
    is_compliant: artifact.is_compliant ?? null,
    user_data: artifact.user_data ?? null,
    external_urls: artifact.external_urls ?? null,
    annotations: withoutMarks(annotations),
  };
  return knownFields(reportArtifact.body, body).body;
}
