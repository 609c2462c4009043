import type * as api from '@waymark/contract';
import type { Contract, Input } from '@waymark/contract';
import canonicalize from 'canonicalize';
import type { Ctx } from '../../platform/ctx.ts';
import { Problem } from '../../platform/errors.ts';
import type { SentInput } from '../../platform/http/change-control.ts';
import { readStored } from '../../platform/stored-json.ts';
import { epochSeconds } from '../../platform/time.ts';
import { type AttestationView, listAttestationPage } from '../attestations/attestation.reads.ts';
import { readEnvironment } from '../environments/environment.reads.ts';
import { readOrg } from '../orgs/org.reads.ts';
import { findPolicyState } from '../policies/policy.reads.ts';
import { findTrailByName } from '../trails/trail.reads.ts';
import { findTrustedIdentity, findTrustedKey } from '../trust/trust.reads.ts';
import { findWaiver } from '../waivers/waiver.reads.ts';

export type SubjectState = Readonly<Record<string, unknown>>;

export interface ChangeSubject {
  readonly kind: api.ChangeRequest['subject']['kind'];
  readonly name: string;
  /** What is compared and shown: nothing that differs between two equal changes, such as ids and times. */
  state(ctx: Ctx): Promise<SubjectState | null>;
}

type SubjectOf<C extends Contract> = (input: Input<C>) => ChangeSubject;

/** The subject of each operation under change control. */
const subjects = {
  putPolicy: (({ params }) => policy(params.name)) satisfies SubjectOf<typeof api.putPolicy>,
  putNamedPolicy: (({ body }) => policy(body.name)) satisfies SubjectOf<typeof api.putNamedPolicy>,
  archivePolicy: (({ params }) => policy(params.name)) satisfies SubjectOf<typeof api.archivePolicy>,
  attachPolicies: (({ params }) => environment(params.env_name)) satisfies SubjectOf<typeof api.attachPolicies>,
  detachPolicies: (({ params }) => environment(params.env_name)) satisfies SubjectOf<typeof api.detachPolicies>,
  promotePolicies: (({ params }) => environment(params.env_name)) satisfies SubjectOf<typeof api.promotePolicies>,
  putEnvironment: (({ body }) => environment(body.name, 'present')) satisfies SubjectOf<typeof api.putEnvironment>,
  patchEnvironment: (({ params }) => environment(params.env_name)) satisfies SubjectOf<typeof api.patchEnvironment>,
  renameEnvironment: (({ params }) => environment(params.env_name)) satisfies SubjectOf<typeof api.renameEnvironment>,
  archiveEnvironment: (({ params }) => environment(params.env_name)) satisfies SubjectOf<typeof api.archiveEnvironment>,
  allowArtifact: (({ params, body }) => waiver(params.env_name, body.artifact_fingerprint)) satisfies SubjectOf<
    typeof api.allowArtifact
  >,
  withdrawWaiver: (({ params }) => waiver(params.env_name, params.fingerprint)) satisfies SubjectOf<
    typeof api.withdrawWaiver
  >,
  attestOverride: attestation satisfies SubjectOf<typeof api.attestOverride>,
  addTrustedKey: (({ body }) => trustedKey({ name: body.name })) satisfies SubjectOf<typeof api.addTrustedKey>,
  removeTrustedKey: (({ params }) => trustedKey({ id: params.key_id })) satisfies SubjectOf<
    typeof api.removeTrustedKey
  >,
  addTrustedIdentity: (({ body }) => trustedIdentity({ name: body.name })) satisfies SubjectOf<
    typeof api.addTrustedIdentity
  >,
  removeTrustedIdentity: (({ params }) => trustedIdentity({ id: params.identity_id })) satisfies SubjectOf<
    typeof api.removeTrustedIdentity
  >,
  putChangeControl: (({ params }) => changeControl(params.org)) satisfies SubjectOf<typeof api.putChangeControl>,
};

/** The same text for the same state. */
export function textOf(state: SubjectState | null): string | null {
  return state && (canonicalize(state) ?? null);
}

export function subjectOf(operation: string, input: SentInput): ChangeSubject {
  const find = (subjects as Readonly<Record<string, ((input: never) => ChangeSubject) | undefined>>)[operation];
  if (!find) throw new Error(`nothing is known of the subject of ${operation}`);
  return find(input as never);
}

