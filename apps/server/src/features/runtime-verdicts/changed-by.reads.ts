import type { ChangedBy } from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import { statement } from '../../platform/db/statement.ts';
import { storedRows } from '../../platform/stored-json.ts';
import type { ArtifactReport } from '../provenance/provenance.reads.ts';
import { changedBy, type SentChange, type SentCommit } from './changed-by.ts';

interface SentRow {
  readonly id: string;
  readonly content: string | null;
  readonly trail_id: string;
  readonly of_trail: string | null;
}

const listSentChanges = statement<{ org_id: string; ids: readonly string[] }, SentRow>(
  'list_sent_changes',
  `select artifact.id, artifact.content, trail.id as trail_id, trail.git_commit_info as of_trail
   from artifact join trail on trail.org_id = artifact.org_id and trail.id = artifact.trail_id
   where artifact.org_id = :org_id and artifact.id = any(:ids::uuid[])`,
);

/** A report may name thousands of commits. */
const BATCH_SIZE = 20;

/** Returns who wrote and committed what each report is about, by the id of the report. */
export async function readChangedBy(ctx: Ctx, reports: readonly ArtifactReport[]): Promise<Map<string, ChangedBy>> {
  const commitOf = new Map(reports.map(({ id, commit_sha }) => [id, commit_sha]));
  const ids = [...commitOf.keys()];
  const found = new Map<string, ChangedBy>();
  const artifacts = storedRows(ctx.log, 'artifact');
  const trails = storedRows(ctx.log, 'trail');
  for (let from = 0; from < ids.length; from += BATCH_SIZE) {
    const rows = await listSentChanges(ctx.db, { org_id: ctx.org, ids: ids.slice(from, from + BATCH_SIZE) });
    for (const { id, content, trail_id, of_trail } of rows) {
      const sent = artifacts.read<SentChange>(id, content, {});
      const ofTrail = trails.read<SentCommit | null>(trail_id, of_trail, null);
      found.set(id, changedBy(sent, ofTrail, commitOf.get(id) ?? null));
    }
  }
  return found;
}
