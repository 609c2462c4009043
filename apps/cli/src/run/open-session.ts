import { join } from 'node:path';
import type { CiContext } from '@waymark/ci-context';
import { type Client, type ClientOptions, createClient, type Exchange } from '@waymark/client';
import { keyFor } from '../auth/key-for.ts';
import { usageError } from './cli-error.ts';
import { stateDirectory } from './config-files.ts';
import type { Io } from './io.ts';
import { longFlag, type Resolved } from './resolve-settings.ts';
import type { Session, SignIn } from './session.ts';
import { type AnySettingName, settingOf } from './settings.ts';
import { styleFor } from './style.ts';
import { version } from './version.ts';

export function openSession(io: Io, { settings, sources, project }: Resolved, ci: () => CiContext): Session {
  const style = styleFor(io.stderr, io.env, settings.color);
  const write = (line: string) => io.stderr.write(`${line}\n`);
  let client: Client | undefined;
  const session: Session = {
    io,
    settings,
    sources,
    project,
    ci,
    client: () => {
      client ??= openClient(session);
      return client;
    },
    signIn: signInOnce(() => session),
    // Nothing works without an address, so it is required first.
    need: (name) => (settings.host === undefined ? missing('host') : (settings[name] ?? missing(name))),
    say: (line) => {
      if (!settings.quiet) write(line);
    },
    warn: (line) => write(`${style.doubtful('!')} ${line}`),
    detail: (line) => {
      if (settings.verbose || settings.debug) write(style.faint(line));
    },
    style,
    spoolDirectory: io.env['WAYMARK_SPOOL_DIR'] || join(stateDirectory(io), 'spool'),
    pageOf: (...segments) => [settings.host ?? '', ...segments.map(encodeURIComponent)].join('/'),
  };
  return session;
}

function openClient(session: Session): Client {
  return createClient({ ...clientOptions(session), apiKey: async () => (await session.signIn()).key });
}

/** One sign-in for all requests. A long-running command, such as a reporter, signs in again with a new token. */
function signInOnce(session: () => Session): () => Promise<SignIn> {
  let known: Promise<SignIn> | undefined;
  const again = () => {
    const signingIn = keyFor(session(), createClient(clientOptions(session())));
    known = signingIn;
    // A failed sign-in is not cached.
    signingIn.catch(() => {
      known = undefined;
    });
    return signingIn;
  };
  return async () => {
    const signIn = await (known ?? again());
    return signIn.until && session().io.now() >= signIn.until ? again() : signIn;
  };
}

export function clientOptions(session: Session): ClientOptions {
  const { io, settings } = session;
  return {
    baseUrl: `${session.need('host')}/api/v2`,
    fetch: io.fetch,
    userAgent: `waymark-cli/${version}`,
    timeoutMs: settings.timeout,
    retries: settings.retries,
    onRetry: ({ reason, waitMs }) => session.detail(`${reason}; trying again in ${(waitMs / 1000).toFixed(1)} s`),
    ...(settings.debug === 'api' && { onExchange: (exchange: Exchange) => session.detail(lineOf(exchange)) }),
  };
}

function lineOf({ method, url, status, ms, requestId, error }: Exchange): string {
  return `${method} ${url} → ${status ?? error} in ${Math.round(ms)} ms${requestId ? ` (request ${requestId})` : ''}`;
}

function missing(name: AnySettingName): never {
  const { env, file } = settingOf(name);
  const ways = [longFlag(name), env, file && `'${file}' in .waymark.yml`].filter(Boolean);
  const [last, ...rest] = ways.toReversed();
  throw usageError(`No ${name} is set`, `Set ${[...rest.toReversed(), `or ${last}`].join(', ')}`);
}
