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
  description: 'A personal org has one member for ever: members, invitations and the like are for shared ones',
});

export const Organization = z
  .object({
    name: z.string(),
    kind: OrgKind,
    experimental_features_enabled: z.boolean(),
    findings_fail_at: FindingLevel,
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
    `Whoever creates it is its first admin. For people alone; one person may create ${ORGS_MAX}. A name is taken for ` +
    'ever, so repeating the request is refused.',
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
  summary: 'List the orgs that the caller is a member of, by name',
  description: 'With a credential that is good in one org, that org alone.',
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
  summary: 'Turn experimental features on or off for an org',
  description:
    'While they are on, what is beta is open to all members of the org without the header `Waymark-Beta`. Turning them ' +
    'off takes nothing away that was recorded.',
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
  summary: 'Set the level at which findings fail in an org',
  description:
    'Scan results with a finding of this level or worse are not compliant. It is `error` unless set. The slot of a ' +
    'template and the reporter can make it stricter, and nobody can make it laxer. It applies to what is reported from ' +
    'now on: what was judged keeps its verdict.',
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

export const SUSPENSION_DELAY_HOURS_MAX = 168;

const SuspensionDelay = z
  .strictObject({ hours: z.int().min(0).max(SUSPENSION_DELAY_HOURS_MAX) })
  .meta({ id: 'SuspensionDelay' });

export const putSuspensionDelay = contract({
  id: 'putSuspensionDelay',
  summary: 'Set how long keys outlast a departure by SCIM',
  description:
    'When the identity provider takes somebody out of the org, or gives them a lesser role, the keys of service accounts ' +
    'and workload identities they made are suspended after so many hours; 0, the default, is at once. Whoever gets their ' +
    'role back in the meantime keeps them. A shorter delay also applies to people who left before. When an admin removes ' +
    'a member, or a member leaves, there is no delay.',
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
