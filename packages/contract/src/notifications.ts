import { z } from 'zod';
import { contract } from './contract.ts';
import { EnvironmentName } from './environments.ts';
import { FlowName, OrgParams } from './evidence.ts';
import { NotificationTarget, readOnly, TargetInputs } from './notification-targets.ts';
import { EpochSeconds, filledText, OrgName } from './primitives.ts';

export const NOTIFICATIONS_MAX = 1_000;
export const SCOPES_MAX = 1_000;
/** Of all notifications of an org together. */
export const ORG_SCOPES_MAX = 20_000;

export const environmentTriggers = [
  'ON_STARTED_ARTIFACT',
  'ON_EXITED_ARTIFACT',
  'ON_SCALED_ARTIFACT',
  'ON_ALLOWED_ARTIFACT',
  'ON_NON_COMPLIANT_ENV',
  'ON_COMPLIANT_ENV',
  'ON_EXPIRING_EVIDENCE',
] as const;
export const flowTriggers = ['ON_STARTED_TRAIL', 'ON_ATTESTED_PROVENANCE', 'ON_ATTESTATION'] as const;

export type EnvironmentTrigger = (typeof environmentTriggers)[number];
export type FlowTrigger = (typeof flowTriggers)[number];

const Name = filledText(255, 'must not be empty').meta({
  description: 'Name of the notification, unique within its kind',
  examples: ['compliance-alerts'],
});

const Common = {
  name: z.string(),
  number: z.number().int(),
  triggers: z.array(z.string()),
  targets: z.array(NotificationTarget),
  created_at: EpochSeconds,
  created_by: z.string(),
  last_modified_at: EpochSeconds,
  last_success_timestamp: EpochSeconds.nullable(),
  last_failure_timestamp: EpochSeconds.nullable(),
  is_failing: z.boolean().meta({ description: 'Whether the newest attempt at one of the targets failed' }),
  is_created_from_chat_app: z.boolean(),
  is_created_from_slack_app: z.boolean().meta({ description: 'Alias of `is_created_from_chat_app`' }),
};

export const EnvironmentNotification = z
  .object({
    ...Common,
    type: z.literal('env'),
    environments: z.array(z.string()).meta({
      description: 'Current names; archived ones are omitted',
    }),
    triggers: z.array(z.enum(environmentTriggers)),
  })
  .meta({ id: 'EnvironmentNotification' });
export type EnvironmentNotification = z.infer<typeof EnvironmentNotification>;

export const FlowNotification = z
  .object({
    ...Common,
    type: z.literal('flow'),
    flows: z.array(z.string()).meta({ description: 'Current names; archived ones are omitted' }),
    triggers: z.array(z.enum(flowTriggers)),
  })
  .meta({ id: 'FlowNotification' });
export type FlowNotification = z.infer<typeof FlowNotification>;

/** Either kind, for clients that call them actions. */
export const Action = z.discriminatedUnion('type', [EnvironmentNotification, FlowNotification]).meta({ id: 'Action' });
export type Action = z.infer<typeof Action>;

const ReadBack = {
  number: readOnly(z.number()),
  created_at: readOnly(z.number()),
  created_by: readOnly(z.string()),
  last_modified_at: readOnly(z.number()),
  last_success_timestamp: readOnly(z.number()),
  last_failure_timestamp: readOnly(z.number()),
  is_failing: readOnly(z.boolean()),
  is_created_from_chat_app: readOnly(z.boolean()),
  is_created_from_slack_app: readOnly(z.boolean()),
};

export const EnvironmentNotificationInput = z
  .strictObject({
    name: Name,
    type: z.literal('env').optional(),
    environments: z
      .array(EnvironmentName)
      .min(1)
      .max(SCOPES_MAX)
      .meta({ description: 'A logical environment includes its current and future members' }),
    triggers: z.array(z.enum(environmentTriggers)).min(1).max(environmentTriggers.length),
    targets: TargetInputs,
    ...ReadBack,
  })
  .meta({ id: 'EnvironmentNotificationInput' });
export type EnvironmentNotificationInput = z.infer<typeof EnvironmentNotificationInput>;

export const FlowNotificationInput = z
  .strictObject({
    name: Name,
    type: z.literal('flow').optional(),
    flows: z.array(FlowName).min(1).max(SCOPES_MAX),
    triggers: z.array(z.enum(flowTriggers)).min(1).max(flowTriggers.length),
    targets: TargetInputs,
    ...ReadBack,
  })
  .meta({ id: 'FlowNotificationInput' });
export type FlowNotificationInput = z.infer<typeof FlowNotificationInput>;

