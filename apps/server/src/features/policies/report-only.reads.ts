import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';
import type { AttachedPolicy } from './attached.reads.ts';

/** A policy in its newest version, evaluated for an environment without an effect on verdicts. */
export interface ReportOnlyAttachment extends AttachedPolicy {
  readonly attached_at: Date;
  readonly attached_by: string;
}

const listReportOnly = statement<{ org_id: string; environment_id: string }, ReportOnlyAttachment>(
  'list_report_only_policies',
  `select policy.id as policy_id, policy.name, policy.version, latest.policy_yaml, reported.attached_at,
     reported.attached_by
   from report_only_policy as reported
   join policy on policy.org_id = reported.org_id and policy.id = reported.policy_id
   join policy_version as latest
     on latest.org_id = policy.org_id and latest.policy_id = policy.id and latest.version = policy.version
   where reported.org_id = :org_id::uuid and reported.environment_id = :environment_id::uuid
   order by policy.name`,
);

/** Returns the report-only policies of an environment, by name. */
export function readReportOnlyAttached(
  db: Db,
  org: string,
  environmentId: string,
): Promise<readonly ReportOnlyAttachment[]> {
  return listReportOnly(db, { org_id: org, environment_id: environmentId });
}
