import { hash, randomBytes } from 'node:crypto';
import type { MessageContent, MessageTrigger } from '@waymark/messages';
import { newId } from '../../src/platform/ids.ts';
import type { TestApi, TestOrg } from '../harness.ts';

type TargetKind = 'CHAT' | 'WEBHOOK' | 'EMAIL';
type State = 'waiting' | 'delivered' | 'failed' | 'dropped';

export interface GivenTarget {
  readonly id: string;
  readonly sourceId: string;
  readonly configType: 'api_key_expiry' | null;
  readonly org: TestOrg;
}

/** A notification without triggers, so that only the test makes messages of it. */
export async function givenNotification(api: TestApi, number: number, org: TestOrg = api.org): Promise<string> {
  const id = newId();
  await api.db
    .insertInto('notification')
    .values({
      org_id: org.id,
      id,
      number,
      kind: 'env',
      name: `notification-${number}`,
      triggers: [],
      created_at: api.clock.now,
      created_by: 'tests',
      last_modified_at: api.clock.now,
    })
    .execute();
  return id;
}

/** A target as it is stored; without a source it belongs to the configuration of the org. */
export async function givenTarget(
  api: TestApi,
  target: {
    sourceId?: string;
    kind?: TargetKind;
    url?: string;
    emails?: string[];
    org?: TestOrg;
    removedAt?: Date;
    disabledAt?: Date;
    derived?: boolean;
    /** Whether its addresses are still unconfirmed. */
    unconfirmed?: boolean;
  } = {},
): Promise<GivenTarget> {
  const { kind = 'WEBHOOK', url = 'https://hooks.example.org/secret-path', org = api.org } = target;
  const id = newId();
  const configType = target.sourceId === undefined ? ('api_key_expiry' as const) : null;
  const sourceId = target.sourceId ?? org.id;
  const box = api.parts.secretBox;
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  if (!box) throw new Error('the test server keeps secrets');
  await api.db
    .insertInto('notification_target')
    .values({
      org_id: org.id,
      id,
      source_id: sourceId,
      config_type: configType,
      kind,
      position: 0,
      url_sealed: kind === 'EMAIL' ? null : box.seal(url, `target-url:${id}`),
      url_sha256: kind === 'EMAIL' ? null : hash('sha256', url, 'buffer'),
      url_host: kind === 'EMAIL' ? null : new URL(url).host,
      payload_version: kind === 'WEBHOOK' ? '1.0' : null,
      context: null,
      emails: target.emails ?? [],
      derived: target.derived ?? false,
      secret_sealed: kind === 'WEBHOOK' ? box.seal(secret, `target-secret:${id}`) : null,
      created_at: api.clock.now,
      removed_at: target.removedAt ?? null,
    })
    .execute();
  await api.db
    .insertInto('target_state')
    .values({
      org_id: org.id,
      target_id: id,
      ...(target.disabledAt && { disabled_at: target.disabledAt, disabled_because: 'answered 410' }),
    })
    .execute();
  if (target.emails && !target.unconfirmed) await givenConfirmed(api, target.emails, org);
  return { id, sourceId, configType, org };
}

/** As if the owners of the addresses had followed the links in their mails. */
export async function givenConfirmed(api: TestApi, emails: readonly string[], org: TestOrg = api.org): Promise<void> {
  const at = api.clock.now;
  const rows = emails.map((email) => ({
    org_id: org.id,
    id: newId(),
    address: email.toLowerCase(),
    asked_at: at,
    confirmed_at: at,
  }));
  await api.db
    .insertInto('mail_address')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['org_id', 'address']).doUpdateSet({ confirmed_at: at }))
    .execute();
}

export const contentOf = (more: Partial<MessageContent> = {}): MessageContent => ({
  environment: 'production',
  flow: null,
  snapshot: { index: 7, status: 'NON-COMPLIANT' },
  artifact: null,
  trail: null,
  attestation: null,
  apiKey: null,
  names: [],
  why: null,
  ...more,
});

/** A message with one delivery, made at a given time. */
export async function givenDelivery(
  api: TestApi,
  target: GivenTarget,
  delivery: {
    state?: State;
    at?: Date;
    trigger?: MessageTrigger;
    sequence?: number | null;
    address?: string;
    content?: MessageContent;
  } = {},
): Promise<string> {
  const { state = 'failed', at = api.clock.now, trigger = 'ON_NON_COMPLIANT_ENV' } = delivery;
  const ids = { message: newId(), delivery: newId() };
  await api.db
    .insertInto('message')
    .values({
      org_id: target.org.id,
      id: ids.message,
      source_id: target.sourceId,
      config_type: target.configType,
      scope_id: newId(),
      trigger,
      sequence: delivery.sequence === undefined ? 1 : delivery.sequence,
      count: 1,
      content: JSON.stringify(delivery.content ?? contentOf()),
      created_at: at,
      open_until: null,
    })
    .execute();
  await api.db
    .insertInto('delivery')
    .values({
      org_id: target.org.id,
      id: ids.delivery,
      target_id: target.id,
      message_id: ids.message,
      address: delivery.address ?? null,
      state,
      tries: state === 'waiting' ? 3 : 10,
      attempts: state === 'waiting' ? 3 : 10,
      due_at: new Date(at.getTime() + 60_000),
      created_at: at,
      ended_at: state === 'waiting' ? null : at,
    })
    .execute();
  return ids.delivery;
}
