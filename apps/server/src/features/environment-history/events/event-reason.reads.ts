import type { Ctx } from '../../../platform/ctx.ts';
import { statement } from '../../../platform/db/statement.ts';
import { storedRows } from '../../../platform/stored-json.ts';
import { readWaivers } from '../../compliance/explain/waiver.reads.ts';
import { DAMAGED_DECISION } from '../../snapshots/read/damaged-decision-view.ts';
import type { EventRow } from './event.reads.ts';

const REASONS_SHOWN = 3;
const REASON_MAX_LENGTH = 1_000;
/** Read at a time: a decision may have many reasons. */
const BATCH_SIZE = 500;

const listComplaints = statement<{ org_id: string; ids: readonly string[] }, { id: string; reasons: string }>(
  'list_complaints',
  `select id, reasons from decision
   where org_id = :org_id and id = any(:ids::uuid[]) and status = 'NON-COMPLIANT'`,
);

/** Why an artifact had the compliance of an event, in short; empty when there is nothing to explain. */
type EventReason = (event: RunVerdicts) => string;

/** The verdict on an artifact. */
type RunVerdicts = Pick<EventRow, 'compliance' | 'decision_ids' | 'waiver_id'>;
type OfOrg = Pick<Ctx, 'db' | 'org'> & Partial<Pick<Ctx, 'log'>>;

export async function readEventReasons(ctx: OfOrg, events: readonly RunVerdicts[]): Promise<EventReason> {
  const complaints = await readComplaints(ctx, [
    ...new Set(events.flatMap((event) => (event.compliance === 'non-compliant' ? event.decision_ids : []))),
  ]);
  const waivers = await readWaivers(
    ctx,
    events.flatMap(({ waiver_id: id }) => id ?? []),
  );
  return ({ compliance, decision_ids, waiver_id }) => {
    const waiver = waivers.get(waiver_id ?? '');
    if (compliance === 'waived' && waiver) return `Waived by ${waiver.created_by}: ${cut(waiver.description)}`;
    if (compliance !== 'non-compliant') return '';
    const shown = decision_ids.flatMap((id) => complaints.get(id) ?? []);
    const left = shown.length - REASONS_SHOWN;
    return [...shown.slice(0, REASONS_SHOWN), ...(left > 0 ? [`And ${left} more policies.`] : [])].join(' ');
  };
}

/** The first reason of each decision. */
async function readComplaints(ctx: OfOrg, ids: readonly string[]): Promise<Map<string, string>> {
  const first = new Map<string, string>();
  const stored = storedRows(ctx.log, 'decision');
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    const rows = await listComplaints(ctx.db, { org_id: ctx.org, ids: ids.slice(at, at + BATCH_SIZE) });
    for (const { id, reasons } of rows) {
      const [reason] = stored.read<{ message: string }[]>(id, reasons, [{ message: DAMAGED_DECISION }]);
      if (reason) first.set(id, cut(reason.message));
    }
  }
  return first;
}

function cut(text: string): string {
  return text.length <= REASON_MAX_LENGTH ? text : `${text.slice(0, REASON_MAX_LENGTH).toWellFormed()}…`;
}
