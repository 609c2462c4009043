import { z } from 'zod';
import { listAttestations } from './attestations.ts';
import { BinaryReply, contract } from './contract.ts';
import { listDeployments } from './deployments.ts';
import { EnvironmentName, EnvironmentParams, listEnvironments } from './environments.ts';
import { FlowParams, OrgParams } from './evidence.ts';
import { listFlows } from './flows.ts';
import { getMembershipAuditLog } from './membership-audit-log.ts';
import { listPolicies } from './policies.ts';
import { listSnapshots } from './snapshots.ts';
import { listFlowTrails } from './trails.ts';
import { listWaivers } from './waivers.ts';

/** The verdict of each trail is computed for the file, as it is for the list. */
export const TRAIL_EXPORT_MAX = 10_000;
export const EXPORT_MAX = 50_000;

const Format = {
  format: z
    .enum(['csv', 'json'])
    .optional()
    .meta({ description: '`csv`, with a header, or `json`: the array that the list returns. Default: `csv`' }),
};

const file = {
  method: 'GET',
  status: 200,
  reply: BinaryReply,
  replyType: 'text/csv',
  orAsFile: 'application/json',
  errors: [400, 401, 403, 404, 429, 503],
} as const;

const described = (what: string, most = EXPORT_MAX) =>
  `Exports all ${what} that match the filters, in the order of the list: the list itself without its pages. More than ` +
  `${most.toLocaleString('en')} are refused with 400. In CSV, a cell that a spreadsheet could take for a formula ` +
  'begins with an apostrophe.';

export const exportEnvironments = contract({
  id: 'exportEnvironments',
  summary: 'Export the environments of an org as CSV or JSON',
  description: described('environments'),
  tag: 'Environments',
  path: '/exports/:org/environments',
  access: 'read',
  params: OrgParams,
  query: listEnvironments.query.omit({ page: true, per_page: true, after: true }).extend(Format),
  ...file,
});

export const exportFlows = contract({
  id: 'exportFlows',
  summary: 'Export the flows of an org as CSV or JSON',
  description: described('flows'),
  tag: 'Flows',
  path: '/exports/:org/flows',
  access: 'read',
  params: OrgParams,
  query: listFlows.query.omit({ page: true, per_page: true, after: true }).extend(Format),
  ...file,
});

export const exportFlowTrails = contract({
  id: 'exportFlowTrails',
  summary: 'Export the trails of a flow as CSV or JSON',
  description: described('trails', TRAIL_EXPORT_MAX),
  tag: 'Trails',
  path: '/exports/:org/trails/:flow_name',
  access: 'read',
  params: FlowParams,
  query: listFlowTrails.query.omit({ page: true, per_page: true }).extend(Format),
  ...file,
});

export const exportDeployments = contract({
  id: 'exportDeployments',
  summary: 'Export the deployments of an org as CSV or JSON',
  description: `${described('deployments')} With \`flow_name\`, all deployments of the period count.`,
  tag: 'Deployments',
  path: '/exports/:org/deployments',
  access: 'read',
  params: OrgParams,
  query: listDeployments.query.omit({ per_page: true, page_size: true, after: true }).extend({
    env_name: EnvironmentName.optional().meta({
      description: 'Only deployments to this environment, or to the members of a logical one',
    }),
    ...Format,
  }),
  ...file,
});

export const exportSnapshots = contract({
  id: 'exportSnapshots',
  summary: 'Export the snapshots of an environment as CSV or JSON',
  description: described('snapshots'),
  tag: 'Snapshots',
  path: '/exports/:org/snapshots/:env_name',
  access: 'read',
  params: EnvironmentParams,
  query: listSnapshots.query.omit({ page: true, per_page: true }).extend(Format),
  ...file,
});

export const exportPolicies = contract({
  id: 'exportPolicies',
  summary: 'Export the policies of an org as CSV or JSON',
  description: described('policies'),
  tag: 'Policies',
  path: '/exports/:org/policies',
  access: 'read',
  params: OrgParams,
  query: listPolicies.query.omit({ after: true }).extend(Format),
  ...file,
});

export const exportWaivers = contract({
  id: 'exportWaivers',
  summary: 'Export the waivers of an org as CSV or JSON',
  description: described('waivers'),
  tag: 'Allow-lists',
  path: '/exports/:org/waivers',
  access: 'read',
  params: OrgParams,
  query: listWaivers.query.omit({ after: true }).extend(Format),
  ...file,
});

export const exportAttestations = contract({
  id: 'exportAttestations',
  summary: 'Export the attestations of an org as CSV or JSON',
  description: `${described('attestations')} With \`type=override\`, exports the overrides.`,
  tag: 'Attestations',
  path: '/exports/:org/attestations',
  access: 'read',
  params: OrgParams,
  query: listAttestations.query.omit({ per_page: true, after: true }).extend(Format),
  ...file,
});

export const exportMembershipAuditLog = contract({
  id: 'exportMembershipAuditLog',
  summary: 'Export membership changes of an org as CSV or JSON',
  description: described('entries'),
  tag: 'Members',
  path: '/exports/:org/membership_audit_log',
  access: 'read_members',
  params: OrgParams,
  query: getMembershipAuditLog.query.omit({ page: true, per_page: true }).extend(Format),
  ...file,
});
