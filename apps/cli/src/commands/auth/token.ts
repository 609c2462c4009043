import { givenKey } from '../../auth/key-for.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Prints the key, for programs that want one. Take care where it goes. A key that is got for a CI job, and ends ' +
    'after minutes, is printed only with --exchange.',
  examples: [
    { say: 'For another program', run: 'WAYMARK_TOKEN=$(waymark auth token) make report' },
    { say: 'In a CI job, by its identity', run: 'waymark auth token --exchange' },
  ],
  build: (command) => command.option('--exchange', 'in a CI job: the key that it gets for its identity token'),
  async run(session, _, { exchange }) {
    const signIn = exchange ? await session.signIn() : await givenKey(session);
    if (!signIn) {
      throw new CliError('denied', 'No key is stored or given', {
        fix: "Run 'waymark auth login', or in a CI job 'waymark auth token --exchange'",
      });
    }
    const { key, source, job } = signIn;
    return { data: { key, source, expires_at: job?.expires_at ?? null }, text: key };
  },
});
