import { POLICY_ENGINE } from '@waymark/policy';
import type { Ctx } from '../../../../platform/ctx.ts';
import type { FileAnswer } from '../../../../platform/http/file-reply.ts';
import { epochSeconds } from '../../../../platform/time.ts';
import type { Period } from '../../printed/period.ts';
import { environmentReport } from '../../printed/report.service.ts';
import { archive } from '../archive.ts';
import type { PackageSource } from '../audit-package.service.ts';
import { findPackageLedger, ledgerFacts } from '../package-ledger.ts';
import { atOneMoment } from '../scope.reads.ts';
import { readExport } from './environment-export.reads.ts';
import { environmentFiles } from './environment-files.ts';

const SCHEMA_VERSION = 2;

/** What ran in an environment in a period, and why it was allowed to. */
export async function packEnvironment(
  ctx: Ctx,
  source: PackageSource,
  name: string,
  period: Period,
): Promise<FileAnswer> {
  const exported = await atOneMoment(ctx, (ctx) => readExport(ctx, name, period));
  const { environment } = exported;
  const { page } = await environmentReport(ctx, source, name, period);
  const ledger = await findPackageLedger(ctx, source.witnesses, exported.subjects);
  const at = ctx.now();
  const manifest = {
    schema_version: SCHEMA_VERSION,
    subject: {
      ...{ org: source.org, kind: 'environment', name: environment.name },
      ...{ from: epochSeconds(period.from), to: epochSeconds(period.to) },
    },
    exported_at: epochSeconds(at),
    exported_by: { kind: ctx.actor.kind, name: ctx.actor.name },
    exported_from: source.publicUrl,
    judged_by: { policy: POLICY_ENGINE },
    ledger: ledgerFacts(ledger),
  };
  const [from, to] = [period.from, period.to].map((day) => day.toISOString().slice(0, 10));
  const filename = `environment-${environment.name}-${from}-${to}.tgz`;
  return { filename, stream: archive(environmentFiles(ctx, { source, exported, ledger, page, at }), manifest, at) };
}
