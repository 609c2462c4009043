import { readFileSync } from 'node:fs';
import type { CiContext, OidcOffer } from '@waymark/ci-context';
import { CliError } from '../run/cli-error.ts';
import type { Io } from '../run/io.ts';
import { requestToken } from './request-token.ts';

interface TokenOptions {
  readonly audience: string;
  readonly fetch: typeof fetch;
  readonly run: Io['run'];
  readonly signal: AbortSignal;
  /** Whether a token that was made for us by hand is sent whatever its audience: the service knows its own names. */
  readonly mayHaveOtherAudience?: boolean;
  /** Called with the reason why an existing token was not used. */
  readonly note?: (text: string) => void;
}

export interface IdentityToken {
  readonly token: string;
  readonly source: string;
}

const OWN = 'WAYMARK_ID_TOKEN';
const OWN_FILE = 'WAYMARK_ID_TOKEN_FILE';

/** Returns the token that identifies this job to us. Undefined where the CI system offers none for our audience. */
export async function oidcToken(
  context: CiContext,
  env: Io['env'],
  options: TokenOptions,
): Promise<IdentityToken | undefined> {
  const file = env[OWN_FILE];
  // Read each time: a kubelet replaces the file before the token expires.
  if (file) return forUs(checked(readFileSync(file, 'utf8').trim(), OWN_FILE), options);
  if (!context.oidc) return undefined;
  const custom = context.provider === 'circleci' && !env[OWN] ? customCircleToken(options) : undefined;
  const found = custom ?? (await tokenOf(context.oidc, env, options));
  return found && forUs(found, options);
}

/** A token can be used by anyone who holds it, so one for another audience does not leave the job. */
function forUs(found: IdentityToken, { audience, mayHaveOtherAudience = true, note }: TokenOptions) {
  const isOwn = found.source === OWN || found.source === OWN_FILE;
  if ((isOwn && mayHaveOtherAudience) || audiencesOf(found.token).includes(audience)) return found;
  note?.(`The token from ${found.source} is for another audience than ${audience} and was not used`);
  return undefined;
}

async function tokenOf(offer: OidcOffer, env: Io['env'], options: TokenOptions): Promise<IdentityToken | undefined> {
  switch (offer.kind) {
    case 'ready':
      return readyToken(offer.variable, env);
    case 'github':
      return githubToken(offer, env, options);
    case 'azure':
      return azureToken(offer, env, options);
    case 'buildkite':
      return buildkiteToken(options);
  }
}

function readyToken(variable: string, env: Io['env']): IdentityToken | undefined {
  const token = (env[variable] ?? '').trim();
  return token === '' ? undefined : checked(token, variable);
}

async function githubToken(
  { urlVariable, tokenVariable }: Extract<OidcOffer, { kind: 'github' }>,
  env: Io['env'],
  { audience, fetch, signal }: TokenOptions,
): Promise<IdentityToken> {
  const token = await requestToken({
    url: env[urlVariable] ?? '',
    urlVariable,
    query: { audience },
    bearer: env[tokenVariable] ?? '',
    method: 'GET',
    field: 'value',
    fetch,
    signal,
  });
  return checked(token, urlVariable);
}

/**
 * According to its documentation, Azure makes tokens for its own audience only. One for another audience is not used.
 */
async function azureToken(
  { urlVariable, tokenVariable, connectionVariable }: Extract<OidcOffer, { kind: 'azure' }>,
  env: Io['env'],
  { fetch, signal }: TokenOptions,
): Promise<IdentityToken> {
  const connection = connectionVariable === undefined ? undefined : env[connectionVariable];
  const token = await requestToken({
    url: env[urlVariable] ?? '',
    urlVariable,
    query: { 'api-version': '7.1', ...(connection ? { serviceConnectionId: connection } : {}) },
    bearer: env[tokenVariable] ?? '',
    method: 'POST',
    field: 'oidcToken',
    fetch,
    signal,
  });
  return checked(token, urlVariable);
}

function buildkiteToken({ run, audience, note }: TokenOptions): IdentityToken | undefined {
  const { status, stdout } = run('buildkite-agent', ['oidc', 'request-token', '--audience', audience]);
  if (status === 127) {
    // The agent is often missing in a container of the job.
    note?.('buildkite-agent is not on the PATH, so no identity token can be requested');
    return undefined;
  }
  if (status !== 0) {
    throw new CliError('denied', `buildkite-agent oidc request-token exited with status ${status}`, {
      fix: 'Allow the job to request a token, or set WAYMARK_TOKEN and WAYMARK_AUTH=token',
    });
  }
  return checked(stdout.trim(), 'buildkite-agent oidc request-token');
}

/** The token in the variable is for the organization at CircleCI; its command makes one for a given audience. */
function customCircleToken({ run, audience }: TokenOptions): IdentityToken | undefined {
  const { status, stdout } = run('circleci', ['run', 'oidc', 'get', '--claims', JSON.stringify({ aud: audience })]);
  const token = stdout.trim();
  return status === 0 && isToken(token) ? { token, source: 'circleci run oidc get' } : undefined;
}

function isToken(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}

function checked(token: string, source: string): IdentityToken {
  if (isToken(token)) return { token, source };
  throw new CliError('denied', `The value from ${source} is not an identity token`);
}

/** Reads the audience without verifying the signature. */
function audiencesOf(token: string): readonly unknown[] {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const audience = typeof claims === 'object' && claims !== null && 'aud' in claims ? claims.aud : undefined;
    return Array.isArray(audience) ? audience : [audience];
  } catch {
    return [];
  }
}
