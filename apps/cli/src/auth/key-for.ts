import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ApiError, type Client } from '@waymark/client';
import { exchangeToken } from '@waymark/contract';
import { type IdentityToken, oidcToken } from '../ci/oidc-token.ts';
import { CliError, usageError } from '../run/cli-error.ts';
import type { Session, SignIn } from '../run/session.ts';
import { contextInUse, storedKey } from './credentials.ts';

/** Leaves time for requests that are under way when a key expires. */
const MARGIN_SECONDS = 60;
/** Tokens state their time in seconds. */
const NEXT_SECOND_MS = 1100;
const STDIN = 'Standard input';

/** Returns the key to sign in with: the one the CI job can get, else the given one, else the one of this user. */
export async function keyFor(session: Session, anonymous: Client): Promise<SignIn> {
  const { auth } = session.settings;
  const given = auth === 'oidc' ? undefined : await givenKey(session);
  if (auth !== 'token') {
    const exchanged = await exchangedKey(session, anonymous, given !== undefined);
    if (exchanged !== undefined) return exchanged;
  }
  if (given !== undefined) return given;
  throw new CliError('denied', 'You are not signed in', {
    fix:
      auth === 'oidc'
        ? "Give the job an identity token; see 'waymark help ci' for your CI system"
        : "Run 'waymark auth login', or set WAYMARK_TOKEN; in CI, give the job an identity token ('waymark help ci')",
  });
}

/** Returns a key that needs no request: given with the command, or stored by `auth login`. */
export async function givenKey(session: Session): Promise<SignIn | undefined> {
  const { token, tokenFile, host, context } = session.settings;
  if (token !== undefined || tokenFile !== undefined) requireOwnHost(session);
  if (token !== undefined) {
    const source = session.sources.token ?? '--token';
    if (source === '--token') session.warn('--token is visible in the process list; use WAYMARK_TOKEN instead');
    return { key: readKey(token, source), source };
  }
  return (
    (await keyInFile(session)) ??
    (host === undefined ? undefined : storedKey(session.io, host, contextInUse(session.io, context)))
  );
}

/**
 * A repository must not decide where a key goes: anyone who checks out a stranger's repository, or runs a job for a
 * pull request, would send the key to them. A stored key belongs to its host, and the token of a job to its audience.
 */
function requireOwnHost(session: Session): void {
  const { project, settings } = session;
  if (!isHostOfProject(session)) return;
  throw new CliError('denied', `The key was not sent: only ${project?.path} names the host`, {
    why: `A file in a repository cannot decide on its own that ${settings.host} receives your key`,
    fix: `Set WAYMARK_HOST as well, or sign in there once with 'waymark auth login --host ${settings.host}'`,
  });
}

function isHostOfProject({ sources, project }: Session): boolean {
  return project !== undefined && sources.host === project.path;
}

async function keyInFile({ io, settings }: Session): Promise<SignIn | undefined> {
  const { tokenFile } = settings;
  if (tokenFile === undefined) return undefined;
  if (tokenFile === '-') return { key: readKey((await io.stdin.bytes()).toString('utf8'), STDIN), source: STDIN };
  return { key: readKey(readFileSync(resolve(io.cwd, tokenFile), 'utf8'), tokenFile), source: tokenFile };
}

/** Refuses a key that can't be a header value, without showing it. */
export function readKey(text: string, source: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw usageError(
    key === '' ? `${source} contains no API key` : `${source} contains more than a key: spaces or other characters`,
  );
}

async function exchangedKey(session: Session, anonymous: Client, hasOther: boolean): Promise<SignIn | undefined> {
  const { io, settings, detail, warn } = session;
  const { auth, org } = settings;
  if (org === undefined) return undefined;
  const ask = () =>
    oidcToken(session.ci(), io.env, {
      audience: `${session.need('host')}/${org}`,
      fetch: io.fetch,
      run: io.run,
      signal: io.signal,
      note: detail,
      mayHaveOtherAudience: !isHostOfProject(session),
    });
  const found = await ask().catch((error: unknown) => {
    if (auth === 'oidc' || !hasOther) throw error;
    warn(
      `The CI system did not provide an identity token (${error instanceof Error ? error.message : 'unknown'}); using the key`,
    );
    return undefined;
  });
  if (!found) return undefined;
  try {
    const exchange = ({ token }: IdentityToken) =>
      anonymous.call(exchangeToken, { params: { org }, body: { token }, signal: io.signal });
    const { key, service_account, expires_at, workload_identity } = await exchange(found).catch(async (error) => {
      const newer = isUsed(error) ? await newerToken(found, ask, io.signal) : undefined;
      if (!newer) throw error;
      return exchange(newer);
    });
    detail(`Signed in as ${service_account} with the identity of the job (${found.source})`);
    return {
      key,
      source: found.source,
      until: new Date((expires_at - MARGIN_SECONDS) * 1000),
      job: { service_account, workload_identity: workload_identity.name, expires_at },
    };
  } catch (error) {
    if (!hasOther || auth === 'oidc' || !(error instanceof ApiError) || error.status !== 403) throw error;
    warn(`The identity of the job is not trusted (${error.message}); using the key`);
    return undefined;
  }
}

function isUsed(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403 && error.message.includes('already used');
}

/** CI systems without token ids make equal tokens for commands of the same second. One in a variable stays the same. */
async function newerToken(
  used: IdentityToken,
  ask: () => Promise<IdentityToken | undefined>,
  signal: AbortSignal,
): Promise<IdentityToken | undefined> {
  await setTimeout(NEXT_SECOND_MS, undefined, { signal });
  const newer = await ask();
  return newer?.token === used.token ? undefined : newer;
}
