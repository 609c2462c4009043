import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';
import { EpochSeconds, OrgName, text } from './primitives.ts';

export const TARGETS_MAX = 20;
export const EMAILS_MAX = 50;
/** Limits over all notifications of an org: URLs, and mail addresses. */
export const DESTINATIONS_MAX = 2_000;
export const PAYLOAD_VERSION = '1.0';

/** Letters of any script, without spaces and invisible characters: RFC 6531, without quotes and comments. */
const LOCAL_PART =
  "[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~\\u00a1-\\u00ac\\u00ae-\\u061b\\u061d-\\u167f\\u1681-\\u180d\\u180f-\\u1fff\\u2010-\\u2027" +
  '\\u2030-\\u205e\\u2070-\\u2fff\\u3001-\\ufefe\\uff00-\\uffff-]{1,64}';

/** One address and never a list: nothing in it ends a header. */
const EmailAddress = z
  .string()
  .max(254)
  .regex(new RegExp(`^${LOCAL_PART}@[a-zA-Z0-9-]+(\\.[a-zA-Z0-9-]+)+$`), 'must be an e-mail address');

const ChatContext = z
  .strictObject({ channel_id: text(255), channel_name: text(255), team_id: text(255) })
  .meta({ id: 'ChatContext' });

/** A field of responses that requests may include and the server ignores, so that a response can be put back. */
export function readOnly<Type extends z.ZodType>(type: Type) {
  return type.nullish().meta({ description: 'Not looked at: the service keeps it' });
}

const Webhook = z
  .string()
  .max(2048)
  .regex(/^https:\/\//, 'must begin with https://')
  .meta({ description: 'Of `CHAT` and `WEBHOOK`: the URL that is called', examples: ['https://hooks.example.org/x'] });

const Emails = z
  .array(EmailAddress)
  .min(1)
  .max(EMAILS_MAX)
  .meta({ description: 'Of `EMAIL`: the addresses', examples: [['ops@example.org']] });

/** Spec 2.1. Only `id` is ours. */
const Bookkeeping = {
  id: z
    .string()
    .nullish()
    .meta({
      description:
        'Of a target that there is already, of the same type: it gets this URL or these addresses, and keeps its secret ' +
        'and its record. Any other id is not looked at.',
    }),
  last_success_at: readOnly(z.number()),
  last_failure_at: readOnly(z.number()),
};

/** Additional fields of responses. */
const ReadBack = {
  last_error: readOnly(z.string()),
  disabled_at: readOnly(z.number()),
  disabled_because: readOnly(z.string()),
};
const ReadBackOfEmail = { unsubscribed: readOnly(z.array(z.string())), unconfirmed: readOnly(z.array(z.string())) };

/**
 * One shape for the three kinds, so that errors are reported field by field; the fields of a kind are checked where the
 * kind is known.
 */
const AnyKind = {
  type: z
    .enum(['CHAT', 'SLACK', 'WEBHOOK', 'EMAIL'])
    .optional()
    .meta({
      description:
        '`SLACK` is another word for `CHAT`. Without it: `EMAIL` if there are `emails`, `WEBHOOK` if there is a ' +
        '`payload_version`, `CHAT` if there is a `context`, else 400.',
    }),
  webhook: Webhook.optional(),
  payload_version: z.literal(PAYLOAD_VERSION).optional().meta({ description: 'Of `WEBHOOK`' }),
  emails: Emails.optional(),
  context: ChatContext.nullish().meta({ description: 'Of `CHAT`' }),
  ...Bookkeeping,
};

/** The description of a target: spec 2.1 has one shape for each kind, distinguished by `type`. */
function variants(prefix: string, more: { each?: z.ZodRawShape; email?: z.ZodRawShape } = {}): z.ZodType {
  const variant = (kind: string, shape: z.ZodRawShape) =>
    z.strictObject({ ...shape, ...Bookkeeping, ...more.each }).meta({ id: `${prefix}${kind}TargetInput` });
  const chat = variant('Chat', {
    type: z.enum(['CHAT', 'SLACK']).default('CHAT').meta({ description: '`SLACK` is another word for `CHAT`' }),
    webhook: Webhook,
    context: ChatContext.nullish(),
  });
  const webhook = variant('Webhook', {
    type: z.literal('WEBHOOK').default('WEBHOOK'),
    webhook: Webhook,
    payload_version: z.literal(PAYLOAD_VERSION).default(PAYLOAD_VERSION),
  });
  const email = variant('Email', { type: z.literal('EMAIL').default('EMAIL'), emails: Emails, ...more.email });
  return z.xor([chat, webhook, email]).meta({
    discriminator: {
      propertyName: 'type',
      mapping: {
        CHAT: `#/components/schemas/${prefix}ChatTargetInput`,
        SLACK: `#/components/schemas/${prefix}ChatTargetInput`,
        WEBHOOK: `#/components/schemas/${prefix}WebhookTargetInput`,
        EMAIL: `#/components/schemas/${prefix}EmailTargetInput`,
      },
    },
  });
}

/** For the configuration, where spec 4.1 refuses unknown properties. */
const ConfigTargetInput = z.strictObject(AnyKind).meta({ id: 'NotificationTargetInput', describedAs: variants('') });

/** For notifications, which may be put back as they were read. */
const TargetInput = z.strictObject({ ...AnyKind, ...ReadBack, ...ReadBackOfEmail }).meta({
  id: 'EnvironmentNotificationTargetInput',
  describedAs: variants('EnvironmentNotification', { each: ReadBack, email: ReadBackOfEmail }),
});
export type TargetInput = z.infer<typeof TargetInput>;

export const ConfigTargetInputs = z.array(ConfigTargetInput).min(1).max(TARGETS_MAX);
export const TargetInputs = z.array(TargetInput).min(1).max(TARGETS_MAX);

const Health = {
  id: z.string(),
  last_success_at: EpochSeconds.nullable(),
  last_failure_at: EpochSeconds.nullable(),
  last_error: z.string().nullable().meta({ description: 'Why the newest attempt failed; null if it did not' }),
  disabled_at: EpochSeconds.nullable().meta({
    description: 'When the service gave it up; it is used again when the notification is put again',
  }),
  disabled_because: z.string().nullable(),
};

const ShownWebhook = z.string().meta({
  description: 'The URL; for callers who may not change it, without what comes after the host, since that is a secret',
});

export const NotificationTarget = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('CHAT'), webhook: ShownWebhook, context: ChatContext.nullable(), ...Health }),
    z.object({ type: z.literal('WEBHOOK'), webhook: ShownWebhook, payload_version: z.string(), ...Health }),
    z.object({
      type: z.literal('EMAIL'),
      emails: z.array(z.string()),
      unsubscribed: z
        .array(z.string())
        .meta({ description: 'Those of the addresses whose owners asked not to be written to any more' }),
      unconfirmed: z.array(z.string()).meta({
        description: 'Those of the addresses that get nothing before their owners confirm them, with a link by mail',
      }),
      ...Health,
    }),
  ])
  .meta({ id: 'NotificationTarget' });
