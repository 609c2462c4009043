import * as api from '@waymark/contract';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { changeTags, type TaggableKind } from './tag.service.ts';

const KINDS: Record<api.Input<typeof api.patchTags>['params']['type'], TaggableKind> = {
  flow: 'flow',
  flows: 'flow',
  env: 'environment',
  environment: 'environment',
  environments: 'environment',
  repo: 'repository',
  repos: 'repository',
  control: 'control',
  controls: 'control',
};

export function tagRoutes(app: App): void {
  handle(app, api.patchTags, async (ctx, { params, body }) => {
    const changes = { set: body.set_tags ?? {}, remove: (body.remove_tags ?? []).map(keyOf) };
    await changeTags(ctx, KINDS[params.type], params.id, changes);
    return `Tags of ${KINDS[params.type]} '${params.id}' updated`;
  });
}

/** Clients remove a tag the way they set it, by key=value. */
function keyOf(removed: string): string {
  return removed.split('=', 1)[0] ?? '';
}
