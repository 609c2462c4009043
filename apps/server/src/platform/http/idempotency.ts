import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { sql } from 'kysely';
import { type Ctx, inTransaction } from '../ctx.ts';
import { invalidField, type Problem, unavailable } from '../errors.ts';
import { inRolledBackTransaction } from '../rolled-back.ts';

export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Repeatable {
  readonly key: string;
  readonly operation: string;
  readonly input: unknown;
  /** The field of the response that is a secret: it is never stored, so a repeat cannot get the first response. */
  readonly shownOnce?: string | undefined;
}

/**
 * Runs `work` at most once per key: its changes and its response are committed together, and a repeat gets the same
 * response. A failed attempt leaves nothing behind, so it may be repeated with the same key. `prepare` runs before the
 * transaction, so that it holds no connection. Without a key, both simply run.
 */
export async function once<Prepared>(
  ctx: Ctx,
  request: Repeatable | undefined,
  prepare: () => Promise<Prepared>,
  work: (ctx: Ctx, prepared: Prepared) => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  if (!request) return work(ctx, await prepare());
  requireKeyForm(request);
  const digest = hash('sha256', canonicalize([request.operation, request.input]) ?? '', 'buffer');
  const repeated = await findReply(ctx, request, digest);
  if (repeated) return repeated;
  const prepared = await prepare();
  return inTransaction(ctx, async (ctx) => {
    const lock = `${ctx.org} ${actorOf(ctx)} ${request.key}`;
    const { rows } = await sql<{ won: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${lock}, 0)) as won`.execute(ctx.db);
    if (!rows[0]?.won) throw unavailable('A request with this Idempotency-Key is still in progress');
    const earlier = await findReply(ctx, request, digest);
    if (earlier) return earlier;
    const answer = await work(ctx, prepared);
    await ctx.db
      .insertInto('idempotent_reply')
      .values({
        org_id: ctx.org,
        actor_id: actorOf(ctx),
        key: request.key,
        operation: request.operation,
        input_digest: digest,
        created_at: ctx.now(),
        status: answer.status,
        body: request.shownOnce === undefined ? answer.body : without(request.shownOnce, answer.body),
        headers: JSON.stringify(answer.headers),
      })
      .execute();
    return answer;
  });
}

/** Runs both and rolls back. A key is neither looked up nor taken: the result is what a first request would get. */
export async function tried<Prepared>(
  ctx: Ctx,
  request: Repeatable | undefined,
  prepare: () => Promise<Prepared>,
  work: (ctx: Ctx, prepared: Prepared) => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  if (request) requireKeyForm(request);
  const prepared = await prepare();
  return inRolledBackTransaction(ctx, (ctx) => work(ctx, prepared));
}

function requireKeyForm({ key }: Repeatable): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
}

function actorOf(ctx: Ctx): string {
  return ctx.actor.id ?? ctx.org;
}

function without(secret: string, body: string): string {
  const { [secret]: _, ...rest } = JSON.parse(body) as Record<string, unknown>;
  return JSON.stringify(rest);
}

async function findReply(ctx: Ctx, { key, shownOnce }: Repeatable, digest: Buffer): Promise<StoredAnswer | undefined> {
  const earlier = await ctx.db
    .selectFrom('idempotent_reply')
    .select(['input_digest', 'status', 'body', 'headers'])
    .where('org_id', '=', ctx.org)
    .where('actor_id', '=', actorOf(ctx))
    .where('key', '=', key)
    .executeTakeFirst();
  if (!earlier) return undefined;
  if (!earlier.input_digest.equals(digest)) {
    throw invalidField('Idempotency-Key', 'was already used for another request');
  }
  if (shownOnce !== undefined) throw alreadyShown(shownOnce, earlier.body);
  const headers = JSON.parse(earlier.headers) as StoredAnswer['headers'];
  return { status: earlier.status, body: earlier.body, headers };
}

function alreadyShown(secret: string, body: string): Problem {
  const { id } = JSON.parse(body) as { id?: unknown };
  const made = typeof id === 'string' ? `. It created '${id}'` : '';
  return invalidField(
    'Idempotency-Key',
    `was already used: that request succeeded, and its ${secret} is shown only once${made}`,
  );
}
