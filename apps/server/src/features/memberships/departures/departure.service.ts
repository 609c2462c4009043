import { atLeast, type Role } from '@waymark/contract';
import type { Ctx } from '../../../platform/ctx.ts';
import { emitAll } from '../../../platform/journal/journal.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { revokeOrgKeys } from '../../api-keys/org-key.service.ts';
import { listLosing, type Suspended, suspendGrants } from '../../api-keys/suspension.service.ts';
import { readOrg } from '../../orgs/org.reads.ts';
import { endOrgSessions } from '../../users/sessions/org-session.service.ts';
import type { MemberSource } from '../membership.entries.ts';
import { departureScheduled } from './departure.entries.ts';
import { enqueueDepartureMails } from './departure.mail.ts';
import * as store from './departure.store.ts';

interface Change {
  readonly user: { readonly id: string; readonly login: string };
  readonly before: Role | null;
  readonly after: Role | null;
}

interface Loss {
  readonly id: string;
  readonly login: string;
  readonly role: Role | null;
  readonly previousRole: Role;
}

/**
 * Revokes what people may no longer use, and returns what was suspended. Someone who becomes a member again must not
 * regain what the org's identity provider granted them before, nor what they made.
 */
export async function endGrants(ctx: Ctx, changes: readonly Change[], source: MemberSource): Promise<Suspended[]> {
  const gone = changes.filter(({ after }) => after === null).map(({ user }) => user.id);
  await endOrgSessions(ctx, gone);
  await revokeOrgKeys(ctx, gone);
  const back = changes.flatMap(({ user, after: role }) => (role === null ? [] : [{ id: user.id, role }]));
  if (back.length > 0) await store.settleReturned(ctx.db, ctx.org, back, ctx.now());
  const losses = changes.flatMap(({ user: { id, login }, before, after: role }) =>
    before !== null && (role === null || !atLeast(role, before)) ? [{ id, login, role, previousRole: before }] : [],
  );
  return source === 'scim' ? endByProvider(ctx, losses) : suspendGrants(ctx, losses);
}

/** Nobody reads the reply to an identity provider, so admins get a mail. */
async function endByProvider(ctx: Ctx, losses: readonly Loss[]): Promise<Suspended[]> {
  const { suspension_delay_hours: hours } = await readOrg(ctx);
  if (hours > 0) {
    await schedule(ctx, losses, new Date(ctx.now().getTime() + hours * 3_600_000));
    return [];
  }
  const suspended = await suspendGrants(ctx, losses);
  const makers = new Set(suspended.map(({ maker }) => maker));
  await record(
    ctx,
    losses.filter(({ id }) => makers.has(id)),
    { suspendAt: ctx.now(), settledAt: ctx.now() },
  );
  return suspended;
}

async function schedule(ctx: Ctx, losses: readonly Loss[], suspendAt: Date): Promise<void> {
  const losing = new Set(await listLosing(ctx, losses));
  const added = await record(
    ctx,
    losses.filter(({ id }) => losing.has(id)),
    { suspendAt, settledAt: null },
  );
  await emitAll(
    ctx,
    departureScheduled,
    'departure',
    added.map(({ id, loss }) => ({
      id,
      seq: 1,
      payload: {
        user_id: loss.id,
        login: loss.login,
        role: loss.role,
        previous_role: loss.previousRole,
        suspends_at: epochSeconds(suspendAt),
      },
    })),
  );
}

async function record(
  ctx: Ctx,
  losses: readonly Loss[],
  { suspendAt, settledAt }: { readonly suspendAt: Date; readonly settledAt: Date | null },
): Promise<{ id: string; loss: Loss }[]> {
  if (losses.length === 0) return [];
  const rows = losses.map((loss) => ({
    org_id: ctx.org,
    id: ctx.newId(),
    user_id: loss.id,
    previous_role: loss.previousRole,
    scim_key_id: ctx.credential?.id ?? null,
    departed_at: ctx.now(),
    suspend_at: suspendAt,
    settled_at: settledAt,
  }));
  const added = await store.insertDepartures(ctx.db, rows);
  if (added.length > 0) await enqueueDepartureMails(ctx);
  const lossOf = new Map(losses.map((loss) => [loss.id, loss]));
  return added.flatMap(({ id, user_id }) => {
    const loss = lossOf.get(user_id);
    return loss ? [{ id, loss }] : [];
  });
}
