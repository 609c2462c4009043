import { InvalidArgumentError } from '@commander-js/extra-typings';
import { putSuspensionDelay, SUSPENSION_DELAY_HOURS_MAX } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'For admins. When the identity provider removes a member through SCIM, the keys and workload identities they ' +
    'created are suspended after this many hours. When an admin removes a member, there is no delay.',
  examples: [
    { say: 'After one day', run: 'waymark member suspension-delay 24' },
    { say: 'Immediately', run: 'waymark member suspension-delay 0' },
  ],
  build: (command) => command.argument('<hours>', `0 to ${SUSPENSION_DELAY_HOURS_MAX}`, readHours),
  async run(session, [hours]) {
    const saved = await session.client().call(putSuspensionDelay, {
      params: { org: session.need('org') },
      body: { hours },
      signal: session.io.signal,
    });
    const when = saved.hours === 0 ? 'immediately' : `after ${saved.hours} ${saved.hours === 1 ? 'hour' : 'hours'}`;
    return {
      data: saved,
      text: `Keys and workload identities of a member are suspended ${when} when the member leaves through SCIM`,
    };
  },
});

function readHours(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= SUSPENSION_DELAY_HOURS_MAX) return Number(text);
  throw new InvalidArgumentError(`It must be a number of hours from 0 to ${SUSPENSION_DELAY_HOURS_MAX}.`);
}
