import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { openSpool } from '../../spool/spool.ts';
import { findEntry } from './find-entry.ts';

export const command = defineCommand({
  description:
    'Use this after fixing the cause, such as a missing flow or permission. The entry is queued behind all waiting ' +
    'entries.',
  examples: [{ say: 'With an id from spool status', run: 'waymark spool retry 0198f2c1 && waymark spool push' }],
  build: (command) => command.argument('<id>', 'id of a refused entry, or its first characters'),
  async run(session, [id]) {
    const spool = openSpool(session.spoolDirectory);
    const found = findEntry(await spool.list(), id);
    if (found.kind !== 'refused' || !(await spool.retry(found.entry.id))) {
      throw new CliError('conflict', `'${id}' was not refused; it is ${found.kind}`, {
        fix: found.kind === 'waiting' ? "Send it with 'waymark spool push'" : "Delete it with 'waymark spool drop'",
      });
    }
    return { data: { id: found.entry.id, state: 'waiting' }, text: `${found.entry.id} is queued again` };
  },
});
