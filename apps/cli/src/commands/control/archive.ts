import { archiveControl } from '@waymark/contract';
import { confirmed, inWords, noteDryRun, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    "Hides the control from the catalog. Its history, decisions, and identifier are kept. 'control unarchive' " +
    'restores it.',
  examples: [{ say: 'Skip the confirmation prompt', run: 'waymark control archive SDLC-7 --yes' }],
  settings: ['yes', 'dryRun'],
  build: (command) => command.argument('<identifier>', 'identifier of the control'),
  async run(session, [identifier]) {
    await confirmed(session, `Archiving control '${identifier}' (it leaves the catalog)`);
    const params = { org: session.need('org'), identifier };
    const control = await session.client().call(archiveControl, { params, ...writing(session) });
    noteDryRun(session);
    return { data: control, text: inWords(session, `Control '${identifier}' is archived`) };
  },
});
