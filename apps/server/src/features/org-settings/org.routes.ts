import * as api from '@waymark/contract';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { epochSeconds } from '../../platform/time.ts';
import { DEFAULT_FAILS_AT, listOwnOrgs, type OrgView, readOrg } from '../orgs/org.reads.ts';
import {
  changeFindingsThreshold,
  changeMembersVisible,
  changeRefuseUnverified,
  changeWaiverRules,
  switchExperimentalFeatures,
} from '../orgs/org.service.ts';
import { changeChangeControl } from './change-control.service.ts';
import { createSharedOrg } from './shared-org.service.ts';
import { changeSuspensionDelay } from './suspension-delay.service.ts';

export function orgRoutes(app: App): void {
  handle(app, api.createOrganization, async (ctx, { body }) => toOrganization(await createSharedOrg(ctx, body.name)));

  handle(app, api.getOrganization, async (ctx) => toOrganization(await readOrg(ctx)));

  handle(app, api.listUserOrganizations, listOwnOrgs);

  handle(app, api.putExperimentalFeatures, async (ctx, { body }) => {
    await switchExperimentalFeatures(ctx, body.experimental_features_enabled);
    return body;
  });

  handle(app, api.putFindingsThreshold, async (ctx, { body }) => {
    await changeFindingsThreshold(ctx, body.fails_at);
    return body;
  });

  handle(app, api.putRefuseUnverified, async (ctx, { body }) => {
    await changeRefuseUnverified(ctx, body.refuse_unverified);
    return body;
  });

  handle(app, api.putMembersVisible, async (ctx, { body }) => {
    await changeMembersVisible(ctx, body.members_visible);
    return body;
  });

  handle(app, api.putWaiverRules, async (ctx, { body }) => {
    await changeWaiverRules(ctx, body);
    return body;
  });

  handle(app, api.putChangeControl, async (ctx, { body }) => {
    await changeChangeControl(ctx, body.mode);
    return body;
  });

  handle(app, api.putSuspensionDelay, async (ctx, { body }) => {
    await changeSuspensionDelay(ctx, body.hours);
    return body;
  });
}

function toOrganization(org: OrgView): api.Organization {
  return {
    ...org,
    findings_fail_at: org.findings_fail_at ?? DEFAULT_FAILS_AT,
    created_at: epochSeconds(org.created_at),
    last_modified_at: epochSeconds(org.last_modified_at ?? org.created_at),
  };
}
