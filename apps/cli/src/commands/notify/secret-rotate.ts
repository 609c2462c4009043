import { InvalidArgumentError } from '@commander-js/extra-typings';
import { rotateTargetSecret } from '@waymark/contract';
import { given, readSeconds } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';
import { confirm } from '../../run/confirm.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description:
    'Prints the new secret. Waymark signs messages with both secrets during the overlap. With --overlap 0, the old ' +
    'secret ends immediately; use this if it leaked.',
  examples: [
    {
      say: 'With two days to update the receiver',
      run: 'waymark notify secret rotate 01981f2c-7a5e-7c3d-9c0e-2f1d3b4a5c6d --overlap 48h',
    },
  ],
  settings: ['yes'],
  build: (command) =>
    command
      .argument('<target>', "id of a webhook, as 'waymark notify get' shows it")
      .option(
        '--overlap <duration>',
        'how long Waymark also signs messages with the old secret, up to 720h (default: 24h)',
        readHours,
      ),
  async run(session, [target_id], { overlap }) {
    if (overlap === 0)
      await confirm(session, 'This ends the old secret immediately, so that receivers that use it refuse all messages');
    const secret = await session.client().call(rotateTargetSecret, {
      params: { org: session.need('org'), target_id },
      body: given({ overlap_hours: overlap }),
      signal: session.io.signal,
    });
    const until = secret.previous_secret_until;
    session.say(
      until === null
        ? 'The old secret is no longer used'
        : `Waymark also signs messages with the old secret until ${showTime(until, session)}`,
    );
    return { data: secret, text: secret.secret };
  },
});

function readHours(text: string): number {
  const hours = readSeconds(text) / 3600;
  if (Number.isInteger(hours) && hours <= 720) return hours;
  throw new InvalidArgumentError('It must be whole hours, up to 720h.');
}
