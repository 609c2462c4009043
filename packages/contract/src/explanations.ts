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
      .meta({ description: 'The artifacts that it helps; at most 100 of them' }),
    artifact_count: z.number().int(),
  })
  .meta({ id: 'ExplanationAction' });

/** Fields of the root of an explanation, besides those of each node. */
const rootParts = {
  id: z.string(),
  kind: z.string(),
  status: z.string().meta({
    description:
      '`COMPLIANT`, `NON-COMPLIANT`, `WAIVED` by an allow-listing, `UNKNOWN` where no policy is attached or ' +
      'nothing was ever reported',
    examples: ['NON-COMPLIANT'],
  }),
  needs: z.string(),
  found: z.array(ExplanationFound),
  because: z.string(),
  fix: z.string().nullable(),
  since: EpochSeconds.nullable().meta({
    description: 'Since when that has been so without interruption; null when nothing was ever reported',
  }),
  children: z.array(Explanation),
  judged_at: EpochSeconds.nullable().meta({
    description: 'When the verdict was made that holds, in seconds since 1970: its age. Null when there is none yet',
  }),
  first_broke_at: EpochSeconds.nullable().meta({
    description: 'Since when it has not been compliant, without interruption; null when it is',
  }),
  first_broke_in: z.number().int().nullable().meta({
    description: 'The snapshot in which that began; null when it is compliant, or when no snapshot has it yet',
  }),
  actions: z.array(Action).meta({
    description:
      'What to do so that all of it becomes compliant: a small set that is found step by step, not always the smallest. ' +
      'What helps most artifacts comes first; at most 1,000',
  }),
};

const EnvironmentExplanation = z
  .object({
    ...rootParts,
    environment: z.string(),
    snapshot_index: z.number().int().nullable().meta({ description: 'Null when there is no snapshot yet' }),
    is_stored: z.boolean().meta({
      description: 'Whether it tells what was decided when the snapshot was made. Otherwise all was judged just now',
    }),
    artifact_count: z.number().int().meta({ description: 'How many artifacts run' }),
    left_out: z.number().int().meta({ description: 'How many of them are not shown' }),
  })
  .meta({ id: 'EnvironmentExplanation' });
export type EnvironmentExplanation = z.infer<typeof EnvironmentExplanation>;

const ArtifactExplanation = z
  .object({
    ...rootParts,
    environment: z.string().nullable().meta({ description: 'Null when only the trail was asked about' }),
  })
  .meta({ id: 'ArtifactExplanation' });
export type ArtifactExplanation = z.infer<typeof ArtifactExplanation>;

const All = z
  .enum(['true', 'false'])
  .optional()
  .meta({
    description:
      'With `true` artifacts that pass are shown in large environments, too; up to 100 artifacts they always are. At most ' +
      '2,000 decisions are shown, one for each artifact and policy, those that fail first',
  });

const TREE =
  'One tree: the environment, its artifacts, the policies, their rules, and the evidence of each flow, with what is ' +
  'needed, what was found, why that is enough or not, and what would fix it. Artifacts that fail come first. ';

export const explainEnvironment = contract({
  id: 'explainEnvironment',
  summary: 'Explain why an environment is compliant or not',
  description:
    `${TREE}What runs now is judged by the evidence and the policies as they are now; with \`snapshot\` it is told what ` +
    'was decided when that snapshot was made. A logical environment has no policies of its own: the answer is 400 with ' +
    'its members.',
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
  description: `${TREE}It is told what was decided when the snapshot was made, whatever has changed since.`,
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
    'The verdict on the artifact in its trail, as a tree. With `environment_name` what the policies of that environment ' +
    'say of it now, whether it runs there or not, and the trail as the last branch; evidence of other flows counts there.',
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
