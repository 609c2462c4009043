import * as api from '@waymark/contract';
import type { App } from '../../../platform/http/app.ts';
import { handle } from '../../../platform/http/handle.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { type Matrix, readMatrix } from './matrix.reads.ts';
import type { Cell, ServiceRow } from './services.ts';

export function matrixRoutes(app: App): void {
  handle(app, api.getMatrix, async (ctx, { query }) => {
    const { page = 1, per_page = 50 } = query;
    const matrix = await readMatrix(ctx, {
      nameContains: query.name,
      environments: [query.environment ?? []].flat(),
      onlyDrift: query.only === 'drift',
      page,
      perPage: per_page,
    });
    return {
      environments: matrix.environments.map(({ name, type, stale_since, compliance_now }) => ({
        name,
        type,
        stale: stale_since !== null,
        compliance: compliance_now,
      })),
      page,
      per_page,
      total_count: matrix.total,
      services: matrix.services.map((row) => toService(row, matrix)),
    };
  });
}

function toService({ service, cells, drift }: ServiceRow, matrix: Matrix): api.MatrixService {
  return {
    service: service.name,
    flow_name: service.flowName,
    cells: cells.map((cell) => cell && toCell(cell, matrix)),
    drift,
  };
}

function toCell({ run, others }: Cell, { startedAt }: Matrix): api.MatrixCell {
  const at = startedAt(run);
  return {
    fingerprint: run.fingerprint,
    artifact_name: run.name,
    git_commit: run.report?.commit ?? '',
    trail_name: run.report?.trailName ?? '',
    since: at ? epochSeconds(at) : 0,
    compliance: run.compliance,
    others,
  };
}
