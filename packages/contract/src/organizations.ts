import { z } from 'zod';
import { ChangeControlMode } from './change-control-mode.ts';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';
import { FindingLevel } from './finding-levels.ts';
import { EpochSeconds, OrgName } from './primitives.ts';
import { Role } from './roles.ts';

/** The most shared orgs that one person may create. */
export const ORGS_MAX = 100;

const ExperimentalFeatures = z
  .strictObject({ experimental_features_enabled: z.boolean() })
  .meta({ id: 'ExperimentalFeatures' });

const OrgKind = z.enum(['personal', 'shared']).meta({
  description: 'A personal org has exactly one member; members and invitations exist only in shared orgs',
});

export const Organization = z
  .object({
    name: z.string(),
    kind: OrgKind,
    experimental_features_enabled: z.boolean(),
    findings_fail_at: FindingLevel,
    refuse_unverified: z.boolean(),
    members_visible: z.boolean(),
    waiver_max_days: z.number().int().nullable(),
    reason_min_length: z.number().int(),
    suspension_delay_hours: z.number().int(),
    change_control: ChangeControlMode,
    created_at: EpochSeconds,
    last_modified_at: EpochSeconds,
  })
  .meta({ id: 'Organization' });
export type Organization = z.infer<typeof Organization>;

export const createOrganization = contract({
  id: 'createOrganization',
  summary: 'Create a shared org',
  description:
    `The creator becomes its first admin. For people only; one person can create at most ${ORGS_MAX}. A name ` +
    'cannot be reused, so repeating the request is rejected.',
  tag: 'Organizations',
  method: 'POST',
  path: '/organizations',
  access: 'person',
  body: z.strictObject({ name: OrgName }).meta({ id: 'OrganizationInput' }),
  status: 201,
  reply: Organization,
  errors: [400, 401, 403, 413, 429, 503],
});

export const getOrganization = contract({
  id: 'getOrganization',
  summary: 'Get an org',
  tag: 'Organizations',
  method: 'GET',
  path: '/organizations/:org',
  access: 'read',
  params: OrgParams,
  status: 200,
  reply: Organization,
  errors: [400, 401, 403, 429, 503],
});

export const listUserOrganizations = contract({
  id: 'listUserOrganizations',
  summary: 'List the caller’s orgs, by name',
  description: 'A credential that is valid in only one org lists only that org.',
  tag: 'User',
  method: 'GET',
  path: '/user/organizations',
  access: 'signed_in',
  status: 200,
  reply: z.array(z.object({ name: z.string(), kind: OrgKind, role: Role }).meta({ id: 'OwnOrganization' })),
  errors: [401, 429, 503],
});

export const putExperimentalFeatures = contract({
  id: 'putExperimentalFeatures',
  summary: 'Turn beta features on or off for an org',
  description:
    'While beta features are on, all members of the org can use them without the `Waymark-Beta` header. Turning ' +
    'them off does not remove any records.',
  tag: 'Organizations',
  method: 'PUT',
  path: '/organizations/:org/experimental_features',
  access: 'manage_org',
  params: OrgParams,
  body: ExperimentalFeatures,
  status: 200,
  reply: ExperimentalFeatures,
  errors: [400, 401, 403, 413, 429, 503],
});

const FindingsThreshold = z.strictObject({ fails_at: FindingLevel }).meta({ id: 'FindingsThreshold' });

export const putFindingsThreshold = contract({
  id: 'putFindingsThreshold',
  summary: 'Set the finding level that fails scans in an org',
  description:
    'Scan results with a finding of this level or worse are not compliant. Default: `error`. Templates and ' +
    'reporters can make the level stricter, but not less strict. Applies to new reports: existing verdicts are ' +
    'kept.',
  tag: 'Organizations',
  method: 'PUT',
  path: '/organizations/:org/findings_threshold',
  access: 'manage_org',
  params: OrgParams,
  body: FindingsThreshold,
  status: 200,
  reply: FindingsThreshold,
  errors: [400, 401, 403, 413, 429, 503],
});

