import { defineCommand } from '../../run/command.ts';
import { failureOf } from '../../run/failure.ts';
import type { Session } from '../../run/session.ts';
import { version } from '../../run/version.ts';
import { type ServerVersion, serverVersion, skewOf } from './server-version.ts';

export const command = defineCommand({
  description:
    'Also asks the service, if a host is set; an unreachable service is reported but is not a failure. waymark ' +
    '--version prints only the version of this program.',
  examples: [{ say: 'Both', run: 'waymark version' }],
  build: (command) => command,
  async run(session) {
    const { host } = session.settings;
    const server = host === undefined ? undefined : await asked(session, host);
    const skew = server && skewOf(server);
    if (skew) session.warn(`${skew}. Update the older of the two`);
    return {
      data: {
        client: version,
        server: server?.release ?? null,
        host: host ?? null,
        api: server?.api ?? null,
        missing: server?.missing ?? [],
      },
      text: [`waymark ${version}`, host !== undefined && `${host}: ${server ? described(server) : 'unknown'}`]
        .filter(Boolean)
        .join('\n'),
    };
  },
});

async function asked(session: Session, host: string): Promise<ServerVersion | undefined> {
  try {
    const found = await serverVersion(session, session.io.signal);
    if (!found) session.warn(`The server at ${host} is not Waymark`);
    return found;
  } catch (error) {
    session.io.signal.throwIfAborted();
    const { message, why } = failureOf(error, host);
    session.warn(message);
    if (why) session.detail(why);
    return undefined;
  }
}

function described({ release, api }: ServerVersion): string {
  return release === null ? `API ${api}` : `waymark-server ${release}, API ${api}`;
}
