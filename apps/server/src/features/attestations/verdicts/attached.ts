import type * as api from '@waymark/contract';
import type { StoredFile } from '@waymark/contract';
import { READER_VERSION, type SbomComponent } from '@waymark/evidence';
import type { z } from 'zod';
import type { Ctx } from '../../../platform/ctx.ts';
import { invalidField } from '../../../platform/errors.ts';
import { readOrg } from '../../orgs/org.reads.ts';
import { readingOf } from '../../readings/findings.service.ts';
import { type EvidencePlace, reportedNames } from '../../readings/reading.service.ts';
import { readingOfVex } from '../../readings/vex.service.ts';
import { readTrust } from '../../trust/trust.reads.ts';
import type { EvidenceReader } from '../evidence-reader.ts';
import { type EvidenceVerdict, verdict } from '../verdict.ts';
import { countSnykResults, judgeFindings } from './findings.ts';
import { judgeJunitResults, judgeTests } from './sent.ts';
import { failuresIn, shownVex, statedIn } from './statements.ts';
import { type EvidenceDestination, readThreshold } from './threshold.ts';

/** Verdicts derived from the attached file. */

type Body<C extends { body: z.ZodType }> = z.output<C['body']>;

const judgedBy = { reader: READER_VERSION };

/** The attached XML outranks the results that the client sent. Another file beside the results is only stored. */
export async function judgeJunit(
  ctx: Ctx,
  reader: EvidenceReader,
  body: Body<typeof api.attestJunit>,
  file: StoredFile | undefined,
): Promise<EvidenceVerdict> {
  const { junit_results: results } = body;
  const report = file && (await reader.junit(ctx.org, file, !!results));
  if (report) {
    const failed = report.failed.map(({ suite, test }) => `'${test}' of '${suite}'`);
    return judgeTests(report, failed, { read: report, judgedBy });
  }
  if (!results) throw invalidField('junit_results', 'is required if no XML is attached');
  return judgeJunitResults(results);
}

export async function judgeSnyk(
  ctx: Ctx,
  reader: EvidenceReader,
  body: Body<typeof api.attestSnyk>,
  file: StoredFile | undefined,
  where: EvidenceDestination,
): Promise<EvidenceVerdict> {
  const { snyk_results: results, fails_at: requested } = body;
  const findings = file && (await reader.findings(ctx.org, file, !!results));
  const found = findings ?? (results && countSnykResults(results));
  if (!found) throw invalidField('snyk_results', 'is required if no scan result is attached');
  const reading = await readingOf(ctx, placeOf(where), found.normalized);
  const { threshold, templateId: judgedTemplate } = await readThreshold(ctx, where, requested);
  return judgeFindings(found, threshold, { ...(findings && { judgedBy }), judgedTemplate, reading });
}

function placeOf({ place, destination }: EvidenceDestination): EvidencePlace {
  return {
    flowId: place.flow_id,
    trailId: place.trail_id,
    fingerprint: destination.fingerprint,
    targetArtifact: destination.target_artifact,
  };
}

export async function judgeSbom(
  ctx: Ctx,
  reader: EvidenceReader,
  file: StoredFile | undefined,
  where: EvidenceDestination,
): Promise<EvidenceVerdict> {
  if (!file) throw invalidField('attachment_file', 'is required: attach the SBOM');
  const { components, findings, ...sbom } = await reader.sbom(ctx.org, file);
  requireIndexable(components);
  const reading = findings && (await readingOf(ctx, placeOf(where), findings));
  return verdict([], {
    read: {
      ...{ ...sbom, component_count: components.length },
      ...(reading && { finding_count: reading.size, reading: reading.id }),
    },
    components,
    judgedBy,
    ...(reading && { reading }),
  });
}

export async function judgeVex(
  ctx: Ctx,
  reader: EvidenceReader,
  file: StoredFile | undefined,
  where: EvidenceDestination,
): Promise<EvidenceVerdict> {
  if (!file) throw invalidField('attachment_file', 'is required: attach the VEX document');
  const names = await reportedNames(ctx, placeOf(where));
  const vex = await reader.vex(ctx.org, file, { fingerprint: where.destination.fingerprint, names });
  const reading = readingOfVex(vex);
  return verdict([], { read: { ...shownVex(vex), reading: reading.id }, reading, judgedBy });
}

function requireIndexable(components: readonly SbomComponent[]): void {
  const unwieldy = components.find((component) => !isIndexable(component));
  if (!unwieldy) return;
  const label = unwieldy.name.slice(0, 40);
  throw invalidField('attachment_file', `has a component '${label}…' whose name, version, or purl is too long`);
}

/** An entry of an index holds 2,704 bytes. */
function isIndexable({ name, version, purl }: SbomComponent): boolean {
  return Buffer.byteLength(name) + Buffer.byteLength(version) <= 2_000 && Buffer.byteLength(purl ?? '') <= 2_000;
}

export async function judgeInToto(
  ctx: Ctx,
  reader: EvidenceReader,
  body: Body<typeof api.attestInToto>,
  file: StoredFile | undefined,
  where: EvidenceDestination,
): Promise<EvidenceVerdict> {
  if (!file) throw invalidField('attachment_file', 'is required: attach the DSSE envelope or the Sigstore bundle');
  if (!body.artifact_fingerprint) {
    throw invalidField('artifact_fingerprint', 'is required: a signed statement is about one artifact');
  }
  const verified = await reader.inToto(ctx.org, file, await readTrust(ctx.db, ctx.org, where.place.flow_id), {
    fingerprint: body.artifact_fingerprint,
    names: await reportedNames(ctx, placeOf(where)),
  });
  const read = statedIn(verified);
  if (!verified.verified) {
    const { fault: outcome, reason } = verified;
    if ((await readOrg(ctx)).refuse_unverified) {
      throw invalidField('attachment_file', `is not verified, which this org refuses (${outcome}): ${reason}`);
    }
    return verdict([reason], { outcome, read, judgedBy });
  }
  const failures = failuresIn(verified);
  const { components, vex } = verified;
  requireIndexable(components);
  const reading = vex === null ? undefined : readingOfVex(vex);
  return verdict(failures, {
    ...(failures.length === 0 && { outcome: 'signature_verified' as const }),
    read: { ...read, ...(reading && { reading: reading.id }) },
    judgedBy,
    trust: 'signature',
    ...(reading && { reading }),
    ...(components.length > 0 && { components }),
  });
}
