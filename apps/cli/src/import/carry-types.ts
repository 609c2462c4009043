import { type AttestationTypeInput, getAttestationType, postAttestationType } from '@waymark/contract';
import { given } from '../resources/options.ts';
import { unlessMissing } from '../resources/unless-missing.ts';
import { attempt, type ImportRun } from './import-run.ts';
import { knownFields } from './known-fields.ts';
import { sameContent } from './same-content.ts';
import type { SourceType, SourceTypeVersion } from './source-contracts.ts';
import type { Item } from './tally.ts';

/** Carries the custom attestation types with all their versions, which templates and attestations refer to. */
export async function carryTypes(run: ImportRun): Promise<void> {
  for await (const type of run.source.types()) {
    const key = `type ${type.name}`;
    if (run.state.isDone(key)) continue;
    run.state.record(key, await attempt(run, 'attestation type', type.name, () => carryType(run, type)));
  }
}

async function carryType(run: ImportRun, type: SourceType): Promise<Item[]> {
  const { client, org, signal } = run.target;
  const existing = await unlessMissing(
    client.call(getAttestationType, { params: { org, name: type.name }, query: {}, signal }),
  );
  const wanted = inOrder(type.versions).map((version) => bodyOf(type, version));
  // Each version counts once: a version that is sent again would become another one.
  const there = inOrder(existing?.versions ?? []).map((version) => bodyOf(type, version));
  const item = { kind: 'attestation type', name: type.name } as const;
  if (there.some((version, at) => !sameContent(version, wanted[at] ?? null))) {
    return [{ ...item, outcome: 'not_carried', reason: 'The target has a type of this name with other versions' }];
  }
  const missing = wanted.slice(there.length);
  if (missing.length === 0) return [{ ...item, outcome: 'already_there' }];
  if (!run.isDryRun) {
    for (const body of missing) await client.call(postAttestationType, { params: { org }, body, signal });
  }
  return [{ ...item, outcome: 'carried' }];
}

function inOrder<V extends { readonly version: number }>(versions: readonly V[]): V[] {
  return versions.toSorted((a, b) => a.version - b.version);
}

function bodyOf(
  type: SourceType,
  { comment, evaluator, summary, type_schema }: SourceTypeVersion,
): AttestationTypeInput {
  const body = given({
    name: type.name,
    description: type.description ?? undefined,
    comment: comment ?? undefined,
    evaluator: evaluator ?? undefined,
    summary: summary ?? undefined,
    type_schema: type_schema ?? undefined,
  });
  return knownFields(postAttestationType.body, body).body;
}
