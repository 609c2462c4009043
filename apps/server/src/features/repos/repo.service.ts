import { hash } from 'node:crypto';
import type { RepoInfo } from '@waymark/contract';
import canonicalize from 'canonicalize';
import { LRUCache } from 'lru-cache';
import type { Ctx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import { emit } from '../../platform/journal/journal.ts';
import { systemClock } from '../../platform/time.ts';
import { repositoryTagged } from './repo.entries.ts';
import { findRepository } from './repo.reads.ts';
import * as store from './repo.store.ts';

const INDEXED_MAX_BYTES = 2_000;
const CACHE_SIZE = 5_000;
/** How long a change by another server may go unnoticed. */
const CACHE_MS = 60_000;

interface Known {
  readonly id: string;
  readonly content: string;
  readonly until: number;
}

/** Stored repositories, by org and identity. */
const known = new LRUCache<string, Known>({ max: CACHE_SIZE });

/** The id of the repository, if it is stored with exactly these values; every report of a pipeline repeats them. */
export async function findUnchanged(db: Db, org: string, info: RepoInfo): Promise<string | undefined> {
  const identity = identityOf(info);
  const columns = columnsOf(info);
  const content = canonicalize(columns) ?? '';
  const key = `${org} ${identity}`;
  const now = systemClock().getTime();
  const seen = known.get(key);
  if (seen && seen.content === content && seen.until > now) return seen.id;
  const row = await store.findByIdentity(db, org, identity);
  if (!row) return undefined;
  const stored = canonicalize(
    Object.fromEntries(Object.keys(columns).map((name) => [name, row[name as keyof typeof row]])),
  );
  if (stored !== content) return undefined;
  // What a transaction sees may be its own change, and be rolled back.
  if (!db.isTransaction) known.set(key, { id: row.id, content, until: now + CACHE_MS });
  return row.id;
}

/** Stores or updates the repository that a report names, in the transaction of the report, and returns its id. */
export async function rememberRepository(ctx: Ctx, info: RepoInfo): Promise<string> {
  const unchanged = await findUnchanged(ctx.db, ctx.org, info);
  if (unchanged !== undefined) return unchanged;
  requireIndexable(info);
  const now = ctx.now();
  known.delete(`${ctx.org} ${identityOf(info)}`);
  return store.upsertRepository(ctx.db, {
    org_id: ctx.org,
    id: ctx.newId(),
    identity: identityOf(info),
    ...columnsOf(info),
    created_at: now,
    last_modified_at: now,
  });
}

/** Locks a repository, given by our id or its name, for a change of its tags. */
export async function lockForTagging(ctx: Ctx, idOrName: string) {
  const { id } = await findRepository(ctx, idOrName);
  await lockSubject(ctx.db, ctx.org, 'repository', id);
  const repository = await store.lockRepository(ctx.db, ctx.org, id);
  if (!repository) throw notFound('Repository', idOrName);
  return {
    kind: 'repository',
    id,
    async record(changes: { set: Record<string, string>; removed: string[] }): Promise<void> {
      const seq = await store.updateRepository(ctx.db, repository, { last_modified_at: ctx.now() });
      const { name, provider } = repository;
      const payload = { name, ...(provider !== null && { provider }), ...changes };
      await emit(ctx, repositoryTagged, { kind: 'repository', id, seq }, payload);
    },
  };
}

/** Names can be given up and taken by others; the provider's own id stays with the repository. */
function identityOf(info: RepoInfo): string {
  return hash('sha256', `${info.provider ?? ''} ${info.id || info.url || info.name}`, 'base64url');
}

/** An index entry has room for 2,704 bytes. */
function requireIndexable(info: RepoInfo): void {
  for (const key of ['name', 'id'] as const) {
    if (Buffer.byteLength(info[key] ?? '') > INDEXED_MAX_BYTES) {
      throw invalidField(`repo_info.${key}`, `must be at most ${INDEXED_MAX_BYTES} bytes`);
    }
  }
}

function columnsOf(info: RepoInfo) {
  return {
    name: info.name,
    url: info.url ?? '',
    provider: info.provider || null,
    external_id: info.id ?? '',
    description: info.description ?? '',
    namespace_path: info.namespace_path ?? [],
    additional_info: JSON.stringify(info.additional_info ?? {}),
  };
}
