import { Argument } from '@commander-js/extra-typings';
import { changeControlModes, putChangeControl } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';

const SAYS = {
  off: 'Members and admins change policies, attachments and waivers',
  admins: 'Only admins change policies, attachments, waivers and trust',
  two_people:
    'Changes of policies, attachments, waivers and trust have to be approved by an admin who is another person',
} as const;

export const command = defineCommand({
  description:
    'For admins. Sets who changes policies, attachments, waivers and trust. With two_people, one person asks for a change ' +
    'and an admin who is another person approves it; leaving that mode has to be approved as well.',
  examples: [
    { say: 'Admins alone', run: 'waymark change control admins' },
    { say: 'Four eyes', run: 'waymark change control two_people' },
  ],
  build: (command) => command.addArgument(new Argument('<mode>', 'who may').choices(changeControlModes)),
  async run(session, [mode]) {
    const saved = await session.client().call(putChangeControl, {
      params: { org: session.need('org') },
      body: { mode },
      signal: session.io.signal,
    });
    return { data: saved, text: SAYS[saved.mode] };
  },
});
