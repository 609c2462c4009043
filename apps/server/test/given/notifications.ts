import {
  type EnvironmentNotification,
  type FlowNotification,
  putEnvironmentNotification,
  putFlowAction,
  type TargetInput,
} from '@waymark/contract';
import { sql } from 'kysely';
import type { Answer, TestApi, TestOrg } from '../harness.ts';

export const chat = (url = 'https://chat.example.org/hook/token'): TargetInput => ({ type: 'CHAT', webhook: url });
export const webhook = (url = 'https://hooks.example.org/in/token'): TargetInput => ({ type: 'WEBHOOK', webhook: url });
export const email = (...emails: string[]): TargetInput => ({
  type: 'EMAIL',
  emails: emails.length > 0 ? emails : ['ops@example.org'],
});

/** A notification on environments that exist. */
export async function givenNotification(
  api: TestApi,
  name: string,
  environments: string[],
  more: Partial<{ triggers: EnvironmentNotification['triggers']; targets: TargetInput[] }> = {},
  org: TestOrg = api.org,
): Promise<EnvironmentNotification> {
  const body = { name, environments, triggers: ['ON_NON_COMPLIANT_ENV' as const], targets: [webhook()], ...more };
  const call = { params: { org: org.name }, key: org.keys.admin, body };
  return bodyOf(await api.call(putEnvironmentNotification, call));
}

/** A notification on flows that exist. */
export async function givenFlowNotification(
  api: TestApi,
  name: string,
  flows: string[],
  more: Partial<{ triggers: FlowNotification['triggers']; targets: TargetInput[] }> = {},
  org: TestOrg = api.org,
): Promise<FlowNotification> {
  const body = { name, flows, triggers: ['ON_STARTED_TRAIL' as const], targets: [webhook()], ...more };
  const call = { params: { org: org.name }, key: org.keys.admin, body };
  return bodyOf(await api.call(putFlowAction, call));
}

function bodyOf<Body>({ status, body }: Answer<Body>): Body {
  if (status > 201) throw new Error(`the notification was not put: ${JSON.stringify(body)}`);
  return body;
}

export function targetState(api: TestApi, org: TestOrg, targetId: string) {
  return api.db
    .selectFrom('target_state')
    .selectAll()
    .where('org_id', '=', org.id)
    .where('target_id', '=', targetId)
    .executeTakeFirstOrThrow();
}

/** As if deliveries to the target had gone like that. */
export async function givenTargetState(
  api: TestApi,
  org: TestOrg,
  targetId: string,
  state: Record<string, unknown>,
): Promise<void> {
  await api.db
    .updateTable('target_state')
    .set(state)
    .where('org_id', '=', org.id)
    .where('target_id', '=', targetId)
    .execute();
}

/** As if messages with these delivery states had been sent to the target. */
export async function givenMessage(
  api: TestApi,
  org: TestOrg,
  targetId: string,
  states: readonly string[],
): Promise<void> {
  const { now } = api.clock;
  for (const state of states) {
    const { rows } = await sql<{ id: string }>`
      insert into message (org_id, id, source_id, scope_id, trigger, sequence, count, content, created_at)
      values (${org.id}, gen_random_uuid(), gen_random_uuid(), ${org.id}, 'TEST', 1, 1, '{}', ${now})
      returning id`.execute(api.db);
    await sql`
      insert into delivery (org_id, id, target_id, message_id, state, due_at, created_at)
      values (${org.id}, gen_random_uuid(), ${targetId}, ${rows[0]?.id}, ${state}, ${now}, ${now})`.execute(api.db);
  }
  await givenTargetState(api, org, targetId, { due_at: now });
}

/** The deliveries to the target, oldest first. */
export function sentTo(api: TestApi, org: TestOrg, targetId: string) {
  return api.db
    .selectFrom('delivery')
    .select(['state', 'ended_at'])
    .where('org_id', '=', org.id)
    .where('target_id', '=', targetId)
    .orderBy('place')
    .execute();
}
