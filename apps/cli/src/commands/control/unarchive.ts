import { unarchiveControl } from '@waymark/contract';
import { inWords, noteDryRun, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'Restores an archived control to the catalog, with its history.',
  examples: [{ say: 'Unarchive a control', run: 'waymark control unarchive SDLC-7' }],
  settings: ['dryRun'],
  build: (command) => command.argument('<identifier>', 'identifier of the control'),
  async run(session, [identifier]) {
    const params = { org: session.need('org'), identifier };
    const control = await session.client().call(unarchiveControl, { params, ...writing(session) });
    noteDryRun(session);
    return { data: control, text: inWords(session, `Control '${identifier}' is unarchived`) };
  },
});
