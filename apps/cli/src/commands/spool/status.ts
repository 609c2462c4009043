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
    'Lists evidence that waits in the spool. The next command for the same service sends it in order, and so does ' +
    'spool push. Refused and damaged entries stay until you drop them.',
  examples: [
    { say: 'The spool of this machine', run: 'waymark spool status' },
    { say: 'Number of waiting entries, for a script', run: "waymark spool status --jq '.waiting | length'" },
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
          { title: 'command', of: ({ what }) => what },
          { title: 'subject', of: ({ about }) => about },
          { title: 'since', of: ({ claimedAt }) => showTime(secondsOf(claimedAt), session) },
          { title: 'destination', of: ({ host, org }) => (host === '' ? '' : `${host}/${org}`) },
          { title: 'reason', of: ({ reason }) => reason },
        ],
        name: ({ id }) => id,
        none: 'The spool is empty: everything was delivered.',
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
    entries.length > 0 && "send waiting entries with 'waymark spool push'",
    refused.length > 0 && "requeue a refused entry with 'waymark spool retry ID'",
    refused.length + damaged.length > 0 && "delete an entry with 'waymark spool drop ID'",
  ].filter(Boolean);
  return `\n${[counts, ...left].join('; ')}`;
}
