import * as api from '@waymark/contract';
import { decodeReceipt, encodeReceipt } from '../../platform/db/paginate.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { fromEpochSeconds } from '../../platform/time.ts';
import { type JournalPlace, listActivityPage } from './activity.reads.ts';
import { toActivities } from './activity-view.ts';
import { parseTypes } from './type-filter.ts';

export function activityRoutes(app: App): void {
  handle(app, api.listActivity, async (ctx, { params, query }) => {
    const { per_page = 50 } = query;
    const filter = {
      actor: query.actor,
      types: query.type === undefined ? undefined : parseTypes([query.type].flat()),
      from: momentOf(query.from),
      to: momentOf(query.to),
      subjectKind: query.subject_kind,
    };
    const after = query.after === undefined ? undefined : decodePlace(query.after);
    const { entries, next } = await listActivityPage(ctx, filter, per_page, after);
    return {
      data: await toActivities(ctx, params.org, entries),
      pagination: { per_page, next: next ? encodePlace(next) : null },
    };
  });
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
