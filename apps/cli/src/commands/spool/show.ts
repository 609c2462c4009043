import { factsText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import type { Outcome } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';
import { openSpool } from '../../spool/spool.ts';
import { aboutEntry, commandOf, secondsOf } from './entry-text.ts';
import { type FoundEntry, findEntry } from './find-entry.ts';

export const command = defineCommand({
  description: 'Shows the request that the next push sends, without attachments. The spool never contains keys.',
  examples: [{ say: 'With an id from spool status', run: 'waymark spool show 0198f2c1' }],
  build: (command) => command.argument('<id>', 'id of an entry or its first characters, or the name of a damaged file'),
  async run(session, [id]) {
    return shown(session, findEntry(await openSpool(session.spoolDirectory).list(), id));
  },
});

function shown(session: Session, found: FoundEntry): Outcome {
  if (found.kind === 'damaged') {
    const { file, why } = found.damaged;
    return {
      data: { state: 'damaged', file, why },
      text: factsText(file, [
        ['state', 'damaged'],
        ['reason', why],
      ]),
    };
  }
  const { entry } = found;
  const refused = found.kind === 'refused' ? { reason: found.reason, at: found.at } : undefined;
  const facts = factsText(entry.id, [
    ['state', found.kind],
    ['reason', refused?.reason],
    ['command', commandOf(entry)],
    ['subject', aboutEntry(entry)],
    ['since', showTime(secondsOf(entry.claimedAt), session)],
    ['destination', `${entry.host}/${entry.org}`],
    ['file', entry.file && `${entry.file.name}, ${entry.file.size} bytes, sha256 ${entry.file.sha256}`],
  ]);
  return {
    data: { state: found.kind, ...refused, ...entry },
    text: `${facts}\n\n${JSON.stringify(entry.body, null, 2)}`,
  };
}