function policy(name: string): ChangeSubject {
  return {
    kind: 'policy',
    name,
    async state(ctx) {
      const policy = await findPolicyState(ctx, name);
      return policy ? { name, ...policy } : null;
    },
  };
}

/** `present` ignores an environment that only had the name before. */
function environment(name: string, names: 'all' | 'present' = 'all'): ChangeSubject {
  return {
    kind: 'environment',
    name,
    async state(ctx) {
      const found = await orNull(readEnvironment(ctx, name));
      if (!found || (names === 'present' && found.name !== name)) return null;
      const { type, description, policies, included, expected_report_interval_s } = found;
      const { include_scaling, require_provenance } = found;
      return {
        name: found.name,
        type,
        description,
        policies,
        included_environments: included,
        expected_report_interval_s,
        include_scaling,
        require_provenance,
      };
    },
  };
}

function waiver(environmentName: string, fingerprint: string): ChangeSubject {
  return {
    kind: 'waiver',
    name: `${environmentName} ${fingerprint.slice(0, 12)}`,
    async state(ctx) {
      const waiver = await orNull(findWaiver(ctx, environmentName, fingerprint));
      if (!waiver) return null;
      const { artifact_name, description, expires_at } = waiver;
      return {
        environment: waiver.environment_name,
        fingerprint,
        artifact_name,
        reason: description,
        expires_at: expires_at && epochSeconds(expires_at),
      };
    },
  };
}

const NEWEST = 50;

/** The newest report under the name, and whether it counts as compliant. A later report is a different one. */
function attestation({ params, body }: Input<typeof api.attestOverride>): ChangeSubject {
  const { flow_name: flow, trail_name: trail } = params;
  const { attestation_name: name, artifact_fingerprint: fingerprint } = body;
  return {
    kind: 'attestation',
    name: `${flow}/${trail}/${name}`,
    async state(ctx) {
      const found = await orNull(findTrailByName(ctx, flow, trail));
      if (!found) return null;
      const rows = await listAttestationPage(ctx, { names: [name], trailIds: [found.trail.id] }, 1, NEWEST);
      const about = rows.filter((row) => body.target_artifacts != null || row.fingerprint === (fingerprint ?? null));
      const [newest] = about;
      if (!newest) return null;
      return {
        attestation_name: name,
        flow,
        trail,
        report: about.find((row) => row.overrides_id === null)?.id ?? newest.overrides_id,
        is_compliant: newest.is_compliant,
        is_overridden: newest.overrides_id !== null,
        override_reason: reasonIn(newest),
      };
    },
  };
}

function reasonIn({ overrides_id, content }: AttestationView): string | null {
  const { reason = null } = readStored<{ reason?: string }>(content ?? '{}') ?? {};
  return overrides_id === null ? null : reason;
}

type NamedOrKnown = { readonly name: string } | { readonly id: string };

function labelOf(asked: NamedOrKnown): string {
  return 'name' in asked ? asked.name : asked.id;
}

function trustedKey(asked: NamedOrKnown): ChangeSubject {
  return {
    kind: 'trusted_key',
    name: labelOf(asked),
    async state(ctx) {
      const key = await findTrustedKey(ctx, asked);
      if (!key) return null;
      const { name, algorithm, sha256, public_key, flow_ids } = key;
      return { name, algorithm, sha256, public_key, ...(flow_ids && { flow_ids }) };
    },
  };
}

function trustedIdentity(asked: NamedOrKnown): ChangeSubject {
  return {
    kind: 'trusted_identity',
    name: labelOf(asked),
    async state(ctx) {
      const identity = await findTrustedIdentity(ctx, asked);
      if (!identity) return null;
      const { name, issuer, subject, root_sha256, root_source, flow_ids, is_pattern } = identity;
      const root = { trusted_root_sha256: root_sha256, trusted_root_source: root_source };
      return { name, issuer, subject, ...root, ...(flow_ids && { flow_ids }), ...(is_pattern && { is_pattern }) };
    },
  };
}

function changeControl(org: string): ChangeSubject {
  return { kind: 'org', name: org, state: async (ctx) => ({ change_control: (await readOrg(ctx)).change_control }) };
}

async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null;
    throw error;
  }
}