export type NotificationTarget = z.infer<typeof NotificationTarget>;

const TargetParams = z.strictObject({ org: OrgName, target_id: z.uuid('must be the id of a target') });

const WebhookSecret = z
  .object({
    secret: z.string().meta({ description: '`whsec_` and the secret in base64, as Standard Webhooks has it' }),
    previous_secret_until: EpochSeconds.nullable().meta({
      description: 'Until when messages are signed with the secret before this one as well',
    }),
  })
  .meta({ id: 'WebhookSecret' });
export type WebhookSecret = z.infer<typeof WebhookSecret>;

export const getTargetSecret = contract({
  id: 'getTargetSecret',
  summary: 'The secret with which messages to a webhook are signed',
  description: 'For whoever may change the target. 404 for chat and mail, which have none.',
  tag: 'Notifications',
  method: 'GET',
  path: '/organizations/:org/targets/:target_id/secret',
  access: 'manage_notifications',
  params: TargetParams,
  status: 200,
  reply: WebhookSecret,
  errors: [400, 401, 403, 404, 429, 503],
});

export const rotateTargetSecret = contract({
  id: 'rotateTargetSecret',
  summary: 'Replace the secret of a webhook',
  description:
    'Messages are signed with the new and the old secret until the overlap is over, so that the receiver can be changed ' +
    'in between. What was old before is dropped.',
  tag: 'Notifications',
  method: 'POST',
  path: '/organizations/:org/targets/:target_id/secret/rotate',
  access: 'manage_notifications',
  params: TargetParams,
  body: z
    .strictObject({
      overlap_hours: z.number().int().min(0).max(720).nullish().meta({ description: '24 unless given' }),
    })
    .meta({ id: 'SecretRotation' })
    .optional(),
  status: 201,
  reply: WebhookSecret,
  shownOnce: 'secret',
  errors: [400, 401, 403, 404, 413, 429, 503],
});

export const TestResult = z
  .object({
    delivered: z.boolean(),
    delivery_ids: z
      .array(z.string())
      .meta({ description: 'To look up in the deliveries; one for each address of mail' }),
    status: z.number().int().nullable().meta({ description: 'Status of the answer, if there was one' }),
    error: z.string().nullable(),
    latency_ms: z.number().int(),
  })
  .meta({ id: 'TestResult' });
export type TestResult = z.infer<typeof TestResult>;

export const testTarget = contract({
  id: 'testTarget',
  summary: 'Send a test message to a target, now',
  description:
    'The message is made and signed like any other, with `event_type` `TEST`, and is tried once. The answer says what ' +
    'came of it; so does the list of deliveries. A target of mail can be tested five times in an hour.',
  tag: 'Notifications',
  method: 'POST',
  path: '/organizations/:org/targets/:target_id/test',
  access: 'manage_notifications',
  params: TargetParams,
  status: 201,
  reply: TestResult,
  errors: [400, 401, 403, 404, 429, 503],
});

export const listWebhookKeys = contract({
  id: 'listWebhookKeys',
  summary: 'Public keys with which the messages of an org are signed',
  description:
    'A key set (RFC 7517) with Ed25519 keys; `waymark_key` is the same key as Standard Webhooks writes it. Signatures ' +
    'that begin with `v1a,` can be verified with it, without any secret.',
  tag: 'Notifications',
  method: 'GET',
  path: '/organizations/:org/webhook-keys',
  access: 'read',
  params: OrgParams,
  status: 200,
  reply: z
    .object({
      keys: z.array(
        z.object({
          kty: z.literal('OKP'),
          crv: z.literal('Ed25519'),
          use: z.literal('sig'),
          alg: z.literal('EdDSA'),
          kid: z.string(),
          x: z.string(),
          waymark_key: z.string().meta({ description: '`whpk_` and the key in base64' }),
        }),
      ),
    })
    .meta({ id: 'WebhookKeys' }),
  errors: [400, 401, 403, 429, 503],
});
