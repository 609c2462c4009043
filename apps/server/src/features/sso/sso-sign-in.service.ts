import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Ctx, systemCtx } from '../../platform/ctx.ts';
import { invalid } from '../../platform/errors.ts';
import type { Visit } from '../../platform/http/page.ts';
import { hashSecret, newSecret } from '../../platform/http/session-cookie.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { authorizationUrl, type Claims, claimsFrom, Refused, reasonOf } from './id-token.ts';
import type { IssuerClient, Issuers } from './issuer.ts';
import { type AttemptRow, insertAttempt, takeAttempt } from './sign-in-attempt.store.ts';
import { openSecret } from './sso.service.ts';
import * as store from './sso.store.ts';

const ATTEMPT_MS = 10 * 60_000;

export const CHANGED = 'The single sign-on configuration of this org has changed: start again';

export interface SignInParts {
  readonly issuers: Issuers;
  readonly secretBox: SecretBox | undefined;
  readonly redirectUri: (org: string) => string;
  /** Attempts per minute from one address. */
  readonly perAddress: number;
}

/**
 * What a link on one of our pages carries in this browser. A link from elsewhere must first be confirmed on the page:
 * otherwise another site could send a visitor through its own org and change who they are signed in as.
 */
export function startToken(browserSecret: string, org: string): string {
  return createHmac('sha256', browserSecret).update(`start of ${org}`).digest('base64url');
}

export function isStartToken(token: string | null, browserSecret: string, org: string): boolean {
  return timingSafeEqual(hashSecret(token ?? ''), hashSecret(startToken(browserSecret, org)));
}

/** The service itself acts: whoever was signed in before in this browser is not involved. */
export function ssoCtx({ ctx }: Visit, org: string): Ctx {
  return { ...systemCtx(ctx.db, org, 'single sign-on', ctx.log), now: ctx.now, newId: ctx.newId };
}

/** Stores the attempt and returns the URL to redirect to. */
export async function begin(
  visit: Visit,
  parts: SignInParts,
  setting: store.SettingRow,
  attempt: Pick<AttemptRow, 'purpose' | 'session_id' | 'next'>,
): Promise<string> {
  const { ctx, browserSecret } = visit;
  const redirectUri = parts.redirectUri(orgNameOf(visit));
  const state = newSecret();
  const url = await asRefused(async () => {
    const configuration = await parts.issuers.clientFor(clientOf(parts, setting), ctx.now());
    return authorizationUrl(configuration, { state, browserSecret, redirectUri });
  });
  await insertAttempt(ctx.db, {
    ...attempt,
    state_hash: hashSecret(state),
    browser_hash: hashSecret(browserSecret),
    org_id: setting.org_id,
    setting_id: setting.setting_id,
    expires_at: new Date(ctx.now().getTime() + ATTEMPT_MS),
  });
  return url;
}

/**
 * The attempt that the visitor comes back from, if it began in this browser and for the org in the URL; each can be
 * used once.
 */
export async function takeOwnAttempt({ ctx, query, browserSecret }: Visit, org: string): Promise<AttemptRow> {
  const sent = { stateHash: hashSecret(query.get('state') ?? ''), browserHash: hashSecret(browserSecret), org };
  const attempt = await takeAttempt(ctx.db, sent, ctx.now());
  if (attempt) return attempt;
  throw invalid(
    'This sign-in was not started in this browser, took longer than 10 minutes, or is already completed: start again',
  );
}

/** The identity provider's claims about the visitor, under the setting that the attempt began with. */
export async function finish(
  visit: Visit,
  parts: SignInParts,
  attempt: AttemptRow,
): Promise<{ setting: store.SettingRow; claims: Claims }> {
  const { ctx, query, browserSecret } = visit;
  const setting = await store.findSetting(ctx.db, attempt.org_id);
  if (setting?.setting_id !== attempt.setting_id) {
    throw new Refused(CHANGED);
  }
  const claims = await asRefused(async () => {
    const configuration = await parts.issuers.clientFor(clientOf(parts, setting), ctx.now());
    const url = new URL(`${parts.redirectUri(orgNameOf(visit))}?${query}`);
    return claimsFrom(configuration, { url, state: query.get('state') ?? '', browserSecret, now: ctx.now() });
  });
  return { setting, claims };
}

/** That of the address. */
function orgNameOf({ params }: Visit): string {
  return params['org'] ?? '';
}

function clientOf({ secretBox }: SignInParts, setting: store.SettingRow): IssuerClient {
  const { sealed_secret: sealed } = setting;
  const secret = sealed === null ? null : openSecret(secretBox, setting.org_id, sealed);
  if (secret === undefined) {
    throw new Refused('The client secret can no longer be decrypted: an admin must enter it again');
  }
  return {
    settingId: setting.setting_id,
    issuer: setting.issuer,
    clientId: setting.client_id,
    clientSecret: secret,
  };
}

async function asRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(reasonOf(error), { cause: error });
  }
}
