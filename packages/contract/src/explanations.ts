import { z } from 'zod';
import { OneTrail } from './artifacts.ts';
import { contract } from './contract.ts';
import { EnvironmentName, EnvironmentParams } from './environments.ts';
import { Explanation, ExplanationFound, FlowFingerprintParams } from './evidence.ts';
import { EpochSeconds } from './primitives.ts';
import { SnapshotExpression } from './snapshots.ts';

const Action = z
  .object({
    fix: z.string().meta({ examples: ["Report an attestation named 'unit-tests' of type junit on the artifact …"] }),
    artifacts: z
      .array(z.object({ name: z.string(), fingerprint: z.string() }))
      .meta({ description: 'Artifacts that this fixes; at most 100' }),
    artifact_count: z.number().int(),
    overridable: z.array(z.string()).meta({
      description:
        'Ids of the attestations whose verdict can be overridden instead; empty where an override does not help, ' +
        'at most 100',
    }),
  })
  .meta({ id: 'ExplanationAction' });

/** Fields of the root of an explanation, besides those of each node. */
const rootParts = {
  id: z.string(),
  kind: z.string(),
  status: z.string().meta({
    description:
      '`COMPLIANT`, `NON-COMPLIANT`, `WAIVED` by a waiver, or `UNKNOWN` if no policy is attached or nothing was ' +
      'ever reported',
    examples: ['NON-COMPLIANT'],
  }),
  needs: z.string(),
  found: z.array(ExplanationFound),
  because: z.string(),
  fix: z.string().nullable(),
  since: EpochSeconds.nullable().meta({
    description: 'Since when, without interruption; null if nothing was ever reported',
  }),
  children: z.array(Explanation),
  judged_at: EpochSeconds.nullable().meta({
    description: 'When the current verdict was made, in seconds since 1970; null if there is none yet',
  }),
  first_broke_at: EpochSeconds.nullable().meta({
    description: 'Since when it has been non-compliant, without interruption; null if compliant',
  }),
  first_broke_in: z.number().int().nullable().meta({
    description: 'The snapshot in which that began; null if compliant, or if no snapshot contains it yet',
  }),
  actions: z.array(Action).meta({
    description:
      'Actions that make everything compliant: a small set, though not always the smallest. Actions that fix the ' +
      'most artifacts come first; at most 1,000',
  }),
};

const EnvironmentExplanation = z
  .object({
    ...rootParts,
    environment: z.string(),
    snapshot_index: z.number().int().nullable().meta({ description: 'Null if there is no snapshot yet' }),
    is_stored: z.boolean().meta({
      description:
        'True if this explains the decisions made with the snapshot. False if everything was judged just now',
    }),
    artifact_count: z.number().int().meta({ description: 'Number of running artifacts' }),
    left_out: z.number().int().meta({ description: 'Number of running artifacts that are not shown' }),
  })
  .meta({ id: 'EnvironmentExplanation' });
export type EnvironmentExplanation = z.infer<typeof EnvironmentExplanation>;

const ArtifactExplanation = z
  .object({
    ...rootParts,
    environment: z.string().nullable().meta({ description: 'Null if the explanation is about the trail only' }),
  })
  .meta({ id: 'ArtifactExplanation' });
export type ArtifactExplanation = z.infer<typeof ArtifactExplanation>;

const All = z
  .enum(['true', 'false'])
  .optional()
  .meta({
    description:
      'With `true`, compliant artifacts are also shown in large environments; in environments with up to 100 ' +
      'artifacts they always are. At most 2,000 decisions are shown, one for each artifact and policy, failing ' +
      'ones first',
  });

const TREE =
  'A tree of the environment, its artifacts, the policies, their rules, and the evidence of each flow, with what ' +
  'is required, what was found, whether that is sufficient, and how to fix it. Failing artifacts come first. ';

export const explainEnvironment = contract({
  id: 'explainEnvironment',
  summary: 'Explain why an environment is compliant or not',
  description:
    `${TREE}Running artifacts are judged by the current evidence and policies; with \`snapshot\`, the decisions ` +
    'made with that snapshot are explained. A logical environment has no policies of its own: the response is 400 ' +
    'with its members.',
  tag: 'Environments',
  method: 'GET',
  path: '/environments/:org/:env_name/explain',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject({ snapshot: SnapshotExpression.optional(), all: All }),
  status: 200,
  reply: EnvironmentExplanation,
  errors: [400, 401, 403, 404, 429, 503],
});

export const explainSnapshot = contract({
  id: 'explainSnapshot',
  summary: 'Explain why a snapshot is compliant or not',
  description: `${TREE}Explains the decisions made with the snapshot, whatever has changed since.`,
  tag: 'Snapshots',
  method: 'GET',
  path: '/snapshots/:org/:env_name/:snapshot_expression/explain',
  access: 'read',
  params: EnvironmentParams.extend({ snapshot_expression: SnapshotExpression }),
  query: z.strictObject({ all: All }),
  status: 200,
  reply: EnvironmentExplanation,
  errors: [400, 401, 403, 404, 429, 503],
});

export const explainArtifact = contract({
  id: 'explainArtifact',
  summary: 'Explain the verdict on an artifact of a flow',
  description:
    'The verdict on the artifact in its trail, as a tree. With `environment_name`, the current decisions of the ' +
    'policies of that environment, whether or not the artifact runs there, with the trail as the last branch; ' +
    'evidence from other flows counts there.',
  tag: 'Artifacts',
  method: 'GET',
  path: '/artifacts/:org/:flow_name/fingerprint/:fingerprint/explain',
  access: 'read',
  params: FlowFingerprintParams,
  query: OneTrail.extend({
    environment_name: EnvironmentName.optional().meta({ description: 'Judge it by the policies of this environment' }),
  }),
  status: 200,
  reply: ArtifactExplanation,
  errors: [400, 401, 403, 404, 429, 503],
});
