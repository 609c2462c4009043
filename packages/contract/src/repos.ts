import { z } from 'zod';
import { contract } from './contract.ts';
import { Links, OrgParams, PerPage, repeated } from './evidence.ts';
import { EpochSeconds, OrgName, Page, Tags, text, Unreadable } from './primitives.ts';

const RepoName = text(1000)
  .min(1, 'must not be empty')
  .meta({ description: 'Name of the repository; slashes do not have to be encoded', examples: ['acme/web'] });

const Repo = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string(),
    provider: z.string().meta({ description: 'Empty if unknown' }),
    repo_id: z.string().meta({ description: 'Id assigned by the provider' }),
    description: z.string(),
    namespace_path: z.array(z.string()),
    additional_info: z.record(z.string(), z.unknown()),
    tags: Tags,
    created_at: EpochSeconds,
    last_modified_at: EpochSeconds,
    unreadable: Unreadable,
  })
  .meta({ id: 'Repo' });
export type Repo = z.infer<typeof Repo>;

export const listRepos = contract({
  id: 'listRepos',
  summary: 'List the repositories of reported evidence, by name',
  tag: 'Repositories',
  method: 'GET',
  path: '/repos/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    page: Page.optional(),
    per_page: PerPage(50).meta({ description: 'Repositories per page. Default: 15' }),
    name: text(1000).optional().meta({ description: 'Filter by name (exact match)' }),
    search: text(255)
      .optional()
      .meta({ description: 'Filter by part of the name, ignoring case; cannot be combined with `name`' }),
    provider: text(100).optional(),
    repo_id: text(1000).optional().meta({ description: 'Id assigned by the provider' }),
    tag: repeated(text(600), 20).meta({
      description: 'Filter by tag, `key` or `key:value`; repeat to require several',
    }),
    sort_direction: z.enum(['asc', 'desc']).optional(),
  }),
  status: 200,
  reply: z
    .object({
      repos: z.array(Repo),
      page: z.number().int(),
      per_page: z.number().int(),
      total_pages: z.number().int(),
      total_count: z.number().int(),
      _links: Links,
    })
    .meta({ id: 'RepoPage' }),
  errors: [400, 401, 403, 429, 503],
});

export const getRepo = contract({
  id: 'getRepo',
  summary: 'Get one repository',
  description:
    'Returns a repository by its name, or by its Waymark id in the query. If several have the name, the response ' +
    'is 400 with their providers and ids, and `provider` or `id` selects one; if one provider has several, the ' +
    'most recently used one is returned.',
  tag: 'Repositories',
  method: 'GET',
  path: '/repos/:org/*repo_name',
  access: 'read',
  params: z.strictObject({ org: OrgName, repo_name: RepoName }),
  query: z.strictObject({
    provider: text(100).optional(),
    id: text(64).optional().meta({ description: 'Waymark id of the repository; the name in the path is then ignored' }),
  }),
  status: 200,
  reply: Repo,
  errors: [400, 401, 403, 404, 429, 503],
});

export const listLiveArtifacts = contract({
  id: 'listLiveArtifacts',
  summary: 'List the running artifacts of a repository',
  description: 'At most 1,000, the most recently reported first, from the newest 100,000 reports of the repository.',
  tag: 'Repositories',
  method: 'GET',
  path: '/repos/:org/live-artifacts/*repo_name',
  access: 'read',
  params: z.strictObject({ org: OrgName, repo_name: RepoName }),
  query: z.strictObject({ provider: text(100).optional() }),
  status: 200,
  reply: z.array(
    z
      .object({
        fingerprint: z.string(),
        filename: z.string(),
        flow_name: z.string(),
        git_commit: z.string(),
        environments: z.array(z.string()),
      })
      .meta({ id: 'LiveArtifact' }),
  ),
  errors: [400, 401, 403, 404, 429, 503],
});
