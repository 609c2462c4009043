import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';
import { openSpool, type SpoolList } from '../../spool/spool.ts';
import { aboutEntry, commandOf, SHORT_ID, secondsOf } from './entry-text.ts';

interface Line {
  readonly state: 'waiting' | 'refused' | 'damaged';
  readonly id: string;
  readonly what: string;
  readonly about: string;
  readonly claimedAt: string;
  readonly host: string;
  readonly org: string;
  readonly reason: string;
}

export const command = defineCommand({
  description:
    'What could not be sent waits here, in order, until the next command for the same service or spool push sends it. ' +
    'What the service refused, and what cannot be read, stays until it is dropped.',
  examples: [
    { say: 'What is kept on this machine', run: 'waymark spool status' },
    { say: 'How many wait, for a script', run: "waymark spool status --jq '.waiting | length'" },
  ],
  build: (command) => command,
  async run(session) {
    const list = await openSpool(session.spoolDirectory).list();
    return {
      data: { directory: session.spoolDirectory, waiting: list.entries, refused: list.refused, damaged: list.damaged },
      rows: rowsOf({
        items: linesOf(list),
        columns: [
          {
            title: 'state',
            of: ({ state }) => state,
            format: (text, { state }, style) => (state === 'waiting' ? text : style.bad(text)),
          },
          {
            title: 'id',
            of: ({ id }) => id,
            format: (text, { state }) => (state === 'damaged' ? text : text.slice(0, SHORT_ID)),
          },
          { title: 'what', of: ({ what }) => what },
          { title: 'about', of: ({ about }) => about },
          { title: 'since', of: ({ claimedAt }) => showTime(secondsOf(claimedAt), session) },
          { title: 'for', of: ({ host, org }) => (host === '' ? '' : `${host}/${org}`) },
          { title: 'why', of: ({ reason }) => reason },
        ],
        name: ({ id }) => id,
        none: 'The spool is empty: all that was recorded has arrived.',
      }),
      ...(list.entries.length + list.refused.length + list.damaged.length > 0 && { text: summaryOf(list) }),
    };
  },
});

function linesOf({ entries, refused, damaged }: SpoolList): Line[] {
  const lineOf = (state: Line['state'], entry: SpoolList['entries'][number], reason: string): Line => {
    const { id, claimedAt, host, org } = entry;
    return { state, id, what: commandOf(entry), claimedAt, host, org, about: aboutEntry(entry), reason };
  };
  const nothing = { what: '', about: '', claimedAt: '', host: '', org: '' };
  return [
    ...entries.map((entry) => lineOf('waiting', entry, '')),
    ...refused.map(({ entry, reason }) => lineOf('refused', entry, reason)),
    ...damaged.map(({ file, why }): Line => ({ state: 'damaged', id: file, ...nothing, reason: why })),
  ];
}

function summaryOf({ entries, refused, damaged }: SpoolList): string {
  const counts = `${entries.length} waiting, ${refused.length} refused, ${damaged.length} damaged`;
  const left = [
    entries.length > 0 && "'waymark spool push' sends what waits",
    refused.length > 0 && "'waymark spool retry ID' lets what was refused wait again",
    refused.length + damaged.length > 0 && "'waymark spool drop ID' forgets it",
  ].filter(Boolean);
  return `\n${[counts, ...left].join('; ')}`;
}
