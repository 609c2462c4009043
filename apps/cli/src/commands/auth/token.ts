import { givenKey } from '../../auth/key-for.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Prints the API key, for use in other programs. Treat the output as a secret. The short-lived key of a CI job is ' +
    'printed only with --exchange.',
  examples: [
    { say: 'Pass it to another program', run: 'WAYMARK_TOKEN=$(waymark auth token) make report' },
    { say: 'In a CI job, exchange its identity token', run: 'waymark auth token --exchange' },
  ],
  build: (command) =>
    command.option('--exchange', 'in a CI job: exchange its identity token and print the short-lived key'),
  async run(session, _, { exchange }) {
    const signIn = exchange ? await session.signIn() : await givenKey(session);
    if (!signIn) {
      throw new CliError('denied', 'No API key is stored or set', {
        fix: "Run 'waymark auth login', or, in a CI job, 'waymark auth token --exchange'",
      });
    }
    const { key, source, job } = signIn;
    return { data: { key, source, expires_at: job?.expires_at ?? null }, text: key };
  },
});
