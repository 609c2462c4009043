import type { FindingEvidence } from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import { fromEpochSeconds } from '../../platform/time.ts';
import { keysOf } from './finding-keys.service.ts';
import * as store from './reading.store.ts';

/** Where evidence is reported, as far as it exists. */
export interface EvidencePlace {
  readonly flowId: string | null;
  readonly trailId: string | null;
  readonly fingerprint: string | null;
  readonly targetArtifact: string | null;
}

/** A reading to be stored together with its attestation. */
export interface NewReading {
  readonly id: string;
  readonly content: string;
  /** The number of items in it. */
  readonly size: number;
  /** By which it is found. */
  readonly findings: readonly FindingEvidence[];
  /** When they were first seen, in seconds, by their ids that are the same in any version. */
  readonly seen: ReadonlyMap<string, number>;
  /** The names of the artifact, for which the findings are first seen now if they are new. */
  readonly names: readonly string[];
}

/** Stores the reading of an attestation. In the transaction that records it. */
export async function storeReading(
  ctx: Ctx,
  { attestationId, flowId }: { readonly attestationId: string; readonly flowId: string },
  { id, content, size, findings, seen, names }: NewReading,
): Promise<void> {
  const [stored] = await store.insertReading(ctx.db, { org_id: ctx.org, id, content });
  await store.insertAttestationReading(ctx.db, {
    ...{ org_id: ctx.org, attestation_id: attestationId, reading_id: id, size },
    stored_bytes: stored ? Buffer.byteLength(content) : 0,
  });
  if (findings.length === 0) return;
  const keys = Array.from(keysOf(findings), ([key, positions]) => ({ key, positions }));
  await store.insertKeys(ctx.db, ctx.org, id, keys);
  await store.insertFirstSeen(ctx.db, {
    ...{ org_id: ctx.org, flow_id: flowId, names },
    ...{ ids: [...seen.keys()], seen: Array.from(seen.values(), fromEpochSeconds) },
  });
}

/** Evidence is not found by its reading anymore. The reading stays, as decisions were made from it. */
export async function forgetReading(ctx: Ctx, attestationId: string): Promise<void> {
  const [removed] = await store.deleteAttestationReading(ctx.db, { org_id: ctx.org, attestation_id: attestationId });
  if (removed) await store.deleteUnusedKeys(ctx.db, { org_id: ctx.org, reading_id: removed.reading_id });
}

/** Names that stay the same from version to version. Evidence on a trail itself has none. */
export async function artifactNames(
  ctx: Ctx,
  { trailId, fingerprint, targetArtifact }: EvidencePlace,
): Promise<readonly string[]> {
  if (targetArtifact !== null) return [targetArtifact];
  if (fingerprint === null || trailId === null) return [''];
  const rows = await store.listArtifactNames(ctx.db, { org_id: ctx.org, trail_id: trailId, fingerprint });
  const names = new Set(rows.map(({ template_name, filename }) => template_name ?? withoutTag(filename)));
  return names.size === 0 ? [''] : [...names];
}

/** `registry.example.com/web:1.2@sha256:…` without its tag and digest. */
function withoutTag(name: string): string {
  return withoutDigest(name).replace(/:[^:/]*$/, '');
}

/** All names of the artifact, with and without a tag. None of evidence on a trail itself. */
export async function reportedNames(
  ctx: Ctx,
  { trailId, fingerprint, targetArtifact }: EvidencePlace,
): Promise<readonly string[]> {
  if (targetArtifact !== null) return [targetArtifact];
  if (fingerprint === null || trailId === null) return [];
  const rows = await store.listArtifactNames(ctx.db, { org_id: ctx.org, trail_id: trailId, fingerprint });
  const names = rows.flatMap(({ template_name: name, filename }) => [name ?? [], withoutDigest(filename)].flat());
  return [...new Set([...names, ...names.map(withoutTag)])];
}

function withoutDigest(name: string): string {
  return name.split('@', 1)[0] ?? name;
}
