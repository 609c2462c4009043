import type { FindingEvidence, Reading, Severity } from '@waymark/policy';
import { sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { componentKey } from '../readings/finding-keys.service.ts';
import { readReadings } from '../readings/reading.reads.ts';

/** A place in a result: an attestation, and the position of a finding in it. */
export interface FindingPlace {
  readonly receipt: number;
  readonly position: number;
}

export interface FoundFinding extends FindingPlace {
  readonly attestation_id: string;
  readonly attestation_name: string;
  readonly flow_name: string;
  readonly trail_id: string;
  readonly trail_name: string;
  readonly fingerprint: string | null;
  readonly created_at: Date;
  readonly finding: FindingEvidence;
}

export interface WantedFindings {
  readonly id: string | undefined;
  readonly component: string | undefined;
  readonly attestationId: string | undefined;
  readonly severity: Severity | undefined;
}

interface FoundReading extends Omit<FoundFinding, 'finding' | 'position'> {
  readonly reading_id: string;
  readonly size: number;
  /** Null for all of them. */
  readonly positions: readonly number[] | null;
}

/** Attestations that are searched for one page, in which no finding may have the severity. */
const SEARCHED_MAX = 1_000;
export const POSITION_MAX = 2 ** 31 - 1;

/**
 * Returns findings by receipt, newest first, then by position. At most `limit`, and where to continue: after a while
 * also without having found as many.
 */
export async function listFindings(
  ctx: Ctx,
  wanted: WantedFindings,
  limit: number,
  after: FindingPlace | undefined,
): Promise<{ found: FoundFinding[]; next: FindingPlace | undefined }> {
  const found: FoundFinding[] = [];
  for await (const step of stepsAfter(ctx, wanted, limit, after)) {
    if (step.found === undefined) return { found, next: step.place };
    if (wanted.severity !== undefined && step.found.finding.severity !== wanted.severity) continue;
    const last = found.at(-1);
    if (found.length === limit && last) return { found, next: { receipt: last.receipt, position: last.position } };
    found.push(step.found);
  }
  return { found, next: undefined };
}

interface Step {
  readonly place: FindingPlace;
  /** Absent where enough was searched. */
  readonly found?: FoundFinding;
}

async function* stepsAfter(
  ctx: Ctx,
  wanted: WantedFindings,
  limit: number,
  after: FindingPlace | undefined,
): AsyncGenerator<Step> {
  let place = after;
  for (let searched = 0; searched < SEARCHED_MAX; searched += limit) {
    const rows = await listReadingsWith(ctx, wanted, limit, place);
    const readings = await readReadings(
      ctx,
      rows.map(({ reading_id, size }) => ({ id: reading_id, count: size })),
    );
    for (const row of rows) {
      yield* stepsIn(row, readings.get(row.reading_id), row.receipt === place?.receipt ? place.position + 1 : 0);
      place = { receipt: row.receipt, position: POSITION_MAX };
    }
    if (rows.length < limit) return;
  }
  if (place) yield { place };
}

function* stepsIn(
  { reading_id: _, size: __, positions, ...row }: FoundReading,
  reading: Reading | undefined,
  from: number,
): Generator<Step> {
  const findings = reading?.kind === 'findings' ? reading.findings : [];
  for (const position of positions ?? findings.keys()) {
    const finding = findings[position];
    if (position < from || !finding) continue;
    yield { place: { receipt: row.receipt, position }, found: { ...row, position, finding } };
  }
}

async function listReadingsWith(
  ctx: Ctx,
  { id, component, attestationId }: WantedFindings,
  limit: number,
  after: FindingPlace | undefined,
): Promise<FoundReading[]> {
  const key = component === undefined ? (id ?? '').toLowerCase() : componentKey(component);
  const source =
    attestationId === undefined
      ? sql`(
          select link.*, key.positions from reading_key as key
          join attestation_reading as link on link.org_id = key.org_id and link.reading_id = key.reading_id
          where key.org_id = ${ctx.org} and key.key = ${key}
        )`
      : sql`(
          select link.*, null::integer[] as positions from attestation_reading as link
          where link.org_id = ${ctx.org} and link.attestation_id = ${attestationId}
        )`;
  const { rows } = await sql<FoundReading>`
    select attestation.id as attestation_id, attestation.name as attestation_name, flow.name as flow_name,
      trail.id as trail_id, trail.name as trail_name, attestation.fingerprint, attestation.created_at, attestation.receipt,
      found.reading_id, found.size, found.positions
    from ${source} as found
    join attestation on attestation.org_id = found.org_id and attestation.id = found.attestation_id
    join trail on trail.org_id = attestation.org_id and trail.id = attestation.trail_id
    join flow on flow.org_id = attestation.org_id and flow.id = attestation.flow_id
    where found.org_id = ${ctx.org} and attestation.org_id = ${ctx.org}
      and attestation.receipt <= ${after?.receipt ?? Number.MAX_SAFE_INTEGER}::bigint
    order by attestation.receipt desc limit ${limit}`.execute(ctx.db);
  return rows;
}
