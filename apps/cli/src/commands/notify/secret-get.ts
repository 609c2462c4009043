import { getTargetSecret } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description:
    'With it the receiver knows that a message is genuine. Prints nothing else, so that it can go into a file.',
  examples: [
    {
      say: 'Into a file',
      run: '(umask 077; waymark notify secret get 01981f2c-7a5e-7c3d-9c0e-2f1d3b4a5c6d > secret.txt)',
    },
  ],
  build: (command) => command.argument('<target>', "id of a webhook, as 'waymark notify get' shows it"),
  async run(session, [target_id]) {
    const secret = await session
      .client()
      .call(getTargetSecret, { params: { org: session.need('org'), target_id }, signal: session.io.signal });
    if (secret.previous_secret_until !== null) {
      session.say(
        `Messages are signed with the one before as well, until ${showTime(secret.previous_secret_until, session)}`,
      );
    }
    return { data: secret, text: secret.secret };
  },
});
