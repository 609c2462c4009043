import { hash } from 'node:crypto';
import type { Ctx } from '../../platform/ctx.ts';
import { batch, watchBatch } from '../../platform/db/batch.ts';
import type { Db } from '../../platform/db/db.ts';
import { invalidField, unavailable } from '../../platform/errors.ts';
import type { WatchQueue } from '../../platform/queue.metrics.ts';
import { inRolledBackTransaction } from '../../platform/rolled-back.ts';
import type { InTurn } from '../../platform/turns.ts';
import { findEnvironmentByName } from '../environments/environment.reads.ts';
import { isSameKind } from '../environments/environment-kind.reads.ts';
import type { DigestOfBody } from './body-digests.ts';
import type { Heartbeats } from './heartbeats.ts';
import { type ReportKind, readerVersion, readReport } from './read-report.ts';
import { type Recorded, recordContent } from './record-report.service.ts';
import { type Beat, findReporters, keepBeat, type Reporter } from './report.store.ts';

type FindReporter = (sought: { org: string; name: string }) => Promise<Reporter | undefined>;

export function createFindReporter(db: Db, watch: WatchQueue): FindReporter {
  const reporters = batch<{ org: string; name: string }, Reporter | undefined>({
    async run(sought) {
      const rows = await findReporters(db, {
        org_ids: sought.map(({ org }) => org),
        names: sought.map(({ name }) => name),
      });
      const found = new Map(rows.map((row) => [row.place, row]));
      return sought.map((_, i) => found.get(i + 1));
    },
    shareOf: ({ org }) => org,
    refusal: 'Too many environment reports are waiting',
  });
  watchBatch(watch, 'environment_reports', reporters);
  return reporters.send;
}

export interface SentReport {
  readonly kind: ReportKind;
  readonly environment: string;
  readonly bytes: Buffer;
  parse(): unknown;
  /** Dry run: nothing is recorded or cached. */
  readonly isDryRun: boolean;
}

export interface Taken {
  readonly environment: string;
  readonly recorded: Recorded;
}

export interface ReportParts {
  readonly digestOf: DigestOfBody;
  readonly findReporter: FindReporter;
  readonly heartbeats: Heartbeats;
  readonly inTurn: InTurn;
}

/**
 * Receives a report. Most repeat the bytes of the previous one and are recognized without parsing. That the environment
 * exists is checked each time.
 */
export async function takeReport(ctx: Ctx, parts: ReportParts, sent: SentReport): Promise<Taken> {
  const { digestOf, findReporter, heartbeats, inTurn } = parts;
  const name = sent.environment;
  const reporter = (await findReporter({ org: ctx.org, name })) ?? (await findByOldName(ctx, findReporter, name));
  requireKind(reporter, sent.kind);
  const bytes = sent.isDryRun ? hash('sha256', sent.bytes, 'buffer') : digestOf(reporter.id, sent.bytes);
  const by = readerVersion(sent.kind);
  const known = knownContent(reporter, bytes, by);
  const content = known ? undefined : readReport(sent.kind, sent.parse(), sent.bytes.length);
  const beat = {
    org: ctx.org,
    environment: reporter.id,
    at: ctx.now(),
    bytes,
    by,
    content: content?.digest ?? (known as Buffer),
  };
  if (!content || reporter.content_digest?.equals(content.digest)) {
    if (!sent.isDryRun) heartbeats.add(reporter, beat);
    const recorded = { kind: 'unchanged' as const, index: reporter.snapshot_count, started: 0, exited: 0 };
    return { environment: reporter.name, recorded };
  }
  const record = (ctx: Ctx) => recordContent(ctx, reporter, content, (ctx) => keep(ctx, beat));
  const recorded = await inTurn(reporter.id, () => {
    return sent.isDryRun ? inRolledBackTransaction(ctx, record) : record(ctx);
  });
  return { environment: reporter.name, recorded };
}

async function findByOldName(ctx: Ctx, findReporter: FindReporter, name: string): Promise<Reporter> {
  const { name: current } = await findEnvironmentByName(ctx, name);
  const reporter = await findReporter({ org: ctx.org, name: current });
  if (!reporter) throw unavailable(`Environment '${name}' is being renamed. Try again shortly`);
  return reporter;
}

/** Returns what the bytes mean, if that is known and still current. */
function knownContent(reporter: Reporter, bytes: Buffer, by: string): Buffer | undefined {
  const { known_bytes, known_by, known_content, content_digest } = reporter;
  if (!known_bytes || !known_content || !content_digest || known_by !== by) return undefined;
  return known_bytes.equals(bytes) && known_content.equals(content_digest) ? known_content : undefined;
}

async function keep(ctx: Ctx, { environment, at, bytes, by, content }: Beat): Promise<void> {
  await keepBeat(ctx.db, { org_id: ctx.org, environment_id: environment, at, bytes, by, content });
}

function requireKind(reporter: Reporter, kind: ReportKind): void {
  if (reporter.type === 'logical') {
    throw invalidField(
      'env_name',
      `names '${reporter.name}', which is logical and takes no reports: report its members`,
    );
  }
  if (!isSameKind(reporter.type, kind)) {
    throw invalidField(
      'env_name',
      `names '${reporter.name}', which is of type ${reporter.type} and takes no ${kind} reports`,
    );
  }
}
