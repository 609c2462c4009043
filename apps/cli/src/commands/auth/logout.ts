import { contextInUse, forgetAllKeys, forgetKey } from '../../auth/credentials.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    "Removes the stored key of the context in use from this machine. It stays good at the service: 'waymark key revoke' " +
    'ends a key for good. The context stays as well.',
  examples: [
    { say: 'Of the context in use', run: 'waymark auth logout' },
    { say: 'Of all contexts with this host', run: 'waymark auth logout --all --host https://waymark.example.com' },
  ],
  build: (command) => command.option('--all', 'all stored keys of the host'),
  async run({ io, settings, sources, need, warn }, _, { all }) {
    const host = need('host');
    const removed = all ? forgetAllKeys(io, host) : forgetKey(io, host, contextInUse(io, settings.context));
    if (removed === 0) {
      throw new CliError('denied', `No key is stored for ${host}`, {
        fix: "'waymark auth status' tells which key is used",
      });
    }
    if (sources.token !== undefined) warn(`${sources.token} is set, and is still used`);
    return {
      data: { host, removed },
      text: `Signed out of ${host}: ${removed === 1 ? 'the key is' : `${removed} keys are`} gone from this machine`,
    };
  },
});
