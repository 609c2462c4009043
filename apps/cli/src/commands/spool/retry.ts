import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { openSpool } from '../../spool/spool.ts';
import { findEntry } from './find-entry.ts';

export const command = defineCommand({
  description:
    'For when the reason is gone: a flow was made, a right was given. It waits behind all that waits already.',
  examples: [{ say: 'By the id that spool status shows', run: 'waymark spool retry 0198f2c1 && waymark spool push' }],
  build: (command) => command.argument('<id>', 'id of an entry that was refused, or the beginning of it'),
  async run(session, [id]) {
    const spool = openSpool(session.spoolDirectory);
    const found = findEntry(await spool.list(), id);
    if (found.kind !== 'refused' || !(await spool.retry(found.entry.id))) {
      throw new CliError('conflict', `'${id}' was not refused; it is ${found.kind}`, {
        fix: found.kind === 'waiting' ? "'waymark spool push' sends it" : "'waymark spool drop' forgets it",
      });
    }
    return { data: { id: found.entry.id, state: 'waiting' }, text: `${found.entry.id} waits again` };
  },
});
