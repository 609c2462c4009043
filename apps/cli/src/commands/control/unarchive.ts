import { unarchiveControl } from '@waymark/contract';
import { inWords, noteDryRun, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'It is in the catalog again, with its history.',
  examples: [{ say: 'Take it back', run: 'waymark control unarchive SDLC-7' }],
  settings: ['dryRun'],
  build: (command) => command.argument('<identifier>', 'identifier of the control'),
  async run(session, [identifier]) {
    const params = { org: session.need('org'), identifier };
    const control = await session.client().call(unarchiveControl, { params, ...writing(session) });
    noteDryRun(session);
    return { data: control, text: inWords(session, `Control '${identifier}' is in the catalog`) };
  },
});
