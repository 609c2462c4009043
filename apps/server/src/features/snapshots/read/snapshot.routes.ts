import * as api from '@waymark/contract';
import { EXPORT_BATCH, handleExport } from '../../../platform/export/handle-export.ts';
import { pagesNumbered } from '../../../platform/export/pages.ts';
import type { App } from '../../../platform/http/app.ts';
import { handle } from '../../../platform/http/handle.ts';
import { handleRawJson, handleTaggedText } from '../../../platform/http/raw-json.ts';
import { findEnvironmentByName } from '../../environments/environment.reads.ts';
import { compareSnapshots } from './diff.reads.ts';
import { resolveSnapshot } from './snapshot.reads.ts';
import { readArtifactPage } from './snapshot-artifacts.reads.ts';
import { readSnapshotBody, snapshotTag } from './snapshot-body.reads.ts';
import { EXPORTED_SNAPSHOTS } from './snapshot-export.ts';
import { countSnapshots, listSnapshotPage } from './snapshot-list.reads.ts';

export function snapshotRoutes(app: App): void {
  handleTaggedText(app, api.getSnapshot, async (ctx, { params }) => {
    const environment = await findEnvironmentByName(ctx, params.env_name);
    const snapshot = await resolveSnapshot(ctx, environment, params.snapshot_expression);
    const asked = { org: params.org, publicUrl: app.publicUrl };
    return {
      etag: await snapshotTag(ctx, environment, snapshot, asked),
      write: () => readSnapshotBody(ctx, environment, snapshot, asked),
    };
  });

  handleRawJson(app, api.listSnapshotArtifacts, (ctx, { params, query }) => {
    const { sort = 'compliance' } = query;
    return readArtifactPage(ctx, {
      ...{ org: params.org, publicUrl: app.publicUrl },
      ...{ environment: params.env_name, expression: params.snapshot_expression },
      nameContains: query.name,
      compliances: [query.compliance ?? []].flat(),
      flow: query.flow,
      sort,
      direction: query.sort_direction ?? (sort === 'started_at' ? 'desc' : 'asc'),
      page: query.page ?? 1,
      perPage: query.per_page ?? 50,
    });
  });

  handle(app, api.listSnapshots, async (ctx, { params, query }) =>
    listSnapshotPage(ctx, await findEnvironmentByName(ctx, params.env_name), {
      interval: query.interval ?? '',
      isOldestFirst: query.reverse === 'true',
      page: query.page ?? 1,
      perPage: query.per_page ?? 15,
    }),
  );

  handleExport(app, api.exportSnapshots, EXPORTED_SNAPSHOTS, async (ctx, { params, query }) => {
    // Read once, so that a snapshot that is added meanwhile moves no page.
    const environment = await findEnvironmentByName(ctx, params.env_name);
    const asked = { interval: query.interval ?? '', isOldestFirst: query.reverse === 'true', perPage: EXPORT_BATCH };
    return {
      name: `snapshots-${environment.name}`,
      total: await countSnapshots(ctx, environment, asked.interval),
      pages: pagesNumbered(EXPORT_BATCH, (page) => listSnapshotPage(ctx, environment, { ...asked, page })),
    };
  });

  handle(app, api.diffSnapshots, async (ctx, { query }) => {
    const { ids, ...diff } = await compareSnapshots(ctx, query.snappish1, query.snappish2);
    return {
      snappish1: { snapshot_id: ids[0], artifacts: diff.onlyFirst },
      snappish2: { snapshot_id: ids[1], artifacts: diff.onlySecond },
      changed: { snapshot_id: null, artifacts: diff.changed },
      'not-changed': { snapshot_id: null, artifacts: diff.notChanged },
    };
  });
}
