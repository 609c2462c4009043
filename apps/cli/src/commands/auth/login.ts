import { createClient } from '@waymark/client';
import { contextNameFor, putContext, requireContextName } from '../../auth/contexts.ts';
import { storeKey } from '../../auth/credentials.ts';
import { givenKey, readKey } from '../../auth/key-for.ts';
import { type Identity, whoAmI } from '../../auth/who-am-i.ts';
import { given } from '../../resources/options.ts';
import { CliError, usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { credentialsPath, readUserFile } from '../../run/config-files.ts';
import { clientOptions } from '../../run/open-session.ts';
import type { Session } from '../../run/session.ts';
import { readHost } from '../../run/settings.ts';

export const command = defineCommand({
  description:
    'Asks for an API key, checks it with the service, and stores it in a file that only you can read. The host and ' +
    'the org become a context, which later commands use automatically. Create keys on your account page in the web ' +
    'application.',
  examples: [
    { say: 'Prompt for the key', run: 'waymark auth login --host https://waymark.example.com --org acme' },
    { say: 'Read the key from a file', run: 'waymark auth login --with-token < key.txt' },
  ],
  build: (command) =>
    command
      .option('--with-token', 'read the key from standard input')
      .option('--name <context>', 'name of the context (default: the name of the org)'),
  async run(asked, _, { withToken, name }) {
    const session = await withHost(asked);
    const { io } = session;
    const host = session.need('host');
    warnOfPlainHttp(session, host);
    const key = await keyToStore(session, withToken === true);
    const identity = await whoAmI(
      session,
      createClient({ ...clientOptions(session), apiKey: key }),
      'from standard input',
    );
    const org = orgFor(identity, !session.sources.org?.startsWith('context '));
    const context = name ?? contextNameFor(io, host, org);
    requireContextName(context);
    const isForHost = identity.kind === 'user' && identity.only_org === null;
    storeKey(io, { host, context, key, isForHost });
    putContext(io, context, { ...readUserFile(io).contexts[context], ...given({ host, org }) }, { isCurrent: true });
    if (org === undefined)
      session.say(`You are in several orgs; choose one with 'waymark context set ${context} --org NAME'`);
    if (session.sources.token === 'WAYMARK_TOKEN')
      session.warn('WAYMARK_TOKEN is set and takes precedence over the stored key');
    return {
      data: { host, login: identity.login, org: org ?? null, context, credentials: credentialsPath(io) },
      text: `Signed in at ${host} as ${identity.login}; switched to context '${context}'`,
    };
  },
});

async function withHost(session: Session): Promise<Session> {
  const { io, settings } = session;
  if (settings.host !== undefined || !settings.input || !io.stdin.isTty) return session;
  const answer = await io.stdin.ask('URL of the Waymark service: ');
  try {
    const host = readHost(answer.trim());
    return {
      ...session,
      settings: { ...settings, host },
      need: (name) => (name === 'host' ? host : session.need(name)),
    };
  } catch (error) {
    throw usageError(`The input ${error instanceof Error ? error.message : 'is not valid'}`);
  }
}

async function keyToStore(session: Session, withToken: boolean): Promise<string> {
  const { io, settings, sources } = session;
  const isGiven = sources.token === '--token' || sources.tokenFile === '--token-file';
  const found = isGiven && !withToken ? await givenKey(session) : undefined;
  if (found) return found.key;
  const isAsked = !withToken && io.stdin.isTty && settings.input;
  if (isAsked) return readKey(await io.stdin.ask('API key (input is hidden): ', { isHidden: true }), 'The input');
  return readKey((await io.stdin.bytes()).toString('utf8'), 'Standard input');
}

/** Returns the org: the one that was named, or the only one. The org of an old context is not a requirement. */
function orgFor({ org, role, only_org, orgs, login }: Identity, isDemanded: boolean): string | undefined {
  if (org !== null && role === null && isDemanded) {
    throw new CliError('denied', `${login} is not a member of '${org}'`, {
      fix: `Add --org with one of: ${orgs.map(({ name }) => name).join(', ')}`,
    });
  }
  if (org !== null && role !== null) return org;
  const shared = orgs.filter(({ kind }) => kind === 'shared');
  const [only, ...others] = shared.length > 0 ? shared : orgs;
  return only_org ?? (others.length === 0 ? only?.name : undefined);
}

function warnOfPlainHttp(session: Session, host: string): void {
  const { protocol, hostname } = new URL(host);
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  if (protocol === 'http:' && !isLocal) session.warn(`${host} uses plain HTTP: others on the network can read the key`);
}
