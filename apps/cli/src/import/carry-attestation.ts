import type { CallInput } from '@waymark/client';
import type { attestGeneric } from '@waymark/contract';
import { type AttestationBody, attestationBody } from './attestation-body.ts';
import { carryArtifact } from './carry-artifact.ts';
import { type Attachment, withAttachment } from './carry-attachment.ts';
import { evidenceId } from './evidence-id.ts';
import { attempt, type ImportRun } from './import-run.ts';
import { claimedAt, IMPORTED_ID, marksOf } from './original.ts';
import { sameContent } from './same-content.ts';
import type { SourceAttestation } from './source-contracts.ts';
import type { Item } from './tally.ts';
import type { TargetTrail } from './target-trail.ts';

export async function carryAttestation(run: ImportRun, into: TargetTrail, id: string): Promise<void> {
  const key = `attestation ${id}`;
  if (run.state.isDone(key)) return;
  const attestation = await run.source.attestation(id);
  const name = `${into.name} ${attestation?.attestation_name ?? id}`;
  const notCarried = (reason: string): Item[] => [{ kind: 'attestation', name, outcome: 'not_carried', reason }];
  if (!attestation) return run.state.record(key, notCarried('The source lists it and does not have it'));
  const request = attestationBody(attestation);
  if (!request) return run.state.record(key, notCarried(`The target has no type '${attestation.attestation_type}'`));
  const { artifact_fingerprint: fingerprint } = attestation;
  if (fingerprint) await carryArtifact(run, into, fingerprint);
  const items = await attempt(run, 'attestation', name, async () => {
    const existing = into.hasContents ? await takeExisting(into, attestation, request) : undefined;
    return existing ? alreadyThere(attestation, existing, name) : carry(run, into, attestation, request, name);
  });
  run.state.record(key, items);
}

const FILE_GONE = 'The source does not have the file any more; its attestation was carried without it';

function alreadyThere(attestation: SourceAttestation, existing: SourceAttestation, name: string): Item[] {
  const item: Item = { kind: 'attestation', name, outcome: 'already_there' };
  if (!isAttached(attestation)) return [item];
  if (isAttached(existing)) return [item, { kind: 'attachment', name, outcome: 'already_there' }];
  return [item, { kind: 'attachment', name, outcome: 'not_carried', reason: FILE_GONE }];
}

function isAttached({ evidence_archive_fingerprint, evidence_archive_path }: SourceAttestation): boolean {
  return Boolean(evidence_archive_fingerprint || evidence_archive_path);
}

/**
 * Returns the attestation that the target already has: from an earlier run, or because a pipeline reports to both
 * services. Each attestation of the target stands for one of the source.
 */
async function takeExisting(
  into: TargetTrail,
  attestation: SourceAttestation,
  request: AttestationBody,
): Promise<SourceAttestation | undefined> {
  const there = await into.attestations(attestation.attestation_name);
  const at = there.findIndex((one) => {
    const importedId = one.annotations?.[IMPORTED_ID];
    if (importedId !== undefined) return importedId === attestation.attestation_id;
    const other = attestationBody(one);
    return (
      other?.contract === request.contract &&
      (one.evidence_archive_fingerprint ?? null) === (attestation.evidence_archive_fingerprint ?? null) &&
      sameContent(other.body, request.body)
    );
  });
  return at === -1 ? undefined : there.splice(at, 1)[0];
}

async function carry(
  run: ImportRun,
  into: TargetTrail,
  attestation: SourceAttestation,
  request: AttestationBody,
  name: string,
): Promise<Item[]> {
  const carried: Item[] = [{ kind: 'attestation', name, outcome: 'carried' }];
  if (run.isDryRun)
    return isAttached(attestation) ? [...carried, { kind: 'attachment', name, outcome: 'carried' }] : carried;
  if (request.dropped.length > 0) run.warn(`${name}: the target has no field ${request.dropped.join(', ')}; left out`);
  if (!isAttached(attestation)) {
    await send(run, into, attestation, request);
    return carried;
  }
  return withAttachment(run, into, attestation, async (attachment) => {
    await send(run, into, attestation, request, attachment);
    if (attachment) return [...carried, { kind: 'attachment', name, outcome: 'carried' }];
    return [...carried, { kind: 'attachment', name, outcome: 'not_carried', reason: FILE_GONE }];
  });
}

async function send(
  run: ImportRun,
  into: TargetTrail,
  attestation: SourceAttestation,
  { contract, body }: AttestationBody,
  file?: Attachment,
): Promise<void> {
  const { source, target } = run;
  const { attestation_id: id, created_at, reported_by: author, html_url, is_compliant } = attestation;
  const overridden = await overriddenBy(into, attestation);
  const marks = marksOf({ id, created_at, author, html_url, is_compliant }, source);
  const input = {
    params: { org: target.org, flow_name: into.flow, trail_name: into.trail },
    headers: {
      'waymark-evidence-id': evidenceId(source.host, source.org, 'attestation', id),
      // The target refuses an override that is older than what it is about, unless it names that by its id.
      ...((attestation.attestation_type !== 'override' || overridden) && claimedAt(created_at)),
    },
    body: { ...body, ...overridden, annotations: { ...body.annotations, ...marks } },
    ...(file && { file }),
    signal: target.signal,
  };
  // The body is of the kind that its contract takes; the compiler sees only one of them.
  await target.client.call(contract, input as unknown as CallInput<typeof attestGeneric>);
}

/** Returns the id that the overridden attestation has in the target. */
async function overriddenBy(
  into: TargetTrail,
  { attestation_name, overrides }: SourceAttestation,
): Promise<{ attestation_id: string } | undefined> {
  if (!overrides) return undefined;
  const there = await into.attestationsNow(attestation_name);
  const found = there.find((one) => one.annotations?.[IMPORTED_ID] === overrides);
  return found && { attestation_id: found.attestation_id };
}
