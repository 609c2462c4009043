import type { CallInput, ReplyOf } from '@waymark/client';
import {
  archiveEnvironment,
  archiveFlow,
  archivePolicy,
  attachPolicies,
  attestGeneric,
  beginTrail,
  type Contract,
  detachPolicies,
  getFlow,
  listArtifacts,
  listAttestations,
  listEnvironments,
  listFlows,
  listPolicies,
  putEnvironment,
  putFlow,
  putPolicy,
  reportArtifact,
  reportServer,
} from '@waymark/contract';
import { isSample, SAMPLE, SAMPLE_DESCRIPTION } from './sample-names.ts';

// The browser adds the sample with the operations of the API, one by one. An operation of the server for it would be a
// second way to record evidence, with permissions, retries, and limits of its own; this one can do nothing that the
// caller could not do by hand, and the journal names each change and who made it.

/** Calls the API as the signed-in person. */
export type Call = <C extends Contract>(contract: C, input: CallInput<C>) => Promise<ReplyOf<C>>;

const TEMPLATE = `version: 1
trail:
  attestations:
    - name: code-review
      type: generic
  artifacts:
    - name: web
      attestations:
        - name: unit-tests
          type: generic
`;

const POLICY = `_schema: https://waymark.example.com/policy/v1
artifacts:
  provenance:
    required: true
  attestations:
    - name: unit-tests
      type: generic
`;

/** The fingerprints are SHA-256 of 'Waymark sample web 1' and 2, which no software has. */
const RELEASES = [
  {
    trail: 'sample-release-1',
    artifact: 'sample-web:1',
    fingerprint: '4069f0da1c27ce205cdbe12ca9dd8fb1e63697d68811a0c0b62cf63b7622e224',
    areTestsCompliant: true,
  },
  {
    trail: 'sample-release-2',
    artifact: 'sample-web:2',
    fingerprint: '61fcd334efe9cd9f7e890903d8f6271f2eed7f04474878d7a78e4fddc3472cc9',
    areTestsCompliant: false,
  },
] as const;

/**
 * Adds the sample with the operations that a pipeline and a reporter use, in the name of the caller. It can be repeated:
 * what is there already is kept, so a repeat continues where the last attempt stopped. The report comes last: an
 * environment with a snapshot says that the sample is complete.
 */
export async function addSample(call: Call, org: string): Promise<void> {
  await requireFreeNames(call, org);
  await addReleases(call, org);
  const description = SAMPLE_DESCRIPTION;
  const { flow: flow_name, environment: env_name, policy } = SAMPLE;
  await call(putPolicy, { params: { org, name: policy }, body: { policy_yaml: POLICY, description } });
  await call(putEnvironment, { params: { org }, body: { name: env_name, type: 'server', description } });
  await call(attachPolicies, { params: { org, env_name }, body: { policy_names: [policy] } });
  // The same in every attempt, so that a repeated report is a duplicate.
  const { created_at } = await call(getFlow, { params: { org, flow_name } });
  const digests = Object.fromEntries(RELEASES.map(({ artifact, fingerprint }) => [artifact, fingerprint]));
  const artifacts = [{ digests, creationTimestamp: Math.floor(created_at) }];
  await call(reportServer, { params: { org, env_name }, body: { artifacts } });
}

async function addReleases(call: Call, org: string): Promise<void> {
  const { flow: flow_name } = SAMPLE;
  const description = SAMPLE_DESCRIPTION;
  await call(putFlow, { params: { org }, body: { name: flow_name, description, template: TEMPLATE } });
  const reported = await call(listArtifacts, { params: { org }, query: { flow_name } });
  const { data: attested } = await call(listAttestations, { params: { org }, query: { flow: flow_name } });
  for (const { trail: trail_name, artifact, fingerprint, areTestsCompliant } of RELEASES) {
    const isAttested = (name: string) =>
      attested.some((one) => one.trail_name === trail_name && one.attestation_name === name);
    const params = { org, flow_name, trail_name };
    await call(beginTrail, { params: { org, flow_name }, body: { name: trail_name, description } });
    if (!isAttested('code-review')) {
      await call(attestGeneric, {
        params,
        body: { attestation_name: 'code-review', is_compliant: true, description },
      });
    }
    if (!reported.some((one) => one.fingerprint === fingerprint)) {
      await call(reportArtifact, {
        params: { org, flow_name },
        body: {
          ...{ fingerprint, filename: artifact, trail_name, template_reference_name: 'web', description },
          ...{ build_url: `https://example.com/${trail_name}`, commit_url: `https://example.com/${trail_name}/commit` },
        },
      });
    }
    if (!isAttested('unit-tests')) {
      await call(attestGeneric, {
        params,
        body: {
          ...{ attestation_name: 'unit-tests', is_compliant: areTestsCompliant, description },
          artifact_fingerprint: fingerprint,
        },
      });
    }
  }
}

/** Adding would otherwise change what somebody made under one of the names. */
async function requireFreeNames(call: Call, org: string): Promise<void> {
  const found = await findSample(call, org);
  for (const kind of ['flow', 'environment', 'policy'] as const) {
    if (found[kind] === 'other') {
      throw new Error(
        `Couldn’t add sample data: the ${kind} '${SAMPLE[kind]}' exists and is not sample data. Rename or archive it.`,
      );
    }
  }
}

type Found = 'sample' | 'other' | undefined;

async function findSample(call: Call, org: string): Promise<Record<keyof typeof SAMPLE, Found>> {
  const params = { org };
  const flows = rowsOf(
    await call(listFlows, { params, query: { search_by_name: SAMPLE.flow, page: 1, per_page: 100 } }),
    'data',
  );
  const environments = rowsOf(
    await call(listEnvironments, { params, query: { name: SAMPLE.environment, page: 1, per_page: 50 } }),
    'environments',
  );
  const policies = await call(listPolicies, { params, query: {} });
  return {
    flow: foundIn(flows, SAMPLE.flow),
    environment: foundIn(environments, SAMPLE.environment),
    policy: foundIn(policies, SAMPLE.policy),
  };
}

interface Described {
  readonly name: string;
  readonly description: string;
}

function rowsOf<Key extends string>(
  reply: readonly Described[] | { readonly [key in Key]: readonly Described[] },
  key: Key,
): readonly Described[] {
  return Array.isArray(reply) ? reply : (reply as { readonly [key in Key]: readonly Described[] })[key];
}

function foundIn(all: readonly Described[], name: string): Found {
  const found = all.find((one) => one.name === name);
  return found && (isSample(found) ? 'sample' : 'other');
}

/**
 * Archives the sample. Records are never deleted: the trails, the evidence, and the journal keep it. It can be repeated;
 * the flow is the last to go, because Home offers the removal while there is one.
 */
export async function removeSample(call: Call, org: string): Promise<void> {
  const { flow: flow_name, environment: env_name, policy } = SAMPLE;
  const found = await findSample(call, org);
  if (found.environment === 'sample') {
    await call(detachPolicies, { params: { org, env_name }, body: { policy_names: [policy] } });
    await call(archiveEnvironment, { params: { org, env_name } });
  }
  if (found.policy === 'sample') await call(archivePolicy, { params: { org, name: policy } });
  if (found.flow === 'sample') await call(archiveFlow, { params: { org, flow_name } });
}
