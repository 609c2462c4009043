import { InvalidArgumentError } from '@commander-js/extra-typings';
import { type FeedEvent, streamEvents } from '@waymark/contract';
import { collect, given } from '../../resources/options.ts';
import { stateText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';
import { styleFor } from '../../run/style.ts';
import { oneLine } from '../../run/table.ts';
import { ended, endlessWriter } from './endless.ts';
import { type SubjectName, subjectNames } from './subject-names.ts';

const MAY_BE_MISSING = 'Some events may be missing here: the stream could not continue from the last event';

export const command = defineCommand({
  description:
    'Prints events of the org as they happen, until Ctrl-C. Reconnects after a lost connection and continues where ' +
    'it stopped. Events carry ids; the names of flows, environments, artifacts, and attestations are looked up ' +
    'unless too many events arrive at once.',
  examples: [
    { say: 'Everything', run: 'waymark events tail' },
    { say: 'For programs, only about flows', run: 'waymark events tail --about flow -o ndjson' },
    { say: 'Events of trails', run: "waymark events tail --type 'trail.*'" },
  ],
  build: (command) =>
    command
      .option('--type <type>', 'only events of this type, such as trail.begun; can end in *; can be repeated', collect)
      .option(
        '--about <kind>',
        'only events about this kind of subject, such as flow or environment; can be repeated',
        collect,
      )
      .option('--after <id>', 'start after this event')
      .option('--limit <number>', 'stop after this many events', readCount),
  async run(session, _, { type, about, after, limit = Number.POSITIVE_INFINITY }) {
    const write = endlessWriter(session);
    const isWanted = matcherOf(type);
    const isForPeople = session.settings.output !== 'ndjson';
    const nameOf = subjectNames(session);
    const events = session.client().events(streamEvents, {
      params: { org: session.need('org') },
      query: given({ topics: about?.join(',') }),
      ...(after !== undefined && { lastEventId: after }),
      signal: session.io.signal,
    });
    let count = 0;
    try {
      for await (const { data } of events) {
        if (data === null) session.warn(MAY_BE_MISSING);
        else if (isWanted(data.type)) {
          write(data, isForPeople ? lineOf(session, data, await nameOf(data)) : '');
          count += 1;
        }
        if (count >= limit) break;
      }
    } catch (error) {
      if (!session.io.signal.aborted) throw error;
    }
    return ended;
  },
});

function matcherOf(types: readonly string[] | undefined): (type: string) => boolean {
  if (types === undefined) return () => true;
  return (type) =>
    types.some((wanted) => (wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted));
}

function lineOf(session: Session, event: FeedEvent, named: SubjectName | undefined): string {
  const { recorded_at, type, subject, actor } = event;
  const { io, settings } = session;
  const date = new Date(recorded_at * 1000);
  const shift = settings.utc ? 0 : date.getTimezoneOffset() * 60_000;
  const time = new Date(date.getTime() - shift).toISOString().slice(0, 19).replace('T', ' ');
  const happened = type.replaceAll(/[._]/g, ' ').padEnd(24);
  const about = named?.name ?? `${subject.kind} ${subject.id}`;
  const verdict =
    named?.verdict === undefined ? [] : [stateText(named.verdict, styleFor(io.stdout, io.env, settings.color))];
  return [...[time, happened, about].map(oneLine), ...verdict, oneLine(`by ${actor}`)].join('  ');
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number, 1 or greater.');
}
