import { Argument } from '@commander-js/extra-typings';
import { changeControlModes, putChangeControl } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';

const SAYS = {
  off: 'Members and admins can change policies, attachments, and waivers',
  admins: 'Only admins can change policies, attachments, waivers, and trust',
  two_people:
    'Changes to policies, attachments, waivers, and trust need the approval of a second person, who is an admin',
} as const;

export const command = defineCommand({
  description:
    'For admins. MODE is off, admins, or two_people. With two_people, one person requests a change, and another ' +
    'person, who is an admin, approves it; leaving that mode requires approval too.',
  examples: [
    { say: 'Only admins', run: 'waymark change control admins' },
    { say: 'Require a second person', run: 'waymark change control two_people' },
  ],
  build: (command) => command.addArgument(new Argument('<mode>', 'who can make changes').choices(changeControlModes)),
  async run(session, [mode]) {
    const saved = await session.client().call(putChangeControl, {
      params: { org: session.need('org') },
      body: { mode },
      signal: session.io.signal,
    });
    return { data: saved, text: SAYS[saved.mode] };
  },
});
