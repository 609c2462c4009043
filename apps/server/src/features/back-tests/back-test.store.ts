import { statement, unprepared } from '../../platform/db/statement.ts';
import type { RunCompliance } from '../../platform/db/tables.ts';
import {
  OF_ENVIRONMENT,
  type RunInterval,
  type RunRow,
  STARTED_IN_INTERVAL,
  verdictsInInterval,
} from '../snapshots/read/run-intervals.reads.ts';

const RUN = 'no, name, fingerprint, from_index';

/** Runs that started later, in the order of their start, after the given cursor. */
export const listRunsStarted = unprepared<
  RunInterval & { after_index: number; after_no: number; limit: number },
  RunRow
>(
  'list_simulated_started',
  `select ${RUN} from running
   where ${OF_ENVIRONMENT} and ${STARTED_IN_INTERVAL} and from_index >= :after_index
     and (from_index, no) > (:after_index, :after_no)
   order by from_index, no limit :limit`,
);

export interface VerdictRow {
  readonly no: number;
  readonly from_index: number;
  readonly until_index: number | null;
  readonly compliance: RunCompliance;
  readonly evidence_id: string | null;
  readonly decision_ids: readonly string[];
}

/** Verdicts on these runs in the interval, in order. */
export const listVerdicts = unprepared<RunInterval & { nos: readonly number[] }, VerdictRow>(
  'list_simulated_verdicts',
  `select verdict.*
   from ${verdictsInInterval('no, from_index, until_index, compliance, evidence_id, decision_ids')}
   order by run.place, verdict.from_index`,
);

export interface DecisionRow {
  readonly id: string;
  readonly policy_id: string;
  /** As JSON text; null when compliant. */
  readonly reasons: string | null;
}

export const listDecisions = statement<{ org_id: string; ids: readonly string[] }, DecisionRow>(
  'list_simulated_decisions',
  `select id, policy_id, case when status = 'NON-COMPLIANT' then reasons end as reasons
   from decision where org_id = :org_id and id = any(:ids::uuid[])`,
);

export const listStates = statement<{ org_id: string; ids: readonly string[] }, { id: string; content: string }>(
  'list_simulated_states',
  'select id, content from evidence_state where org_id = :org_id and id = any(:ids::uuid[])',
);

/** A waiver, by the snapshots made while it was active. */
export interface HistoricWaiver {
  readonly id: string;
  readonly fingerprint: string;
  readonly from_index: number;
  readonly until_index: number | null;
}

const firstSince = (moment: string) => `(select index from snapshot
   where ${OF_ENVIRONMENT} and created_at >= ${moment} order by created_at, index limit 1)`;

export const listWaiversOf = unprepared<RunInterval, HistoricWaiver>(
  'list_simulated_waivers',
  `select * from (
     select id, fingerprint, ${firstSince('waiver.created_at')} as from_index,
       ${firstSince('least(waiver.ended_at, waiver.expires_at)')} as until_index
     from waiver where ${OF_ENVIRONMENT}
   ) as standing
   where from_index <= :last and (until_index is null or until_index > greatest(:first, from_index))
   order by fingerprint, from_index limit 100000`,
);

export const listKnownWaivers = statement<{ org_id: string; ids: readonly string[] }, { id: string }>(
  'list_known_waivers',
  'select id from waiver where org_id = :org_id and id = any(:ids::uuid[])',
);

export const listTimes = unprepared<
  { org_id: string; environment_id: string; indexes: readonly number[] },
  { index: number; created_at: Date }
>(
  'list_simulated_times',
  `select index, created_at from snapshot where ${OF_ENVIRONMENT} and index = any(:indexes::integer[])`,
);

/** Of all snapshots in the interval. */
export const listAllTimes = unprepared<RunInterval, { created_at: Date }>(
  'list_simulated_all_times',
  `select created_at from snapshot where ${OF_ENVIRONMENT} and index between :first and :last order by index`,
);

/** Attestations that replaced these in the same place, oldest first. */
export const listLater = statement<
  { org_id: string; ids: readonly string[]; until: Date },
  { replaced_id: string; id: string }
>(
  'list_simulated_later',
  `select known.id as replaced_id, later.id
   from attestation as known
   cross join lateral (
     select id, receipt from attestation
     where org_id = :org_id and trail_id = known.trail_id and receipt > known.receipt and name = known.name
       and counts_as = known.counts_as and fingerprint is not distinct from known.fingerprint
       and created_at < :until::timestamptz
     order by receipt limit 400
   ) as later
   where known.org_id = :org_id and known.id = any(:ids::uuid[])
   order by later.receipt limit 20000`,
);
