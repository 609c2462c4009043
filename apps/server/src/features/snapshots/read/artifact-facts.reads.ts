import { statement } from '../../../platform/db/statement.ts';
import { type StoredRows, storedRows } from '../../../platform/stored-json.ts';
import { imageIn } from '../../provenance/image-claim.service.ts';
import { type CommitPage, commitPageOf } from './diff-url-view.ts';
import { cachedFacts } from './fact-cache.ts';

/** What a snapshot shows of an artifact report. Reports never change, and trails keep their names. */
export interface ArtifactFacts {
  readonly id: string;
  readonly flowId: string;
  readonly fingerprint: string;
  readonly trailName: string;
  readonly templateName: string | null;
  /** Empty when none was sent. */
  readonly commit: string;
  readonly commitUrl: string;
  readonly commitPage: CommitPage | undefined;
  /** In seconds, as reported. */
  readonly committedAt: number | null;
  /** JSON members, serialized once: the commit, and everything a flow in a snapshot shows of the report. */
  readonly commitText: string;
  readonly reportText: string;
  /** For a report of an image index or of one of its platforms: the platforms by fingerprint. */
  readonly platforms: ReadonlyMap<string, string>;
  /** The stored report is damaged. */
  readonly isDamaged: boolean;
}

interface ArtifactRow {
  readonly id: string;
  readonly flow_id: string;
  readonly fingerprint: string;
  readonly trail_name: string;
  readonly template_name: string | null;
  readonly commit_sha: string | null;
  readonly commit_url: string;
  readonly content: string;
}

interface SentCommit {
  readonly sha1?: string | null;
  readonly message?: string | null;
  readonly author?: string | null;
  readonly branch?: string | null;
  readonly timestamp?: number | null;
  readonly url?: string | null;
}

const listArtifactFacts = statement<{ org_id: string; ids: readonly string[] }, ArtifactRow>(
  'list_artifact_facts',
  `select artifact.id, artifact.flow_id, artifact.fingerprint, trail.name as trail_name, artifact.template_name,
     artifact.commit_sha, artifact.commit_url, artifact.content
   from artifact join trail on trail.org_id = artifact.org_id and trail.id = artifact.trail_id
   where artifact.org_id = :org_id and artifact.id = any(:ids::uuid[])`,
);

/** Twenty large environments; 16 MB in practice. */
const CACHE_SIZE = 40_000;
const MAX_CACHED_LENGTH = 4_000;

/** Keyed by id, which is unique across orgs. */
export const readArtifactFacts = cachedFacts<ArtifactFacts>({
  size: CACHE_SIZE,
  isCacheable: (facts) => facts.reportText.length <= MAX_CACHED_LENGTH && !facts.isDamaged,
  read: async (ctx, ids) => {
    const rows = await listArtifactFacts(ctx.db, { org_id: ctx.org, ids });
    const stored = storedRows(ctx.log, 'artifact');
    return rows.map((row) => [row.id, toFacts(row, stored)] as const);
  },
});

interface Sent {
  readonly git_commit_info?: SentCommit | null;
  readonly annotations?: Record<string, unknown> | null;
}

function toFacts(row: ArtifactRow, stored: StoredRows): ArtifactFacts {
  const { git_commit_info: sent, annotations } = stored.read<Sent>(row.id, row.content, {});
  const { platforms } = imageIn(row.fingerprint, annotations ?? {});
  const commit = row.commit_sha ?? '';
  const commitText = `"git_commit":${JSON.stringify(commit)},"commit_url":${JSON.stringify(row.commit_url)}`;
  return {
    id: row.id,
    flowId: row.flow_id,
    fingerprint: row.fingerprint,
    trailName: row.trail_name,
    templateName: row.template_name,
    commit,
    commitUrl: row.commit_url,
    commitPage: commitPageOf(row.commit_url),
    committedAt: sent?.timestamp ?? null,
    commitText,
    isDamaged: stored.isDamaged(row.id),
    platforms: new Map(platforms.map(({ fingerprint, platform }) => [fingerprint, platform])),
    reportText:
      `"trail_name":${JSON.stringify(row.trail_name)},"template_reference_name":${JSON.stringify(row.template_name)},` +
      `${commitText},"git_commit_info":${sent ? JSON.stringify(toCommitInfo(sent)) : 'null'}`,
  };
}

function toCommitInfo(sent: SentCommit) {
  return {
    sha1: sent.sha1 ?? '',
    message: sent.message ?? '',
    author: sent.author ?? '',
    branch: sent.branch ?? '',
    timestamp: sent.timestamp ?? null,
    url: sent.url ?? '',
  };
}
