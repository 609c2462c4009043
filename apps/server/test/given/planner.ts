import { describeMessage, type MessageContent, type MessageTrigger } from '@waymark/messages';
import { sql } from 'kysely';
import { notificationProcessor } from '../../src/features/notifications/plan/notification.processor.ts';
import { closeDueMessages } from '../../src/features/notifications/queue/message.service.ts';
import type { TestApi, TestOrg } from '../harness.ts';
import { givenTurns } from './turns.ts';

export interface Planner {
  /** Plans messages for everything recorded so far, as the worker does. */
  plan(): Promise<void>;
  /** Lets time pass, and closes messages that are due then. */
  pass(seconds: number): Promise<void>;
  /** Makes the next plan read the journal from its beginning. */
  forget(): Promise<void>;
}

export async function givenPlanner(api: TestApi): Promise<Planner> {
  const processor = notificationProcessor(
    () => undefined,
    () => api.clock.now,
  );
  const turns = await givenTurns(api, processor);
  return {
    plan: turns.untilDone,
    async pass(seconds) {
      api.clock.now = new Date(api.clock.now.getTime() + seconds * 1000);
      await closeDueMessages(api.db, api.clock.now);
    },
    async forget() {
      await sql`update processor_position set position = 0 where processor = ${processor.name}`.execute(api.db);
    },
  };
}

export interface PlannedMessage {
  readonly trigger: MessageTrigger;
  readonly sequence: number | null;
  readonly count: number;
  readonly scope_id: string;
  readonly content: MessageContent;
  readonly says: string;
}

/** The messages of a notification, by sequence for each environment or flow; open ones come last. */
export async function sendersTo(
  api: TestApi,
  notification: { number: number },
  org: TestOrg = api.org,
): Promise<PlannedMessage[]> {
  const { rows } = await sql<PlannedMessage>`
    select message.trigger, message.sequence, message.count, message.scope_id, message.content
    from message join notification on notification.org_id = message.org_id and notification.id = message.source_id
    where message.org_id = ${org.id} and notification.number = ${notification.number}
    order by message.sequence nulls last, message.created_at`.execute(api.db);
  return rows.map((row) => ({ ...row, says: describeMessage(row) }));
}

/** The texts of these messages. */
export async function messagesTo(
  api: TestApi,
  notification: { number: number },
  org: TestOrg = api.org,
): Promise<string[]> {
  return (await sendersTo(api, notification, org)).map(({ says }) => says);
}
