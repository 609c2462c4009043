import { Readable } from 'node:stream';
import * as api from '@waymark/contract';
import type { Ctx } from '../../../platform/ctx.ts';
import { pageCount } from '../../../platform/db/paginate.ts';
import { invalidField } from '../../../platform/errors.ts';
import type { App } from '../../../platform/http/app.ts';
import { handleFile } from '../../../platform/http/file-reply.ts';
import { handle, type Out } from '../../../platform/http/handle.ts';
import { pageLinks } from '../../../platform/http/links.ts';
import { findEnvironmentByName, listPhysical } from '../../environments/environment.reads.ts';
import { auditLog, type EnvironmentAuditFilter } from './audit-log.ts';
import { listFlowIds, readEventProvenances, readEvents, readReplaced } from './event.reads.ts';
import type { EventKey, EventKind } from './event-key.reads.ts';
import { listPage } from './event-page.ts';
import { type PhysicalEnvironment, readRanges } from './event-range.reads.ts';
import { readEventReasons } from './event-reason.reads.ts';
import { toEvent } from './event-view.ts';
import { timeWindowOf } from './event-window.ts';

export function environmentEventRoutes(app: App): void {
  handle(app, api.listEnvironmentEvents, async (ctx, { params, query }, out) => {
    const { page = 1, per_page: perPage = 15, repo_name, reverse } = query;
    const environment = await findEnvironmentByName(ctx, params.env_name);
    const { total, keys, watched } = await listPage(ctx, environment, {
      ...query,
      page,
      perPage,
      oldestFirst: reverse === 'true',
      repositories: [repo_name ?? []].flat().filter((name) => name !== ''),
    });
    const path = `/environments/${params.org}/${params.env_name}/events`;
    writePageHeaders(out, page, perPage, total, pageLinks(app.publicUrl, path, query, page, perPage, total));
    return toEvents(ctx, { publicUrl: app.publicUrl, org: params.org }, keys, watched);
  });

  handleFile(app, api.getAuditLog, async (ctx, { params, query }) => {
    const window = timeWindowOf(query, 'from_timestamp', 'to_timestamp');
    const filter = await fromQuery(ctx, query);
    const environment = await findEnvironmentByName(ctx, params.env_name);
    const ranges = await readRanges(ctx, await listPhysical(ctx, environment), window);
    return {
      filename: `${environment.name}-auditlog.csv`,
      stream: Readable.from(auditLog(ctx, ranges, filter), { objectMode: false }),
    };
  });
}

function writePageHeaders(
  out: Out,
  page: number,
  perPage: number,
  total: number,
  links: ReturnType<typeof pageLinks>,
): void {
  out.header('x-total-count', String(total));
  out.header('x-per-page', String(perPage));
  out.header('x-current-page', String(page));
  out.header('x-total-pages', String(pageCount(total, perPage)));
  const relations = ['first', 'prev', 'next', 'last'];
  const relationLinks = relations.flatMap((rel) => (links[rel] ? `<${links[rel].href}>; rel="${rel}"` : []));
  out.header('link', relationLinks.join(', '));
}

async function toEvents(
  ctx: Ctx,
  place: { publicUrl: string; org: string },
  keys: readonly EventKey[],
  watched: readonly PhysicalEnvironment[],
): Promise<api.EnvironmentEvent[]> {
  const events = await readEvents(ctx, keys);
  const replaced = await readReplaced(ctx, events);
  const ids = [...events.flatMap((event) => event.artifact_ids), ...replaced.flat()];
  const provenances = await readEventProvenances(ctx, ids);
  const reasonOf = await readEventReasons(ctx, events);
  const names = new Map(watched.map(({ id, name }) => [id, name]));
  return events.map((event, i) =>
    toEvent(event, provenances, replaced[i] ?? [], reasonOf(event), {
      ...place,
      environment: names.get(event.environment_id) ?? '',
    }),
  );
}

const NO_PROVENANCE = 'no provenance';

async function fromQuery(ctx: Ctx, query: api.Input<typeof api.getAuditLog>['query']): Promise<EnvironmentAuditFilter> {
  const kinds = wordsOf(query.event_types);
  const flows = wordsOf(query.flow_names);
  const repositories = wordsOf(query.repo_names);
  const names = flows.filter((name) => name !== NO_PROVENANCE);
  return {
    kinds: kinds.length > 0 ? new Set(kinds.map(kindOf)) : null,
    flows:
      flows.length > 0
        ? { ids: new Set(await listFlowIds(ctx, names)), withoutProvenance: names.length < flows.length }
        : null,
    repositories: repositories.length > 0 ? new Set(repositories) : null,
  };
}

function wordsOf(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function kindOf(word: string): EventKind {
  const kind = api.eventTypes.find((type) => type === word);
  if (kind) return kind;
  throw invalidField('query.event_types', `contains '${word}', which is none of ${api.eventTypes.join(', ')}`);
}