const NumberParams = z.strictObject({
  org: OrgName,
  number: z.coerce
    .number()
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .meta({ description: 'Number of the notification' }),
});

const PUTTING =
  'A target that did not change keeps its secret and its history, and is enabled again if it was disabled. A ' +
  'target that is omitted is removed, and its waiting deliveries are dropped. A target with the `id` of an ' +
  'existing one gets the new URL or addresses, keeps everything else, and receives the waiting deliveries.';

const writeErrors = [400, 401, 403, 404, 413, 429, 503] as const;
const readErrors = [400, 401, 403, 404, 429, 503] as const;

export const putEnvironmentNotification = contract({
  id: 'putEnvironmentNotification',
  summary: 'Create or update an environment notification',
  description: `Answers 201 if it was created, 200 otherwise. ${PUTTING}`,
  tag: 'Notifications',
  method: 'PUT',
  path: '/organizations/:org/environments_notifications',
  access: 'manage_notifications',
  dryRun: true,
  params: OrgParams,
  body: EnvironmentNotificationInput,
  status: { created: 201, updated: 200 },
  reply: EnvironmentNotification,
  errors: writeErrors,
});

export const listEnvironmentNotifications = contract({
  id: 'listEnvironmentNotifications',
  summary: 'List environment notifications, by number',
  tag: 'Notifications',
  method: 'GET',
  path: '/organizations/:org/environments_notifications',
  access: 'read',
  params: OrgParams,
  status: 200,
  reply: z.array(EnvironmentNotification),
  errors: [400, 401, 403, 429, 503],
});

export const getEnvironmentNotification = contract({
  id: 'getEnvironmentNotification',
  summary: 'Get an environment notification',
  tag: 'Notifications',
  method: 'GET',
  path: '/organizations/:org/environments_notifications/:number',
  access: 'read',
  params: NumberParams,
  status: 200,
  reply: EnvironmentNotification,
  errors: readErrors,
});

export const updateEnvironmentNotification = contract({
  id: 'updateEnvironmentNotification',
  summary: 'Update an environment notification, including its name',
  description: PUTTING,
  tag: 'Notifications',
  method: 'PUT',
  path: '/organizations/:org/environments_notifications/:number',
  access: 'manage_notifications',
  dryRun: true,
  params: NumberParams,
  body: EnvironmentNotificationInput,
  status: 200,
  reply: EnvironmentNotification,
  errors: writeErrors,
});

export const deleteEnvironmentNotification = contract({
  id: 'deleteEnvironmentNotification',
  summary: 'Delete an environment notification',
  description: 'Waiting deliveries are dropped. Past deliveries are kept.',
  tag: 'Notifications',
  method: 'DELETE',
  path: '/organizations/:org/environments_notifications/:number',
  access: 'manage_notifications',
  dryRun: true,
  params: NumberParams,
  status: 200,
  reply: z.string(),
  errors: readErrors,
});

export const putEnvironmentAction = contract({
  ...putEnvironmentNotification,
  id: 'putEnvironmentAction',
  summary: 'Create or update an environment notification (alias)',
  path: '/actions/:org/environments',
});

export const putFlowAction = contract({
  id: 'putFlowAction',
  summary: 'Create or update a flow notification',
  description: `Answers 201 if it was created, 200 otherwise. ${PUTTING}`,
  tag: 'Notifications',
  method: 'PUT',
  path: '/actions/:org/flows',
  access: 'manage_notifications',
  dryRun: true,
  params: OrgParams,
  body: FlowNotificationInput,
  status: { created: 201, updated: 200 },
  reply: FlowNotification,
  errors: writeErrors,
});

export const listActions = contract({
  id: 'listActions',
  summary: 'List environment and flow notifications, by number',
  tag: 'Notifications',
  method: 'GET',
  path: '/actions/:org',
  access: 'read',
  params: OrgParams,
  status: 200,
  reply: z.array(Action),
  errors: [400, 401, 403, 429, 503],
});

export const getAction = contract({
  id: 'getAction',
  summary: 'Get an environment or flow notification',
  tag: 'Notifications',
  method: 'GET',
  path: '/actions/:org/:number',
  access: 'read',
  params: NumberParams,
  status: 200,
  reply: Action,
  errors: readErrors,
});

export const deleteAction = contract({
  id: 'deleteAction',
  summary: 'Delete an environment or flow notification',
  description: 'Waiting deliveries are dropped. Past deliveries are kept.',
  tag: 'Notifications',
  method: 'DELETE',
  path: '/actions/:org/:number',
  access: 'manage_notifications',
  dryRun: true,
  params: NumberParams,
  status: 200,
  reply: z.string(),
  errors: readErrors,
});
