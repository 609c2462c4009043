import type * as api from '@waymark/contract';
import type { StoredFile } from '@waymark/contract';
import { READER_VERSION } from '@waymark/evidence';
import type { z } from 'zod';
import type { Ctx } from '../../../platform/ctx.ts';
import { invalidField } from '../../../platform/errors.ts';
import { readTrust } from '../../trust/trust.reads.ts';
import type { EvidenceReader } from '../evidence-reader.ts';
import { type EvidenceVerdict, verdict } from '../verdict.ts';
import { countSnykResults, judgeFindings } from './findings.ts';
import { judgeJunitResults, judgeTests } from './sent.ts';
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
  const { threshold, templateId: judgedTemplate } = await readThreshold(ctx, where, requested);
  return judgeFindings(found, threshold, { ...(findings && { judgedBy }), judgedTemplate });
}

export async function judgeSbom(
  ctx: Ctx,
  reader: EvidenceReader,
  file: StoredFile | undefined,
): Promise<EvidenceVerdict> {
  if (!file) throw invalidField('attachment_file', 'is required: attach the SBOM');
  const { components, ...sbom } = await reader.sbom(ctx.org, file);
  const unwieldy = components.find((component) => !isIndexable(component));
  if (unwieldy) {
    const label = unwieldy.name.slice(0, 40);
    throw invalidField('attachment_file', `has a component '${label}…' whose name, version, or purl is too long`);
  }
  return verdict([], { read: { ...sbom, component_count: components.length }, components, judgedBy });
}

/** An entry of an index holds 2,704 bytes. */
function isIndexable({ name, version, purl }: { name: string; version: string; purl: string | null }): boolean {
  return Buffer.byteLength(name) + Buffer.byteLength(version) <= 2_000 && Buffer.byteLength(purl ?? '') <= 2_000;
}

export async function judgeInToto(
  ctx: Ctx,
  reader: EvidenceReader,
  body: Body<typeof api.attestInToto>,
  file: StoredFile | undefined,
): Promise<EvidenceVerdict> {
  if (!file) throw invalidField('attachment_file', 'is required: attach the DSSE envelope or the Sigstore bundle');
  if (!body.artifact_fingerprint) {
    throw invalidField('artifact_fingerprint', 'is required: a signed statement is about one artifact');
  }
  const verified = await reader.inToto(ctx.org, file, await readTrust(ctx.db, ctx.org), body.artifact_fingerprint);
  if (!verified.verified) {
    const { fault: outcome, reason, statement, claimed } = verified;
    return verdict([reason], { outcome, read: { statement, signed_by: null, claimed_signer: claimed }, judgedBy });
  }
  const read = { statement: verified.statement, signed_by: verified.by, claimed_signer: null };
  return verdict([], { outcome: 'signature_verified', read, judgedBy, trust: 'signature' });
}
