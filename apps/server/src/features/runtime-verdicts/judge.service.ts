import {
  type ArtifactEvidence,
  contextKey,
  createJudgingMemory,
  decideInSlices,
  evidenceKey,
  instantOf,
  type Judged,
  nextInstant,
  POLICY_ENGINE,
  type Policy,
  type Readings,
  type Scope,
} from '@waymark/policy';
import { contentId } from '../../platform/ids.ts';

/** A policy version that applies to an environment. */
export interface AppliedPolicy {
  readonly policyId: string;
  readonly name: string;
  readonly version: number;
  readonly policy: Policy;
}

/** A state of evidence, with the id derived from its content. */
export interface KnownEvidence {
  readonly id: string;
  readonly content: string;
  readonly evidence: ArtifactEvidence;
}

export interface Decision {
  readonly id: string;
  readonly policyId: string;
  readonly policyName: string;
  readonly policyVersion: number;
  readonly evidenceId: string;
  readonly context: string;
  readonly engine: string;
  readonly status: Judged['status'];
  readonly judged: Judged;
  /** In seconds: when it may become another because time passes. Null when time changes nothing. */
  readonly turnsAt: number | null;
}

interface JudgedWhere {
  readonly artifactName: string;
  readonly environment: Scope['environment'];
  /** Seconds. */
  readonly now: number;
  /** Those of `readingsFor` each policy. */
  readonly readings: Readings;
}

export interface Judging {
  /** Returns the decision of each policy, in their order. Yields so that other work can go on meanwhile. */
  judge(policies: readonly AppliedPolicy[], known: KnownEvidence, where: JudgedWhere): Generator<void, Decision[]>;
}

export function known(evidence: ArtifactEvidence): KnownEvidence {
  const content = evidenceKey(evidence);
  return { id: contentId(content), content, evidence };
}

/** For artifacts that nobody reported or that cannot be identified. */
export function unknownArtifact(fingerprint: string): KnownEvidence {
  return known({ fingerprint, flows: [] });
}

/** The same decision is needed for many environments and is made once. */
export function createJudging(): Judging {
  const made = new Map<string, Decision>();
  const memory = createJudgingMemory();
  return {
    *judge(policies, { id: evidenceId, evidence }, { now, ...where }) {
      const decisions: Decision[] = [];
      for (const { policyId, name, version, policy } of policies) {
        const at = instantOf(policy, evidence, now, where.readings);
        const given = at === null ? where : { ...where, at };
        const context = contextKey(policy, given);
        const id = contentId([policyId, version, evidenceId, POLICY_ENGINE, context].join(' '));
        const answered = made.get(id);
        if (answered) {
          decisions.push(answered);
          continue;
        }
        const judged = yield* decideInSlices(policy, { name, version }, evidence, given, memory);
        const decision = {
          ...{ id, policyId, policyName: name, policyVersion: version, evidenceId, context, engine: POLICY_ENGINE },
          ...{ status: judged.status, judged, turnsAt: nextInstant(policy, evidence, now, where.readings) },
        };
        made.set(id, decision);
        decisions.push(decision);
      }
      return decisions;
    },
  };
}
