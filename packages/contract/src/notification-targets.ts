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
  .regex(new RegExp(`^${LOCAL_PART}@[a-zA-Z0-9-]+(\\.[a-zA-Z0-9-]+)+$`), 'must be an email address');

const ChatContext = z
  .strictObject({ channel_id: text(255), channel_name: text(255), team_id: text(255) })
  .meta({ id: 'ChatContext' });

/** A field of responses that requests may include and the server ignores, so that a response can be put back. */
export function readOnly<Type extends z.ZodType>(type: Type) {
  return type.nullish().meta({ description: 'Ignored: the server maintains it' });
}

const Webhook = z
  .string()
  .max(2048)
  .regex(/^https:\/\//, 'must begin with https://')
  .meta({ description: 'For `CHAT` and `WEBHOOK`: the URL to call', examples: ['https://hooks.example.org/x'] });

const Emails = z
  .array(EmailAddress)
  .min(1)
  .max(EMAILS_MAX)
  .meta({ description: 'For `EMAIL`: the addresses', examples: [['ops@example.org']] });

/** Spec 2.1. Only `id` is ours. */
const Bookkeeping = {
  id: z
    .string()
    .nullish()
    .meta({
      description:
        'Id of an existing target of the same type: it gets this URL or these addresses, and keeps its secret and ' +
        'its history. Any other id is ignored.',
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
        '`SLACK` is an alias of `CHAT`. Default: `EMAIL` if `emails` is present, `WEBHOOK` if `payload_version` ' +
        'is, `CHAT` if `context` is; otherwise 400.',
    }),
  webhook: Webhook.optional(),
  payload_version: z.literal(PAYLOAD_VERSION).optional().meta({ description: 'For `WEBHOOK`' }),
  emails: Emails.optional(),
  context: ChatContext.nullish().meta({ description: 'For `CHAT`' }),
  ...Bookkeeping,
};

/** The description of a target: spec 2.1 has one shape for each kind, distinguished by `type`. */
function variants(prefix: string, more: { each?: z.ZodRawShape; email?: z.ZodRawShape } = {}): z.ZodType {
  const variant = (kind: string, shape: z.ZodRawShape) =>
    z.strictObject({ ...shape, ...Bookkeeping, ...more.each }).meta({ id: `${prefix}${kind}TargetInput` });
  const chat = variant('Chat', {
    type: z.enum(['CHAT', 'SLACK']).default('CHAT').meta({ description: '`SLACK` is an alias of `CHAT`' }),
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
  last_error: z.string().nullable().meta({ description: 'Why the newest attempt failed; null if it succeeded' }),
  disabled_at: EpochSeconds.nullable().meta({
    description: 'When the target was disabled; saving the notification enables it again',
  }),
  disabled_because: z.string().nullable(),
};

const ShownWebhook = z.string().meta({
  description: 'The URL; for callers who cannot change it, only up to the host, because the rest is a secret',
});

export const NotificationTarget = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('CHAT'), webhook: ShownWebhook, context: ChatContext.nullable(), ...Health }),
    z.object({ type: z.literal('WEBHOOK'), webhook: ShownWebhook, payload_version: z.string(), ...Health }),
    z.object({
      type: z.literal('EMAIL'),
      emails: z.array(z.string()),
      unsubscribed: z.array(z.string()).meta({ description: 'Addresses whose owners unsubscribed' }),
      unconfirmed: z.array(z.string()).meta({
        description: 'Addresses that receive nothing until their owners confirm them with a link sent by email',
      }),
      ...Health,
    }),
  ])
  .meta({ id: 'NotificationTarget' });
export type NotificationTarget = z.infer<typeof NotificationTarget>;

const TargetParams = z.strictObject({ org: OrgName, target_id: z.uuid('must be the id of a target') });

const WebhookSecret = z
  .object({
    secret: z.string().meta({ description: '`whsec_` followed by the secret in base64, as in Standard Webhooks' }),
    previous_secret_until: EpochSeconds.nullable().meta({
      description: 'Until when messages are also signed with the previous secret',
    }),
  })
  .meta({ id: 'WebhookSecret' });
export type WebhookSecret = z.infer<typeof WebhookSecret>;

export const getTargetSecret = contract({
  id: 'getTargetSecret',
  summary: 'Get the signing secret of a webhook',
  description: 'For callers who can change the target. Answers 404 for chat and email, which have no secret.',
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
  summary: 'Rotate the signing secret of a webhook',
  description:
    'Messages are signed with both the new and the old secret during the overlap, so that you can update the ' +
    'receiver. An even older secret stops working immediately.',
  tag: 'Notifications',
  method: 'POST',
  path: '/organizations/:org/targets/:target_id/secret/rotate',
  access: 'manage_notifications',
  params: TargetParams,
  body: z
    .strictObject({
      overlap_hours: z.number().int().min(0).max(720).nullish().meta({ description: 'Overlap in hours. Default: 24' }),
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
    delivery_ids: z.array(z.string()).meta({ description: 'Ids of the deliveries; one for each email address' }),
    status: z.number().int().nullable().meta({ description: 'HTTP status of the response, if any' }),
    error: z.string().nullable(),
    latency_ms: z.number().int(),
  })
  .meta({ id: 'TestResult' });
export type TestResult = z.infer<typeof TestResult>;

export const testTarget = contract({
  id: 'testTarget',
  summary: 'Send a test message to a target',
  description:
    'The message is created and signed like any other, with `event_type` `TEST`, and attempted once. The response ' +
    'contains the outcome, as does the list of deliveries. An email target can be tested five times per hour.',
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
  summary: 'Get the public keys that verify messages of an org',
  description:
    'A key set (RFC 7517) with Ed25519 keys; `waymark_key` is the same key in the Standard Webhooks format. It ' +
    'verifies signatures that begin with `v1a,`, without a secret.',
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
          waymark_key: z.string().meta({ description: '`whpk_` followed by the key in base64' }),
        }),
      ),
    })
    .meta({ id: 'WebhookKeys' }),
  errors: [400, 401, 403, 429, 503],
});
