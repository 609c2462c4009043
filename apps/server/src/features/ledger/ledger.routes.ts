import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { decodeReceipt, encodeReceipt } from '../../platform/db/paginate.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { handleSmallFile } from '../../platform/http/small-file.ts';
import { findOrgLog } from '../../platform/ledger/org-tiles.ts';
import { rememberRecentTiles } from '../../platform/ledger/recent-tiles.ts';
import { findSealedHeads } from '../../platform/ledger/sealed-heads.ts';
import { toActivities } from '../activity/activity-view.ts';
import { type LedgerEntryRow, listEntries } from './ledger-entry.reads.ts';
import { FRESH_FOR_MEMBERS, tileFile } from './ledger-file.ts';
import { proveEntry } from './ledger-proof.service.ts';
import { readLedgerStatus } from './ledger-status.reads.ts';
import { findSubject } from './ledger-subject.reads.ts';
import { toLedgerEntry, toLedgerStatus } from './ledger-view.ts';
import { readOrgCheckpoint, readOrgResource } from './org-log.reads.ts';
import type { ServedLedger } from './served-ledger.ts';

export function ledgerRoutes(app: App, config: ServedLedger): void {
  const memory = rememberRecentTiles();

  handle(app, api.getLedger, async (ctx) => toLedgerStatus(await readLedgerStatus(ctx, config.witnesses), config.name));

  handleSmallFile(app, api.getLedgerCheckpoint, async (ctx) => ({
    content: await readOrgCheckpoint(ctx),
    cacheControl: FRESH_FOR_MEMBERS,
  }));

  handleSmallFile(app, api.getLedgerTile, (ctx, { params }) =>
    tileFile(params.path, (resource) => readOrgResource(ctx, config.objects, resource), 'members'),
  );

  handle(app, api.listLedgerEntries, async (ctx, { params, query }) => {
    const { per_page = 50, after, ...named } = query;
    const subject = await findSubject(ctx, named);
    const { entries, next } = await listEntries(
      ctx,
      subject,
      per_page,
      after === undefined ? undefined : decodePlace(after),
    );
    return {
      data: await toLedgerEntries(ctx, params.org, entries),
      pagination: { per_page, next: next === undefined ? null : encodePlace(next) },
    };
  });

  handleSmallFile(app, api.getLedgerProof, async (ctx, { query }) => ({
    ...(await proveEntry(ctx, config.witnesses, memory, query)),
    cacheControl: 'no-store',
  }));
}

async function toLedgerEntries(ctx: Ctx, org: string, rows: readonly LedgerEntryRow[]): Promise<api.LedgerEntry[]> {
  const [log] = await findOrgLog(ctx.db, { org_id: ctx.org });
  const sealed = rows.flatMap(({ index }) => (log && index < log.size ? [index] : []));
  const [described, heads] = await Promise.all([
    toActivities(ctx, org, rows),
    log ? findSealedHeads(ctx.db, log.log_id, sealed) : undefined,
  ]);
  return rows.map((row, i) => toLedgerEntry(row, described[i]?.text ?? '', heads?.get(row.index)));
}

/** Begins with a letter that no other list uses, so that a cursor of another list is refused. */
function encodePlace(seq: number): string {
  return `l.${encodeReceipt(seq)}`;
}

function decodePlace(text: string): number {
  const [kind, seq = ''] = text.split('.', 2);
  return decodeReceipt(kind === 'l' ? seq : '');
}
