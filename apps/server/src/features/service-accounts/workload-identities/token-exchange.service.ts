import type { Workload } from '@waymark/contract';
import canonicalize from 'canonicalize';
import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { forbidden, invalidField, type Problem } from '../../../platform/errors.ts';
import { newKeyText } from '../../../platform/http/key-text.ts';
import { emit } from '../../../platform/journal/journal.ts';
import { recordedScope } from '../../../platform/journal/recorded-scope.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { addJobKey } from '../../api-keys/job-key.service.ts';
import { findOrgByName } from '../../orgs/org.reads.ts';
import type { FindIssuerKeys } from './issuer-keys.ts';
import { type JobToken, readClaimedIssuer, readJobToken, verifiedPayload } from './job-token.ts';
import { differingClaims, isPinnedTo, storedClaims, type TokenClaims } from './required-claims.ts';
import { workloadIdentityExchanged } from './workload-identity.entries.ts';
import * as store from './workload-identity.store.ts';

const KEY_LIVES_MS = 15 * 60_000;

export interface Exchange {
  readonly orgName: string;
  readonly token: string;
  readonly serviceAccount: string | undefined;
  /** The required audience of the token. */
  readonly audience: string;
  readonly regionLetter: string;
}

export interface Exchanged {
  readonly key: string;
  readonly expiresAt: Date;
  readonly identity: store.WorkloadIdentityRow;
}

/** Makes a key of a service account for a job, if its token matches an identity of the org. */
export async function exchangeToken(ctx: Ctx, findKeys: FindIssuerKeys, wanted: Exchange): Promise<Exchanged> {
  const { identities, payload } = await findConcerned(ctx, findKeys, wanted);
  const read = readJobToken(wanted.token, payload, { audience: wanted.audience, now: ctx.now() });
  if (!read.ok) throw refused(read.reason);
  const identity = fittingOf(identities, payload, wanted.serviceAccount);
  return makeKey(ctx, identity, payload, read.token, wanted.regionLetter);
}

/**
 * The identities for the owner of the job, and the claims of its token. Strangers learn nothing, not even whether such
 * an org exists: anyone can get a token from the large CI systems. Only issuers that the org named are called.
 */
async function findConcerned(ctx: Ctx, findKeys: FindIssuerKeys, wanted: Exchange) {
  const claimed = readClaimedIssuer(wanted.token);
  const ofIssuer = claimed ? await listOfIssuer(ctx, wanted.orgName, claimed.issuer) : [];
  if (!claimed || ofIssuer.length === 0) throw notAccepted(wanted);
  const keys = await findKeys(claimed.issuer, claimed.kid);
  const payload = await verifiedPayload(wanted.token, claimed.issuer, keys);
  const identities = payload ? ofIssuer.filter(({ claims }) => isPinnedTo(claims, payload)) : [];
  if (!payload || identities.length === 0) throw notAccepted(wanted);
  return { identities, payload };
}

/** Takes as long for an org that does not exist, which has an id that no org has. */
async function listOfIssuer(ctx: Ctx, orgName: string, issuer: string): Promise<store.WorkloadIdentityRow[]> {
  const org = await findOrgByName(ctx.db, orgName);
  return store.listIdentitiesOfIssuer(ctx.db, org?.id ?? ctx.newId(), issuer);
}

/** The one with the most requirements, among those that the token meets. */
function fittingOf(
  concerned: readonly store.WorkloadIdentityRow[],
  payload: TokenClaims,
  serviceAccount: string | undefined,
): store.WorkloadIdentityRow {
  const meant = concerned.filter(({ account_name: name }) => serviceAccount === undefined || name === serviceAccount);
  if (meant.length === 0) throw refused(`no workload identity allows it to act as service account '${serviceAccount}'`);
  const fitting = meant.filter(({ claims }) => differingClaims(claims, payload).length === 0);
  if (fitting.length === 0) throw refused(differences(meant, payload));
  const accounts = new Set(fitting.map(({ account_name: name }) => name));
  if (accounts.size > 1) {
    throw invalidField('service_account', `is required: the token is valid for ${[...accounts].sort().join(', ')}`);
  }
  return fitting.reduce((best, other) => (countClaims(other) > countClaims(best) ? other : best));
}

function countClaims({ claims }: store.WorkloadIdentityRow): number {
  return Object.keys(claims).length;
}

const CLAIMS_SHOWN = 5;

function differences(identities: readonly store.WorkloadIdentityRow[], payload: TokenClaims): string {
  const mismatches = identities
    .slice(0, CLAIMS_SHOWN)
    .map(({ name, claims }) => `'${name}' requires another ${differingClaims(claims, payload).join(', ')}`);
  return `it matches no workload identity: ${mismatches.join('; ')}`;
}

async function makeKey(
  outer: Ctx,
  { id, org_id: org }: store.WorkloadIdentityRow,
  payload: TokenClaims,
  token: JobToken,
  regionLetter: string,
): Promise<Exchanged> {
  return inTransaction({ ...outer, org }, async (ctx) => {
    const identity = await store.lockIdentity(ctx.db, ctx.org, id);
    if (!identity) throw refused('the matching workload identity was removed');
    if (identity.suspended_at !== null) throw refused(suspension(identity));
    const { subject, jti } = token;
    const { issuer } = identity;
    if (!(await store.insertUsedToken(ctx.db, { issuer, jti, expires_at: token.tooOldAt }))) {
      throw refused('it was already used: request a new one');
    }
    const workload = { identity: id, issuer, subject, jti, claims: storedClaims(identity.claims, payload) };
    const expiresAt = new Date(ctx.now().getTime() + KEY_LIVES_MS);
    const text = newKeyText(regionLetter);
    const acting = { ...ctx, actor: actorOf(identity) };
    const keyId = await writeKey(acting, identity, { text, workload, expiresAt });
    await emit(
      acting,
      workloadIdentityExchanged,
      { kind: 'api_key', id: keyId, seq: 1 },
      {
        workload_identity: { id, name: identity.name },
        service_account: identity.account_name,
        issuer,
        subject,
        jti,
        claims: workload.claims,
        expires_at: epochSeconds(expiresAt),
        scope: recordedScope(identity.scope),
      },
    );
    return { key: text, expiresAt, identity };
  });
}

function writeKey(
  ctx: Ctx,
  identity: store.WorkloadIdentityRow,
  key: { text: string; workload: Workload; expiresAt: Date },
): Promise<string> {
  return addJobKey(ctx, {
    text: key.text,
    description: `For a job, by workload identity ${identity.name}`,
    account: { id: identity.service_account_id, name: identity.account_name },
    workloadIdentity: identity.id,
    workload: canonicalize(key.workload) ?? null,
    madeBy: identity.made_by,
    expiresAt: key.expiresAt,
    scope: identity.scope,
  });
}

function actorOf({
  service_account_id: id,
  account_name: name,
  privilege: role,
}: store.WorkloadIdentityRow): Ctx['actor'] {
  return { kind: 'service_account', id, name, role };
}

function suspension({ name }: store.WorkloadIdentityRow): string {
  return (
    `the workload identity '${name}' is suspended because the person who created it left the org or has a lower ` +
    'role than its service account. An admin of the org can restore it'
  );
}

function notAccepted({ audience }: Exchange): Problem {
  return forbidden(
    'The token was rejected: its issuer and ids must match a workload identity of the org, its signature must be ' +
      `the issuer’s, and its audience must be ${audience}`,
  );
}

function refused(reason: string): Problem {
  return forbidden(`The token was rejected: ${reason}`);
}
