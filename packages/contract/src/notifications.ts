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
] as const;
export const flowTriggers = ['ON_STARTED_TRAIL', 'ON_ATTESTED_PROVENANCE', 'ON_ATTESTATION'] as const;

export type EnvironmentTrigger = (typeof environmentTriggers)[number];
export type FlowTrigger = (typeof flowTriggers)[number];

const Name = filledText(255, 'must not be empty').meta({
  description: 'What people call it; one of its kind has it at a time',
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
  is_failing: z.boolean().meta({ description: 'The newest attempt at one of the targets failed' }),
  is_created_from_chat_app: z.boolean(),
  is_created_from_slack_app: z.boolean().meta({ description: 'Another word for `is_created_from_chat_app`' }),
};

export const EnvironmentNotification = z
  .object({
    ...Common,
    type: z.literal('env'),
    environments: z.array(z.string()).meta({
      description: 'As they are called now. Archived ones are left out',
    }),
    triggers: z.array(z.enum(environmentTriggers)),
  })
  .meta({ id: 'EnvironmentNotification' });
export type EnvironmentNotification = z.infer<typeof EnvironmentNotification>;

export const FlowNotification = z
  .object({
    ...Common,
    type: z.literal('flow'),
    flows: z.array(z.string()).meta({ description: 'As they are called now. Archived ones are left out' }),
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
      .meta({ description: 'A logical environment stands for its members, also for those it gets later' }),
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
  'A target that is the same as before keeps its secret and its record, and is used again if it was given up; one that ' +
  'is left out gets nothing more, not even what waits for it. A target with the `id` of one there is gets its new URL or ' +
  'addresses, keeps the rest, and is sent what waits.';

const writeErrors = [400, 401, 403, 404, 413, 429, 503] as const;
const readErrors = [400, 401, 403, 404, 429, 503] as const;

export const putEnvironmentNotification = contract({
  id: 'putEnvironmentNotification',
  summary: 'Create an environment notification, or change the one of that name',
  description: `Answers 201 if it was created and 200 if not. ${PUTTING}`,
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
  summary: 'List the environment notifications, by number',
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
  summary: 'Change an environment notification, its name included',
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
  description: 'What waits for its targets is dropped. What was sent can still be looked up.',
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
  summary: 'Create or change an environment notification, under its other name',
  path: '/actions/:org/environments',
});

export const putFlowAction = contract({
  id: 'putFlowAction',
  summary: 'Create a flow notification, or change the one of that name',
  description: `Answers 201 if it was created and 200 if not. ${PUTTING}`,
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
  summary: 'List the notifications of both kinds, by number',
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
  summary: 'Get a notification of either kind',
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
  summary: 'Delete a notification of either kind',
  description: 'What waits for its targets is dropped. What was sent can still be looked up.',
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
