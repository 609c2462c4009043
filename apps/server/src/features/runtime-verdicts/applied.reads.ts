import type { Policy } from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import { contentId } from '../../platform/ids.ts';
import { inSlices } from '../../platform/slices.ts';
import { type AttachedPolicy, readAttached } from '../policies/attached.reads.ts';
import { parseCached } from '../policies/parsed-policy.reads.ts';
import type { AppliedPolicy } from './judge.service.ts';

/** The policies of an environment. */
export interface Applied {
  readonly policies: readonly AppliedPolicy[];
  /** Null without policies: then nothing is judged. */
  readonly set: PolicySet | null;
}

/** `applied_policies` as JSON text, without the failures, and the id derived from it. */
export interface PolicySet {
  readonly id: string;
  readonly content: string;
}

const NOTHING: Applied = { policies: [], set: null };

export async function readApplied(ctx: Ctx, environmentIds: readonly string[]): Promise<(id: string) => Applied> {
  const attached = await readAttached(ctx.db, ctx.org, environmentIds);
  await inSlices(ctx, parseEach([...attached.values()].flat()));
  // Most environments of an org share the same policies.
  const known = new Map<string, Applied>();
  const applied = new Map(
    Array.from(attached, ([id, policies]) => {
      const key = policies.map(({ policy_id, version }) => `${policy_id} ${version}`).join();
      const applied = known.get(key) ?? toApplied(policies);
      known.set(key, applied);
      return [id, applied];
    }),
  );
  return (id) => applied.get(id) ?? NOTHING;
}

/** Parsing takes milliseconds once; the result is cached. */
function* parseEach(policies: readonly AttachedPolicy[]): Generator<void, void> {
  for (const { policy_yaml } of policies) {
    parseCached(policy_yaml);
    yield;
  }
}

export function parsedPolicies(policies: readonly AttachedPolicy[]) {
  return policies.map(({ policy_id: policyId, name, version, policy_yaml }) => {
    return { policyId, name, version, policy: parseCached(policy_yaml) };
  });
}

export function toApplied(attached: readonly AttachedPolicy[]): Applied {
  const policies = parsedPolicies(attached);
  const content = JSON.stringify(
    policies.map(({ policyId: id, name, version, policy }) => ({ id, name, version, policy_dump: dumpOf(policy) })),
  );
  return { policies, set: { id: contentId(content), content } };
}

/**
 * Without policies compliance is unknown; with policies it is compliant unless something fails, even if nothing runs.
 */
export function complianceOf(applied: Applied, nonCompliantCount: number): 'compliant' | 'non-compliant' | 'unknown' {
  if (applied.set === null) return 'unknown';
  return nonCompliantCount > 0 ? 'non-compliant' : 'compliant';
}

/** With the member names of `applied_policies`, which differ from those in the YAML. */
function dumpOf({ document: { artifacts } }: Policy) {
  const requirement = ({ required, exceptions }: { required: boolean; exceptions: readonly { if: string }[] }) => ({
    required,
    exceptions: exceptions.map((exception) => ({ if_condition: { text: exception.if } })),
  });
  return {
    schema_version: 'v1',
    artifacts: {
      provenance: requirement(artifacts.provenance),
      trail_compliance: requirement(artifacts['trail-compliance']),
      attestations: artifacts.attestations.map(({ if: condition, ...rule }) => ({
        if_condition: condition === undefined ? null : { text: condition },
        ...rule,
      })),
    },
  };
}
