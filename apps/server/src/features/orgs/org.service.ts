import { type FindingLevel, OrgName } from '@waymark/contract';
import type { Expression, ExpressionBuilder, SqlBool, Updateable } from 'kysely';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { isUniqueViolation } from '../../platform/db/failure.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import type { Tables } from '../../platform/db/tables.ts';
import { invalidField } from '../../platform/errors.ts';
import { parse } from '../../platform/http/validation.ts';
import { emit, type Subject } from '../../platform/journal/journal.ts';
import {
  experimentalFeaturesChanged,
  findingsThresholdChanged,
  membersVisibleChanged,
  orgCreated,
  refuseUnverifiedChanged,
  waiverRulesChanged,
} from './org.entries.ts';
import { DEFAULT_FAILS_AT, type WaiverRules } from './org.reads.ts';

export interface NewOrg {
  readonly name: string;
  readonly kind: 'personal' | 'shared';
  /** The person who created it, if one did. */
  readonly creatingUser?: string;
}

/** These have a meaning in URLs, so the pages of an org with such a name could not be reached. */
const RESERVED = [
  'account',
  'admin',
  'api',
  'assets',
  'docs',
  'help',
  'invitations',
  'live',
  'metrics',
  'organizations',
  'ready',
  'status',
];
const RESERVED_FOR_SIGN_IN = ['callback', 'link', 'oidc', 'scim', 'set-up', 'sign-in', 'sign-out', 'sign-up', 'user'];

export function isReservedName(name: string): boolean {
  return [...RESERVED, ...RESERVED_FOR_SIGN_IN].includes(name.toLowerCase());
}

/** A personal org is named by the login of its user, so errors about the name refer to the login. */
const NAMING = {
  personal: { field: 'login', rival: 'a user or an org' },
  shared: { field: 'name', rival: 'an org' },
} as const;

/** Creates an org; the given context's org is replaced by the new one. Returns its id. */
export async function createOrg(ctx: Ctx, org: NewOrg): Promise<string> {
  const { field, rival } = NAMING[org.kind];
  const name = parse(OrgName, org.name, field);
  if (isReservedName(name)) throw invalidField(field, `is taken: '${name}' is reserved`);
  const id = ctx.newId();
  try {
    await inTransaction({ ...ctx, org: id }, async (ctx) => {
      await ctx.db
        .insertInto('org')
        .values({ id, name, kind: org.kind, created_at: ctx.now(), creating_user_id: org.creatingUser ?? null })
        .execute();
      await emit(ctx, orgCreated, { kind: 'org', id, seq: 1 }, { name, kind: org.kind });
    });
  } catch (error) {
    if (isUniqueViolation(error, 'org_name')) {
      throw invalidField(field, `is taken: ${rival} '${name}' already exists`);
    }
    throw error;
  }
  return id;
}

/** Sets whether members may use beta features without the opt-in header. Repeating it records nothing. */
export async function switchExperimentalFeatures(ctx: Ctx, enabled: boolean): Promise<void> {
  await changeOrg(ctx, {
    values: { experimental_features_enabled: enabled },
    isNews: (org) => org('experimental_features_enabled', '<>', enabled),
    tell: (ctx, subject) => emit(ctx, experimentalFeaturesChanged, subject, { enabled }),
  });
}

/** Sets the level at which findings fail. Repeating it records nothing. */
export async function changeFindingsThreshold(ctx: Ctx, failsAt: FindingLevel): Promise<void> {
  await changeOrg(ctx, {
    values: { findings_fail_at: failsAt },
    isNews: (org) => org(org.fn.coalesce('findings_fail_at', org.val(DEFAULT_FAILS_AT)), '<>', failsAt),
    tell: (ctx, subject) => emit(ctx, findingsThresholdChanged, subject, { fails_at: failsAt }),
  });
}

/** Sets whether signed evidence that does not verify is refused. Repeating it records nothing. */
export async function changeRefuseUnverified(ctx: Ctx, refuses: boolean): Promise<void> {
  await changeOrg(ctx, {
    values: { refuse_unverified: refuses },
    isNews: (org) => org('refuse_unverified', '<>', refuses),
    tell: (ctx, subject) => emit(ctx, refuseUnverifiedChanged, subject, { enabled: refuses }),
  });
}

/** Sets whether every role can read the members. Repeating it records nothing. */
export async function changeMembersVisible(ctx: Ctx, visible: boolean): Promise<void> {
  await changeOrg(ctx, {
    values: { members_visible: visible },
    isNews: (org) => org('members_visible', '<>', visible),
    tell: (ctx, subject) => emit(ctx, membersVisibleChanged, subject, { enabled: visible }),
  });
}

/** Sets what the org demands of new waivers and overrides. Repeating it records nothing. */
export async function changeWaiverRules(ctx: Ctx, rules: WaiverRules): Promise<void> {
  const { waiver_max_days: days, reason_min_length: length } = rules;
  await changeOrg(ctx, {
    values: rules,
    isNews: (org) => org.or([org('waiver_max_days', 'is distinct from', days), org('reason_min_length', '<>', length)]),
    tell: (ctx, subject) => emit(ctx, waiverRulesChanged, subject, { ...rules }),
  });
}

/** Admits only who came through the org's identity provider, from then on; null admits all members again. */
export async function setSsoEnforcement({ db, org }: Ctx, since: Date | null): Promise<void> {
  await db.updateTable('org').set({ sso_enforced_at: since }).where('id', '=', org).execute();
}

/**
 * Remembers at which percent of the storage quota admins are warned, so that each level is warned of once. Returns the
 * org's counter of changes if the level is higher than before. Call it with the org locked.
 */
export async function setStorageWarning({ db, org }: Ctx, percent: number): Promise<number | undefined> {
  const { warned } = await db
    .selectFrom('org')
    .select('storage_warned_percent as warned')
    .where('id', '=', org)
    .executeTakeFirstOrThrow();
  if (warned === percent) return undefined;
  const isHigher = percent > warned;
  const { revision } = await db
    .updateTable('org')
    .set((row) => ({ storage_warned_percent: percent, revision: row('revision', '+', isHigher ? 1 : 0) }))
    .where('id', '=', org)
    .returning('revision')
    .executeTakeFirstOrThrow();
  return isHigher ? revision : undefined;
}

interface OrgChange {
  readonly values: Updateable<Tables['org']>;
  /** Whether the org has other values so far. */
  readonly isNews: (org: ExpressionBuilder<Tables, 'org'>) => Expression<SqlBool>;
  readonly tell: (ctx: Ctx, subject: Subject) => Promise<void>;
}

export async function changeOrg(ctx: Ctx, { values, isNews, tell }: OrgChange): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockSubject(ctx.db, ctx.org, 'org', ctx.org);
    const changed = await ctx.db
      .updateTable('org')
      .set((org) => ({ ...values, revision: org('revision', '+', 1), last_modified_at: ctx.now() }))
      .where('id', '=', ctx.org)
      .where(isNews)
      .returning('revision')
      .executeTakeFirst();
    if (changed) await tell(ctx, { kind: 'org', id: ctx.org, seq: changed.revision });
  });
}
