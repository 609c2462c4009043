import { defineCommand } from '../../run/command.ts';
import { confirm } from '../../run/confirm.ts';
import { oneLine } from '../../run/table.ts';
import { openSpool } from '../../spool/spool.ts';
import { aboutEntry, commandOf, SHORT_ID } from './entry-text.ts';
import { type FoundEntry, findEntry } from './find-entry.ts';

export const command = defineCommand({
  description: 'Deletes the entry permanently: Waymark never records its evidence.',
  examples: [{ say: 'Delete an entry that the service refused', run: 'waymark spool drop 0198f2c1 --yes' }],
  settings: ['yes'],
  build: (command) => command.argument('<id>', 'id of an entry or its first characters, or the name of a damaged file'),
  async run(session, [id]) {
    await confirm(session, `This deletes '${oneLine(id)}' from the spool permanently: Waymark never records it`);
    const spool = openSpool(session.spoolDirectory);
    const found = findEntry(await spool.list(), id);
    const key = found.kind === 'damaged' ? found.damaged.file : found.entry.id;
    const dropped = await spool.drop(key);
    return {
      data: { id: key, dropped },
      text: dropped ? `Dropped ${nameOf(found)}` : `${nameOf(found)} was sent or dropped in the meantime`,
    };
  },
});

function nameOf(found: FoundEntry): string {
  if (found.kind === 'damaged') return `the damaged file ${found.damaged.file}`;
  const { entry } = found;
  return `${commandOf(entry)} ${aboutEntry(entry)} (${entry.id.slice(0, SHORT_ID)})`;
}
