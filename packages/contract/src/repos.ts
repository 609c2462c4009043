import { z } from 'zod';
import { contract } from './contract.ts';
import { Links, OrgParams, PerPage, repeated } from './evidence.ts';
import { EpochSeconds, OrgName, Page, Tags, text, Unreadable } from './primitives.ts';

const RepoName = text(1000)
  .min(1, 'must not be empty')
  .meta({ description: 'Name of the repository; its slashes need not be encoded', examples: ['acme/web'] });

const Repo = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string(),
    provider: z.string().meta({ description: 'Empty when it was not told' }),
    repo_id: z.string().meta({ description: 'Id that the provider gave it' }),
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
  summary: 'List the repositories that evidence came from, by name',
  tag: 'Repositories',
  method: 'GET',
  path: '/repos/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    page: Page.optional(),
    per_page: PerPage(50).meta({ description: '15 unless given' }),
    name: text(1000).optional().meta({ description: 'Exactly this name' }),
    search: text(255).optional().meta({ description: 'Part of the name, in any case; not together with `name`' }),
    provider: text(100).optional(),
    repo_id: text(1000).optional().meta({ description: 'Id that the provider gave it' }),
    tag: repeated(text(600), 20).meta({ description: '`key` or `key:value`; repeated ones must all match' }),
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
    'By its name, or by our id in the query. When several have the name, the answer is 400 with their providers and ' +
    'ids, and `provider` or `id` chooses; of several at the provider, the one that was used last.',
  tag: 'Repositories',
  method: 'GET',
  path: '/repos/:org/*repo_name',
  access: 'read',
  params: z.strictObject({ org: OrgName, repo_name: RepoName }),
  query: z.strictObject({
    provider: text(100).optional(),
    id: text(64).optional().meta({ description: 'Our id of the repository; then the name in the path is not read' }),
  }),
  status: 200,
  reply: Repo,
  errors: [400, 401, 403, 404, 429, 503],
});

export const listLiveArtifacts = contract({
  id: 'listLiveArtifacts',
  summary: 'List the artifacts of a repository that run somewhere now',
  description: 'At most 1,000, the one reported last first, among the newest 100,000 reports of the repository.',
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
