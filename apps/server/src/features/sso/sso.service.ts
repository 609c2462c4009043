import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import { conflict, invalid, invalidField, Problem } from '../../platform/errors.ts';
import { emit } from '../../platform/journal/journal.ts';
import type { SealedColumn } from '../../platform/reseal.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { revokeAllOrgKeys } from '../api-keys/org-key.service.ts';
import { readOrgRow } from '../orgs/org.reads.ts';
import { setSsoEnforcement } from '../orgs/org.service.ts';
import { endAllOrgSessions } from '../users/sessions/org-session.service.ts';
import { ssoConfigured, ssoEnforced, ssoReleased, ssoRemoved } from './sso.entries.ts';
import * as store from './sso.store.ts';

export interface Wanted {
  /** In the issuer's own spelling. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined keeps the stored one; null is for a public client. */
  readonly clientSecret: string | null | undefined;
  readonly emailDomains: readonly string[];
  readonly defaultRole: 'reader' | 'snapshotter' | 'member';
}

export async function configure(ctx: Ctx, box: SecretBox | undefined, wanted: Wanted): Promise<store.SettingRow> {
  await requireConfigurable(ctx);
  return inTransaction(ctx, async (ctx) => {
    await lockSso(ctx);
    const before = await store.lockSetting(ctx.db, ctx.org);
    await requireSameWhileEnforced(ctx, before, wanted);
    const after = {
      issuer: wanted.issuer,
      client_id: wanted.clientId,
      sealed_secret: secretOf(ctx, box, before, wanted),
      email_domains: [...new Set(wanted.emailDomains.map((domain) => domain.toLowerCase()))].sort(),
      default_role: wanted.defaultRole,
    };
    if (before && isSame(before, after)) return before;
    const changedIssuer = before !== undefined && before.issuer !== after.issuer;
    if (changedIssuer) await endVouchedFor(ctx);
    const setting = await store.upsertSetting(ctx.db, {
      ...after,
      org_id: ctx.org,
      setting_id: ctx.newId(),
      configured_at: ctx.now(),
      configured_by: ctx.actor.name,
    });
    const { sealed_secret: secret, ...settings } = after;
    const payload = { ...settings, has_client_secret: secret !== null, changed_issuer: changedIssuer };
    await emit(ctx, ssoConfigured, subjectOf(setting), payload);
    return setting;
  });
}

/** Only someone who signed in through it may disable the other ways. */
export async function enforce(ctx: Ctx): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockSso(ctx);
    const setting = await requireSetting(ctx);
    if ((await readOrgRow(ctx.db, ctx.org)).sso_enforced_at !== null) return;
    if (setting.tested_at === null || setting.tested_by !== ctx.actor.id) {
      throw conflict(
        'Test it first: run the test on the org’s single sign-on page, as yourself and after the last change of ' +
          'the configuration',
      );
    }
    await setSsoEnforcement(ctx, ctx.now());
    const { issuer, revision } = await store.countChange(ctx.db, ctx.org);
    await emit(ctx, ssoEnforced, subjectOf({ org_id: ctx.org, revision }), { issuer });
  });
}

/** Also for an operator, when everybody is locked out. Returns whether there was something to release. */
export async function release(ctx: Ctx): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => {
    await lockSso(ctx);
    await requireSetting(ctx);
    if ((await readOrgRow(ctx.db, ctx.org)).sso_enforced_at === null) return false;
    await setSsoEnforcement(ctx, null);
    // Earlier tests no longer count: perhaps it was released because it stopped working.
    const untested = { tested_at: null, tested_by: null };
    const { issuer, revision } = await store.countChange(ctx.db, ctx.org, untested);
    await emit(ctx, ssoReleased, subjectOf({ org_id: ctx.org, revision }), { issuer });
    return true;
  });
}