const RefuseUnverified = z.strictObject({ refuse_unverified: z.boolean() }).meta({ id: 'RefuseUnverified' });

export const putRefuseUnverified = contract({
  id: 'putRefuseUnverified',
  summary: 'Set whether an org refuses signed evidence that does not verify',
  description:
    'If true, a signed statement whose signature does not verify, or whose signer the org does not trust, is ' +
    'rejected with 400 and not recorded. If false, the default, it is recorded as non-compliant.',
  tag: 'Organizations',
  method: 'PUT',
  path: '/organizations/:org/refuse_unverified',
  access: 'manage_org',
  params: OrgParams,
  body: RefuseUnverified,
  status: 200,
  reply: RefuseUnverified,
  errors: [400, 401, 403, 413, 429, 503],
});

const MembersVisible = z.strictObject({ members_visible: z.boolean() }).meta({ id: 'MembersVisible' });

export const putMembersVisible = contract({
  id: 'putMembersVisible',
  summary: 'Set whether every role can read the members of an org',
  description:
    'If true, every role can read the list of members, with their email addresses, and the membership log. If false, ' +
    'the default, only admins can. Only admins can change members in both cases.',
  tag: 'Organizations',
  method: 'PUT',
  path: '/organizations/:org/members_visible',
  access: 'manage_org',
  params: OrgParams,
  body: MembersVisible,
  status: 200,
  reply: MembersVisible,
  errors: [400, 401, 403, 413, 429, 503],
});

export const WAIVER_DAYS_MAX = 3_650;
export const REASON_LENGTH_MAX = 500;

const WaiverRules = z
  .strictObject({
    waiver_max_days: z
      .int()
      .min(1)
      .max(WAIVER_DAYS_MAX)
      .nullable()
      .meta({ description: 'In how many days a new waiver must expire; null if it may last', examples: [30] }),
    reason_min_length: z
      .int()
      .min(0)
      .max(REASON_LENGTH_MAX)
      .meta({ description: 'How many characters the reason of a waiver or an override must have', examples: [20] }),
  })
  .meta({ id: 'WaiverRules' });

export const putWaiverRules = contract({
  id: 'putWaiverRules',
  summary: 'Set what an org demands of waivers and overrides',
  description:
    'A new waiver that never expires or expires later, and a waiver or an override with a shorter reason, is rejected ' +
    'with 400. A reason is always required. Existing waivers and overrides stay as they are.',
  tag: 'Organizations',
  method: 'PUT',
  path: '/organizations/:org/waiver_rules',
  access: 'manage_org',
  params: OrgParams,
  body: WaiverRules,
  status: 200,
  reply: WaiverRules,
  errors: [400, 401, 403, 413, 429, 503],
});

export const SUSPENSION_DELAY_HOURS_MAX = 168;

const SuspensionDelay = z
  .strictObject({ hours: z.int().min(0).max(SUSPENSION_DELAY_HOURS_MAX) })
  .meta({ id: 'SuspensionDelay' });

export const putSuspensionDelay = contract({
  id: 'putSuspensionDelay',
  summary: 'Set the delay before keys are suspended after a SCIM departure',
  description:
    'When the identity provider removes a person from the org, or gives them a lower role, the service account ' +
    'keys and workload identities they created are suspended after this many hours; 0, the default, is ' +
    'immediately. People who get their role back in the meantime keep them. A shorter delay also applies to ' +
    'people who left earlier. When an admin removes a member, or a member leaves, there is no delay.',
  tag: 'Organizations',
  method: 'PUT',
  path: '/organizations/:org/suspension_delay',
  access: 'manage_org',
  params: OrgParams,
  body: SuspensionDelay,
  status: 200,
  reply: SuspensionDelay,
  errors: [400, 401, 403, 413, 429, 503],
});
