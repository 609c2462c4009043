import { getTargetSecret } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description:
    'The receiver verifies messages with this secret. Prints nothing else, so that the output can be written to a ' +
    'file.',
  examples: [
    {
      say: 'Save it to a file',
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
        `Waymark also signs messages with the previous secret until ${showTime(secret.previous_secret_until, session)}`,
      );
    }
    return { data: secret, text: secret.secret };
  },
});
