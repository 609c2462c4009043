import type { NotificationType } from '@waymark/contract';
import type { Selectable } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { lockSubject } from '../../../platform/db/subject-lock.ts';
import type { Tables } from '../../../platform/db/tables.ts';

type ConfigRow = Selectable<Tables['notification_config']>;

/** Held while changing a configuration, or enqueueing messages for it. */
export function lockConfig(db: Db, org: string, type: NotificationType): Promise<void> {
  return lockSubject(db, org, 'notification_config', type);
}

export function findConfig(db: Db, org: string, type: NotificationType): Promise<ConfigRow | undefined> {
  return db
    .selectFrom('notification_config')
    .selectAll()
    .where('org_id', '=', org)
    .where('type', '=', type)
    .executeTakeFirst();
}

/** Returns the configuration's counter after the change. */
export async function upsertConfig(
  db: Db,
  org: string,
  type: NotificationType,
  configured: Pick<ConfigRow, 'configured_at' | 'configured_by'>,
): Promise<number> {
  const { revision } = await db
    .insertInto('notification_config')
    .values({ org_id: org, type, ...configured })
    .onConflict((known) =>
      known
        .columns(['org_id', 'type'])
        .doUpdateSet((row) => ({ ...configured, revision: row('notification_config.revision', '+', 1) })),
    )
    .returning('revision')
    .executeTakeFirstOrThrow();
  return revision;
}
