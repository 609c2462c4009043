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