export async function remove(ctx: Ctx): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockSso(ctx);
    await requireSetting(ctx);
    if ((await readOrgRow(ctx.db, ctx.org)).sso_enforced_at !== null) {
      throw conflict('Single sign-on is enforced: stop enforcing it before you remove it');
    }
    await store.lockSetting(ctx.db, ctx.org);
    await endVouchedFor(ctx);
    const setting = await store.removeSetting(ctx.db, ctx.org, ctx.now());
    await emit(ctx, ssoRemoved, subjectOf(setting), { issuer: setting.issuer });
  });
}

export async function requireSetting(ctx: Ctx): Promise<store.SettingRow> {
  const setting = await store.findSetting(ctx.db, ctx.org);
  if (!setting) throw new Problem('not_found', 'Single sign-on is not configured for this org');
  return setting;
}

/** A personal org belongs to one person; no identity provider speaks for them there. */
export async function requireConfigurable(ctx: Ctx): Promise<void> {
  const { kind, name } = await readOrgRow(ctx.db, ctx.org);
  if (kind !== 'shared')
    throw invalid(`Single sign-on is only available in shared orgs, and '${name}' is a personal org`);
}

/** Undefined when it was sealed with a key that the installation no longer has. */
export function openSecret(box: SecretBox | undefined, org: string, sealed: string): string | undefined {
  try {
    return box?.open(sealed, secretContext(org));
  } catch {
    return undefined;
  }
}

export const ssoSecret: SealedColumn = {
  table: 'sso_setting',
  column: 'sealed_secret',
  id: 'org_id',
  contextOf: secretContext,
};

/** Binds a secret to its org, so that rows cannot be swapped. */
function secretContext(org: string): string {
  return `client secret of single sign-on of ${org}`;
}

async function requireSameWhileEnforced(ctx: Ctx, before: store.SettingRow | undefined, wanted: Wanted): Promise<void> {
  if (!before || (await readOrgRow(ctx.db, ctx.org)).sso_enforced_at === null) return;
  const reason = 'cannot be changed while single sign-on is enforced: stop enforcing it first';
  if (before.issuer !== wanted.issuer) throw invalidField('issuer', reason);
  if (before.client_id !== wanted.clientId) throw invalidField('client_id', reason);
}

/** A secret is sent only to the issuer it was given for. */
function secretOf(
  ctx: Ctx,
  box: SecretBox | undefined,
  before: store.SettingRow | undefined,
  { issuer, clientId, clientSecret }: Wanted,
): string | null {
  if (clientSecret === null) return null;
  const stored = before?.issuer === issuer && before.client_id === clientId ? before.sealed_secret : null;
  if (clientSecret === undefined) return stored;
  if (!box) {
    throw invalidField(
      'client_secret',
      'cannot be stored: this installation has no WAYMARK_SECRET_KEY. Ask its operator to set one, or use a ' +
        'public client',
    );
  }
  if (stored !== null && openSecret(box, ctx.org, stored) === clientSecret) return stored;
  return box.seal(clientSecret, secretContext(ctx.org));
}

type Compared = Pick<store.SettingRow, 'issuer' | 'client_id' | 'sealed_secret' | 'email_domains' | 'default_role'>;

function isSame(before: Compared, after: Compared): boolean {
  return (
    before.issuer === after.issuer &&
    before.client_id === after.client_id &&
    before.sealed_secret === after.sealed_secret &&
    before.email_domains.join() === after.email_domains.join() &&
    before.default_role === after.default_role
  );
}

/** Ends what the org's identity provider asserted. */
async function endVouchedFor(ctx: Ctx): Promise<void> {
  await endAllOrgSessions(ctx);
  await revokeAllOrgKeys(ctx);
}

function lockSso(ctx: Ctx): Promise<void> {
  return lockSubject(ctx.db, ctx.org, 'sso', ctx.org);
}

function subjectOf({ org_id, revision }: { org_id: string; revision: number }) {
  return { kind: 'sso', id: org_id, seq: revision };
}
