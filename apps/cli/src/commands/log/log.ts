import { type EnvironmentEvent, getAuditLog, listEnvironmentEvents } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { collect, given, timesOf } from '../../resources/options.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { eventColumns } from './event-columns.ts';
import { followLog } from './follow-log.ts';

const TYPES = ['started', 'exited', 'changed', 'updated-provenance'] as const;
type EventType = (typeof TYPES)[number];

export const command = defineCommand({
  description:
    'Lists what started, exited, and changed, newest first. With -o csv, exports the complete audit log, oldest ' +
    'first. With --follow, prints the newest events and continues until interrupted.',
  examples: [
    { say: 'Events of the last week', run: 'waymark log prod --since 7d' },
    { say: 'Follow what starts', run: 'waymark log prod --type started --follow' },
    { say: 'For an auditor', run: 'waymark log prod --since 2026-01-01 -o csv' },
  ],
  build: (command) =>
    command
      .argument('<env>', 'name of the environment')
      .option('--since <time>', 'only since this time: 7d, 12h, 2026-11-01, or 2026-11-01T12:00:00Z')
      .option('--until <time>', 'only until this time')
      .option('--type <types>', `only these comma-separated types: ${TYPES.join(', ')}`)
      .option('--repo <name>', 'only artifacts of this repository; can be repeated', collect)
      .option('-f, --follow', 'keep printing new events')
      .addOption(limitOption()),
  async run(session, [env_name], { since, until, type, repo, follow, limit }) {
    const params = { org: session.need('org'), env_name };
    const types = typesIn(type);
    const { from, to } = timesOf(session, { since, until });
    const isWanted = (event: EnvironmentEvent) => types === undefined || types.includes(event.type);
    if (follow) {
      if (until !== undefined) throw usageError('--follow and --until cannot be combined');
      const query = given({ from, repo_name: repo });
      await followLog(session, params, { query, isWanted, limit });
      return {};
    }
    const page = session.pageOf(params.org, 'environments', env_name);
    if (isCsv(session)) return { csv: await auditLog(session, params, { from, to, types, repo }), page };
    const all = session.client().items(listEnvironmentEvents, {
      params,
      query: given({ from, to, repo_name: repo, per_page: pageSize(types ? 0 : limit, 100) }),
      signal: session.io.signal,
    });
    const events = await listItems(session, wanted(all, isWanted), limit);
    const isNarrow = since !== undefined || type !== undefined || repo !== undefined || until !== undefined;
    return {
      data: events,
      rows: rowsOf({
        items: events,
        columns: eventColumns(session),
        name: ({ artifact_name }) => artifact_name,
        none: isNarrow
          ? `No events match these filters. 'waymark log ${env_name}' lists all.`
          : `No events in '${env_name}' yet. Report what runs with 'waymark snapshot'.`,
      }),
      page,
    };
  },
});

function typesIn(text: string | undefined): EventType[] | undefined {
  return text?.split(',').map((word) => {
    const type = TYPES.find((type) => type === word.trim());
    if (type) return type;
    throw usageError(`--type does not accept '${word}'`, `Use one or more of ${TYPES.join(', ')}, separated by commas`);
  });
}

function isCsv({ settings }: Session): boolean {
  return settings.output === 'csv' && settings.json === undefined && settings.jq === undefined;
}

interface Asked {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly types: readonly EventType[] | undefined;
  readonly repo: readonly string[] | undefined;
}

async function auditLog(
  session: Session,
  params: { org: string; env_name: string },
  { from, to, types, repo }: Asked,
): Promise<string> {
  if (types?.includes('updated-provenance'))
    throw usageError('The audit log does not contain updated-provenance events');
  const response = await session.client().download(getAuditLog, {
    params,
    query: given({
      from_timestamp: from,
      to_timestamp: to,
      event_types: types?.join(','),
      repo_names: repo?.join(','),
    }),
    signal: session.io.signal,
  });
  return response.text();
}

async function* wanted<Item>(items: AsyncIterable<Item>, isWanted: (item: Item) => boolean): AsyncGenerator<Item> {
  for await (const item of items) if (isWanted(item)) yield item;
}
