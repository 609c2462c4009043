import { defineCommand } from '../../run/command.ts';
import type { Ending } from '../../run/exit-codes.ts';
import type { Session } from '../../run/session.ts';
import { oneLine } from '../../run/table.ts';
import type { PushResult } from '../../spool/push.ts';
import { openSpool } from '../../spool/spool.ts';
import { aboutEntry, commandOf, SHORT_ID } from './entry-text.ts';

/** Other commands push for a moment only, when they have something to send. */
const PATIENCE_MS = 10_000;

export const command = defineCommand({
  description:
    'Sends the entries for this service and org: entries of one trail in order, each recorded once no matter how ' +
    'many attempts it takes, with its original time. Exits with 7 while some entries cannot be sent, and with 6 if ' +
    'the service refused some.',
  examples: [
    { say: 'After an outage', run: 'waymark spool push' },
    { say: 'Entries for another org', run: 'waymark spool push --org other' },
  ],
  build: (command) => command,
  async run(session) {
    const host = session.need('host');
    const org = session.need('org');
    // It knows all operations, which takes a while to load.
    const { sendSpooled } = await import('../../spool/send-spooled.ts');
    const result = await openSpool(session.spoolDirectory).push(sendSpooled(session.client(), session.io.signal), {
      only: (entry) => entry.host === host && entry.org === org,
      waitMs: PATIENCE_MS,
      signal: session.io.signal,
      onSent: (entry, sent) => session.detail(`${commandOf(entry)} ${aboutEntry(entry)}: ${sent.kind}`),
    });
    session.io.signal.throwIfAborted();
    if (result.denied) throw result.denied;
    tell(session, result);
    const { recorded, superseded, waiting, elsewhere, refused, damaged, reasons } = result;
    return {
      ending: endingOf(result),
      data: { recorded, superseded, waiting, elsewhere, refused, damaged, reasons },
      text: textOf(result),
    };
  },
});

function endingOf({ refused, waiting, damaged }: PushResult): Ending {
  if (refused.length + damaged.length > 0) return 'conflict';
  return waiting > 0 ? 'unavailable' : 'done';
}

function textOf({ recorded, superseded, waiting, elsewhere, refused, damaged }: PushResult): string {
  const others = [
    refused.length > 0 && `${refused.length} refused`,
    waiting > 0 && `${waiting} waiting`,
    superseded > 0 && `${superseded} out of date and dropped`,
    elsewhere > 0 && `${elsewhere} for another host or org`,
    damaged.length > 0 && `${damaged.length} damaged`,
  ].filter(Boolean);
  if (recorded === 0 && others.length === 0) return 'Nothing to send';
  return [`${recorded} recorded`, ...others].join(', ');
}

function tell(session: Session, { refused, damaged, reasons, busy }: PushResult): void {
  if (busy) session.warn(`Another process is sending the spool (process ${busy.pid}); try again in a moment`);
  for (const reason of reasons) session.warn(`Some entries are still waiting: ${oneLine(reason)}`);
  for (const { entry, reason } of refused) {
    session.warn(
      `Refused: ${commandOf(entry)} ${aboutEntry(entry)} (${entry.id.slice(0, SHORT_ID)}): ${oneLine(reason)}`,
    );
  }
  for (const { file, why } of damaged) session.warn(`Damaged: ${oneLine(file)}: ${why}`);
  if (refused.length + damaged.length > 0) {
    session.say(
      "  Show an entry with 'waymark spool show ID', requeue it with 'waymark spool retry ID', or delete it with 'waymark spool drop ID'",
    );
  }
}
