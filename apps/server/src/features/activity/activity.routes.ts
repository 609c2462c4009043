import * as api from '@waymark/contract';
import { bucketsOf } from '../../platform/buckets.ts';
import { decodeReceipt, encodeReceipt } from '../../platform/db/paginate.ts';
import { invalidField } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { epochSeconds, fromEpochSeconds } from '../../platform/time.ts';
import { type ActivityFilter, type JournalPlace, listActivityPage } from './activity.reads.ts';
import { countEntries, listActorsNamed } from './activity-count.reads.ts';
import { toActivities } from './activity-view.ts';
import { parseTypes } from './type-filter.ts';

const DEFAULT_PERIOD_S = 30 * 86_400;
const ACTORS_SHOWN = 20;

export function activityRoutes(app: App): void {
  handle(app, api.listActivity, async (ctx, { params, query }) => {
    const { per_page = 50 } = query;
    const filter = filterOf(query);
    const after = query.after === undefined ? undefined : decodePlace(query.after);
    const { entries, next } = await listActivityPage(ctx, filter, per_page, after);
    return {
      data: await toActivities(ctx, params.org, entries),
      pagination: { per_page, next: next ? encodePlace(next) : null },
    };
  });

  handle(app, api.countActivity, async (ctx, { query }) => {
    const { interval = 'day' } = query;
    const filter = filterOf(query);
    const to = filter.to ?? ctx.now();
    const from = filter.from ?? fromEpochSeconds(Math.max(0, epochSeconds(to) - DEFAULT_PERIOD_S));
    if (from > to) throw invalidField('query.from', 'is after query.to; the earlier time must come first');
    const buckets = bucketsOf(from, to, interval);
    const { counts, countedFrom } = await countEntries(ctx, filter, buckets);
    return {
      from: epochSeconds(from),
      to: epochSeconds(to),
      interval,
      total: [...counts.values()].reduce((sum, count) => sum + count, 0),
      counted_from: countedFrom && epochSeconds(countedFrom),
      buckets: Array.from({ length: buckets.count }, (_, bucket) => ({
        start: epochSeconds(buckets.first) + bucket * buckets.seconds,
        entries: counts.get(bucket) ?? 0,
      })),
    };
  });

  handle(app, api.listActors, async (ctx, { query }) => {
    const actors = await listActorsNamed(ctx, query.name ?? '', query.limit ?? ACTORS_SHOWN);
    return { actors: actors.map(({ name, last_at }) => ({ name, last_at: epochSeconds(last_at) })) };
  });
}

type Query = Omit<api.Input<typeof api.countActivity>['query'], 'interval'>;

function filterOf(query: Query): ActivityFilter {
  return {
    actor: query.actor,
    types: query.type === undefined ? undefined : parseTypes([query.type].flat()),
    from: momentOf(query.from),
    to: momentOf(query.to),
    subjectKind: query.subject_kind,
  };
}

/** Clients send an empty string for a parameter that was not given. */
function momentOf(seconds: number | '' | undefined): Date | undefined {
  return seconds === undefined || seconds === '' ? undefined : fromEpochSeconds(seconds);
}

/** Begins with a letter that no list by receipt uses, so that a cursor of another list is refused. */
function encodePlace({ seq }: JournalPlace): string {
  return `j.${encodeReceipt(seq)}`;
}

function decodePlace(text: string): JournalPlace {
  const [kind, seq = ''] = text.split('.', 2);
  return { seq: decodeReceipt(kind === 'j' ? seq : '') };
}
