import { withdrawWaiver } from '@waymark/contract';
import { wholeFingerprint } from '../../resources/references.ts';
import { shortDigest } from '../../resources/show.ts';
import { confirmed, outcomeOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'The environment is re-evaluated against its policies immediately.',
  examples: [
    {
      say: 'Skip the confirmation prompt',
      run: 'waymark waiver remove 8f05d73a1c5e4b7f9d2a6e3c0b8f7d5e4c3b2a1908f7e6d5c4b3a29180f7e6d5 --env prod --yes',
    },
  ],
  settings: ['yes', 'dryRun'],
  build: (command) =>
    command
      .argument('<fingerprint>', 'fingerprint of the artifact, all 64 digits')
      .requiredOption('--env <name>', 'environment of the waiver'),
  async run(session, [text], { env }) {
    const fingerprint = wholeFingerprint(text);
    await confirmed(
      session,
      `This removes the waiver of ${shortDigest(fingerprint)} in '${env}' and re-evaluates the environment`,
    );
    const params = { org: session.need('org'), env_name: env, fingerprint };
    await session.client().call(withdrawWaiver, { params, ...writing(session) });
    return outcomeOf(
      session,
      { fingerprint, environment: env },
      `${shortDigest(fingerprint)} is no longer waived in ${env}`,
    );
  },
});
