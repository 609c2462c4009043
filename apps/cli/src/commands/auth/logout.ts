import { contextInUse, forgetAllKeys, forgetKey } from '../../auth/credentials.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Removes the stored key of the current context from this machine. The key stays valid at the service: revoke it ' +
    "with 'waymark key revoke'. The context is kept.",
  examples: [
    { say: 'Sign out of the current context', run: 'waymark auth logout' },
    {
      say: 'Sign out of all contexts with this host',
      run: 'waymark auth logout --all --host https://waymark.example.com',
    },
  ],
  build: (command) => command.option('--all', 'remove all stored keys of the host'),
  async run({ io, settings, sources, need, warn }, _, { all }) {
    const host = need('host');
    const removed = all ? forgetAllKeys(io, host) : forgetKey(io, host, contextInUse(io, settings.context));
    if (removed === 0) {
      throw new CliError('denied', `No key is stored for ${host}`, {
        fix: "Run 'waymark auth status' to see which key is in use",
      });
    }
    if (sources.token !== undefined) warn(`${sources.token} is set and still in use`);
    return {
      data: { host, removed },
      text: `Signed out of ${host}: removed ${removed === 1 ? 'the key' : `${removed} keys`} from this machine`,
    };
  },
});
