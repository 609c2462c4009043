import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams, PerPage, TrailState } from './evidence.ts';
import { EpochSeconds, OrgName, text } from './primitives.ts';

const Matches = z.object({ type: z.string(), count: z.number().int(), matches: z.array(z.string()) });

export const searchSha = contract({
  id: 'searchSha',
  summary: 'Search artifacts by fingerprint or commit',
  tag: 'Search',
  method: 'GET',
  path: '/search/:org/sha/:sha',
  access: 'read',
  params: z.strictObject({
    org: OrgName,
    sha: z
      .string()
      .regex(/^[a-fA-F0-9]{5,64}$/, 'must be 5 to 64 hexadecimal digits')
      .meta({ description: 'A fingerprint or a commit, or its first digits', examples: ['aaaaa'] }),
  }),
  status: 200,
  reply: z
    .object({
      resolved_to: z.object({
        type: z.enum(['fingerprint', 'commit']).nullable().meta({ description: 'Null if several match' }),
        full_match: z.string().nullable(),
        fingerprints: Matches,
        commits: Matches,
      }),
      artifacts: z.array(
        z.object({
          fingerprint: z.string(),
          name: z.string(),
          flow: z.string(),
          trail: z.string(),
          git_commit: z.string(),
          has_provenance: z.boolean(),
          related_by_platform: z.string().nullable().meta({
            description:
              'Set if the digits are those of a platform image of this index, or of the index of this platform image',
          }),
          commit_url: z.string(),
          build_url: z.string(),
          html_url: z.string(),
          compliance_state: TrailState,
          running_in: z.array(z.string()),
          exited_from: z.array(z.string()),
          history: z.array(z.object({ event: z.string(), timestamp: EpochSeconds })),
        }),
      ),
    })
    .meta({ id: 'ShaSearch' }),
  errors: [400, 401, 403, 404, 429, 503],
});

export const searchComponents = contract({
  id: 'searchComponents',
  summary: 'Search SBOMs for a component',
  tag: 'Search',
  method: 'GET',
  path: '/search/:org/components',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    name: text(1000).optional(),
    version: text(1000).optional().meta({ description: 'Requires `name`' }),
    purl: text(4096).optional(),
    per_page: PerPage(100),
    after: z.string().max(1024).optional().meta({ description: 'Cursor from `pagination.next`' }),
  }),
  status: 200,
  reply: z
    .object({
      data: z.array(
        z.object({
          name: z.string(),
          version: z.string(),
          purl: z.string().nullable(),
          flow_name: z.string(),
          trail_name: z.string(),
          attestation_id: z.string(),
          artifact_fingerprint: z.string().nullable(),
          attested_at: EpochSeconds,
        }),
      ),
      pagination: z.object({ per_page: z.number().int(), next: z.string().nullable() }),
    })
    .meta({ id: 'ComponentPage' }),
  errors: [400, 401, 403, 429, 503],
});

const FindingSeverity = z.enum(['critical', 'high', 'medium', 'low', 'unknown']).meta({ id: 'FindingSeverity' });

const FoundFinding = z
  .object({
    id: z.string(),
    aliases: z.array(z.string()),
    severity: FindingSeverity,
    score: z.number().nullable().meta({ description: 'A CVSS base score, where the scanner gives one' }),
    component: z.string().nullable().meta({ description: 'The affected package: its package URL, or `name@version`' }),
    fixed_version: z.string().nullable(),
    location: z.string().nullable(),
    title: z.string().nullable(),
    first_seen_at: EpochSeconds.meta({
      description: 'When it was first reported in this flow for an artifact of this name',
    }),
  })
  .meta({ id: 'Finding' });

const FindingExclusion = z
  .object({
    status: z.enum(['not_affected', 'fixed', 'affected', 'under_investigation']),
    justification: z.string().nullable(),
    by: z.string().nullable().meta({ description: 'The verified signers, or else the author that the document names' }),
    trust: z.enum(['claimed', 'api_key', 'workload_identity', 'signature']),
    attestation_id: z.string(),
    attestation_name: z.string(),
  })
  .meta({ id: 'FindingExclusion' });

export const FoundFindings = z
  .object({
    data: z.array(
      z.object({
        attestation_id: z.string(),
        attestation_name: z.string(),
        flow_name: z.string(),
        trail_name: z.string(),
        artifact_fingerprint: z.string().nullable(),
        attested_at: EpochSeconds,
        finding: FoundFinding,
        vex: FindingExclusion.nullable().meta({
          description: 'The VEX document in the trail that excludes it, for rules that accept its trust',
        }),
      }),
    ),
    pagination: z.object({ per_page: z.number().int(), next: z.string().nullable() }),
  })
  .meta({ id: 'FindingPage' });
export type FoundFindings = z.infer<typeof FoundFindings>;

export const searchFindings = contract({
  id: 'searchFindings',
  summary: 'Search the findings of scans',
  description:
    'Attestations whose scan found a vulnerability or anything in a component, newest first. Exactly one of `id`, ' +
    '`component`, and `attestation_id` is required.',
  tag: 'Search',
  method: 'GET',
  path: '/search/:org/findings',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    id: text(200).min(1).optional().meta({ description: 'The id of a finding or any of its aliases, in any case' }),
    component: text(500)
      .min(1)
      .optional()
      .meta({ description: 'A package URL or a name; a version in it is ignored', examples: ['pkg:npm/lodash'] }),
    attestation_id: z.uuid().optional().meta({ description: 'All findings of one attestation, worst first' }),
    severity: FindingSeverity.optional(),
    per_page: PerPage(100),
    after: z.string().max(1024).optional().meta({ description: 'Cursor from `pagination.next`' }),
  }),
  status: 200,
  reply: FoundFindings,
  errors: [400, 401, 403, 429, 503],
});
