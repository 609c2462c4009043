import { statement } from '../../platform/db/statement.ts';

/**
 * Rows are written in the order of their ids, here and below, so that transactions that store the same rows cannot
 * deadlock.
 */
export const insertStates = statement<
  { org_id: string; ids: readonly string[]; contents: readonly string[]; statuses_by_flow: readonly string[] },
  never
>(
  'insert_evidence_states',
  `insert into evidence_state (org_id, id, content, statuses_by_flow)
   select :org_id::uuid, * from unnest(:ids::uuid[], :contents::text[], :statuses_by_flow::text[])
   on conflict do nothing`,
);

export const insertDecisions = statement<
  {
    org_id: string;
    ids: readonly string[];
    policies: readonly string[];
    versions: readonly number[];
    states: readonly string[];
    contexts: readonly string[];
    engines: readonly string[];
    statuses: readonly string[];
    shown: readonly string[];
    reasons: readonly string[];
    created_at: Date;
  },
  never
>(
  'insert_decisions',
  `insert into decision (org_id, id, policy_id, policy_version, evidence_id, context, engine, status, shown, reasons,
     created_at)
   select :org_id::uuid, *, :created_at::timestamptz from unnest(:ids::uuid[], :policies::uuid[], :versions::integer[],
     :states::uuid[], :contexts::text[], :engines::text[], :statuses::text[], :shown::text[], :reasons::text[])
   on conflict do nothing`,
);

export const insertSets = statement<{ org_id: string; ids: readonly string[]; contents: readonly string[] }, never>(
  'insert_policy_sets',
  `insert into policy_set (org_id, id, content)
   select :org_id::uuid, * from unnest(:ids::uuid[], :contents::text[]) on conflict do nothing`,
);

export const listStatuses = statement<{ org_id: string; ids: readonly string[] }, { id: string; status: string }>(
  'list_decision_statuses',
  'select id, status from decision where org_id = :org_id and id = any(:ids::uuid[])',
);
