import { InvalidArgumentError } from '@commander-js/extra-typings';
import { putSuspensionDelay, SUSPENSION_DELAY_HOURS_MAX } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'For admins. When the identity provider takes a member out by SCIM, the keys and workload identities they made are ' +
    'suspended after so many hours. When an admin removes a member there is no delay.',
  examples: [
    { say: 'After a day', run: 'waymark member suspension-delay 24' },
    { say: 'At once', run: 'waymark member suspension-delay 0' },
  ],
  build: (command) => command.argument('<hours>', `0 to ${SUSPENSION_DELAY_HOURS_MAX}`, readHours),
  async run(session, [hours]) {
    const saved = await session.client().call(putSuspensionDelay, {
      params: { org: session.need('org') },
      body: { hours },
      signal: session.io.signal,
    });
    const when = saved.hours === 0 ? 'at once' : `after ${saved.hours} ${saved.hours === 1 ? 'hour' : 'hours'}`;
    return { data: saved, text: `What a member made is suspended ${when} when they leave by SCIM` };
  },
});

function readHours(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= SUSPENSION_DELAY_HOURS_MAX) return Number(text);
  throw new InvalidArgumentError(`It must be a number of hours from 0 to ${SUSPENSION_DELAY_HOURS_MAX}.`);
}
