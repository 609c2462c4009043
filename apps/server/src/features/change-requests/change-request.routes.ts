import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import type { App } from '../../platform/http/app.ts';
import { handle, handlePrepared } from '../../platform/http/handle.ts';
import type { ChangeRequestRow } from './asker.ts';
import * as reads from './change-request.reads.ts';
import * as changes from './change-request.service.ts';
import { toChangeRequest, toListed } from './change-request-view.ts';

/** Mounted last, when every operation under change control is known. */
export function changeRequestRoutes(app: App): void {
  const { operations } = app.changeControl;
  app.changeControl.holdWith<changes.Examined>({
    examine: changes.examineChange,
    async ask(ctx, operation, input, examined) {
      if (examined.does === 'nothing') return examined.answer;
      const request = await changes.askForChange(ctx, operation, input, examined);
      const body = JSON.stringify(api.ChangeRequest.parse(toChangeRequest(ctx, request, false)));
      return { status: 202, body, headers: {} };
    },
  });

  const shown = async (ctx: Ctx, request: ChangeRequestRow) =>
    toChangeRequest(ctx, request, await reads.isOutdated(ctx, operations, request));

  handle(app, api.listChangeRequests, async (ctx, { query }) =>
    (await reads.listChangeRequests(ctx, query.state ?? 'pending')).map((request) => toListed(ctx, request)),
  );

  handle(app, api.getChangeRequest, async (ctx, { params }) =>
    shown(ctx, await changes.requireRequest(ctx, params.id)),
  );

  handlePrepared(
    app,
    api.approveChangeRequest,
    (ctx, { params }) => changes.prepareApproval(ctx, operations, params.id),
    async (ctx, { params }, _, prepared) => shown(ctx, await changes.approveChange(ctx, params.id, prepared)),
  );

  handle(app, api.refuseChangeRequest, async (ctx, { params, body }) =>
    shown(ctx, await changes.refuseChange(ctx, params.id, body.reason)),
  );

  handle(app, api.withdrawChangeRequest, async (ctx, { params }) =>
    shown(ctx, await changes.withdrawChange(ctx, params.id)),
  );
}
