import * as api from '@waymark/contract';
import { pageCount } from '../../platform/db/paginate.ts';
import { invalidField } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { pageLinks } from '../../platform/http/links.ts';
import { type StoredRows, storedRows } from '../../platform/stored-json.ts';
import { epochSeconds } from '../../platform/time.ts';
import { listLiveArtifacts } from '../deployments/running.reads.ts';
import * as reads from './repo.reads.ts';

export function repoRoutes(app: App): void {
  handle(app, api.listRepos, async (ctx, { params, query }) => {
    const { page = 1, per_page = 15, sort_direction = 'asc' } = query;
    const { total, repositories } = await reads.listRepositoryPage(
      ctx,
      filterOf(query),
      sort_direction,
      page,
      per_page,
    );
    const stored = storedRows(ctx.log, 'repository');
    return {
      repos: repositories.map((repository) => toRepo(repository, stored)),
      page,
      per_page,
      total_pages: pageCount(total, per_page),
      total_count: total,
      _links: pageLinks(app.publicUrl, `/repos/${params.org}`, query, page, per_page, total),
    };
  });

  handle(app, api.getRepo, async (ctx, { params, query }) =>
    toRepo(
      query.id === undefined
        ? await reads.readRepositoryByName(ctx, params.repo_name, query.provider || undefined)
        : await reads.readRepositoryById(ctx, query.id),
      storedRows(ctx.log, 'repository'),
    ),
  );

  handle(app, api.listLiveArtifacts, async (ctx, { params, query }) => {
    const { id } = await reads.readRepositoryByName(ctx, params.repo_name, query.provider || undefined);
    return (await listLiveArtifacts(ctx, id)).map(({ commit_sha, ...artifact }) => ({
      ...artifact,
      git_commit: commit_sha ?? api.NO_COMMIT,
    }));
  });
}

function filterOf(query: api.Input<typeof api.listRepos>['query']): reads.RepositoryFilter {
  if (query.name !== undefined && query.search !== undefined) {
    throw invalidField('query.search', 'cannot be combined with name');
  }
  return {
    name: query.name,
    nameContains: query.search,
    provider: query.provider || undefined,
    externalId: query.repo_id || undefined,
    tags: [query.tag ?? []].flat(),
  };
}

function toRepo(repository: reads.RepositoryView, stored: StoredRows): api.Repo {
  return {
    id: repository.id,
    name: repository.name,
    url: repository.url,
    provider: repository.provider ?? '',
    repo_id: repository.external_id,
    description: repository.description,
    namespace_path: repository.namespace_path,
    additional_info: stored.read(repository.id, repository.additional_info, {}),
    tags: repository.tags,
    created_at: epochSeconds(repository.created_at),
    last_modified_at: epochSeconds(repository.last_modified_at),
    ...stored.mark(repository.id),
  };
}
