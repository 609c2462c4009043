import { defineCommand } from '../../run/command.ts';
import { failureOf } from '../../run/failure.ts';
import type { Session } from '../../run/session.ts';
import { version } from '../../run/version.ts';
import { type ServerVersion, serverVersion, skewOf } from './server-version.ts';

export const command = defineCommand({
  description:
    'Asks the service as well, where one is set. That it cannot be reached is told, and is no failure. waymark --version ' +
    'prints nothing but the version of this program.',
  examples: [{ say: 'Both', run: 'waymark version' }],
  build: (command) => command,
  async run(session) {
    const { host } = session.settings;
    const server = host === undefined ? undefined : await asked(session, host);
    const skew = server && skewOf(server);
    if (skew) session.warn(`${skew}. Update the older one`);
    return {
      data: {
        client: version,
        server: server?.release ?? null,
        host: host ?? null,
        api: server?.api ?? null,
        missing: server?.missing ?? [],
      },
      text: [`waymark ${version}`, host !== undefined && `${host}: ${server ? described(server) : 'not known'}`]
        .filter(Boolean)
        .join('\n'),
    };
  },
});

async function asked(session: Session, host: string): Promise<ServerVersion | undefined> {
  try {
    const found = await serverVersion(session, session.io.signal);
    if (!found) session.warn(`What answers at ${host} is not Waymark`);
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
