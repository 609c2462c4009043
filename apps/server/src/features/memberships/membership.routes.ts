import * as api from '@waymark/contract';
import { pageCount } from '../../platform/db/paginate.ts';
import { notFound } from '../../platform/errors.ts';
import { EXPORT_BATCH, handleExport } from '../../platform/export/handle-export.ts';
import { pagesNumbered } from '../../platform/export/pages.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { pageLinks } from '../../platform/http/links.ts';
import { epochSeconds, fromEpochSeconds } from '../../platform/time.ts';
import {
  type AuditEvent,
  type AuditSort,
  countAuditEvents,
  listAuditEvents,
  type MemberAuditFilter,
} from './audit-log.reads.ts';
import { type DepartureView, listDepartures } from './departures/departure.reads.ts';
import { suspendedText, toSuspended } from './departures/suspended-view.ts';
import { changeMember, leaveOrg, removeMember } from './member.service.ts';
import { listMemberPage, listMemberPageAt, type MemberView, readMember } from './membership.reads.ts';
import { EXPORTED_MEMBERSHIP_EVENTS } from './membership-event-export.ts';

export function membershipRoutes(app: App): void {
  handle(app, api.listMembers, async (ctx, { params, query }) => {
    const { page = 1, per_page = 15 } = query;
    const at = timeOf(query.at);
    const { total, members } = at
      ? await listMemberPageAt(ctx, at, page, per_page)
      : await listMemberPage(ctx, page, per_page);
    return {
      members: members.map(toMember),
      page,
      per_page,
      total_pages: pageCount(total, per_page),
      total_count: total,
      _links: pageLinks(app.publicUrl, `/organizations/${params.org}/members`, query, page, per_page, total),
    };
  });

  handle(app, api.changeMember, async (ctx, { params, body }) => {
    const suspended = await changeMember(ctx, params.login, body.role);
    const member = await readMember(ctx, params.login);
    if (!member) throw notFound('Member', params.login);
    return { ...toMember(member), ...toSuspended(suspended) };
  });

  handle(app, api.removeMember, async (ctx, { params }) => {
    const suspended = await removeMember(ctx, params.login);
    return `Member '${params.login}' removed${suspendedText(suspended)}`;
  });

  handle(app, api.leaveOrganization, async (ctx, { params }) => {
    const suspended = await leaveOrg(ctx);
    return `You have left '${params.org}'${suspendedText(suspended)}`;
  });

  handle(app, api.listDepartures, async (ctx) => (await listDepartures(ctx.db, ctx.org, ctx.now())).map(toDeparture));

  handle(app, api.getMembershipAuditLog, async (ctx, { params, query }) => {
    const { page = 1, per_page = 15 } = query;
    const filter = filterOf(query);
    const total = await countAuditEvents(ctx, filter);
    const events = await listAuditEvents(ctx, filter, sortOf(query), page, per_page);
    return {
      page,
      per_page,
      total_pages: pageCount(total, per_page),
      total_count: total,
      events: events.map(toEvent),
      _links: pageLinks(app.publicUrl, `/membership-audit-log/${params.org}`, query, page, per_page, total),
    };
  });

  handleExport(app, api.exportMembershipAuditLog, EXPORTED_MEMBERSHIP_EVENTS, async (ctx, { params, query }) => {
    const asked = filterOf(query);
    // Ends now, so that an entry that is added meanwhile moves no page.
    const filter = { ...asked, to: asked.to && asked.to < ctx.now() ? asked.to : ctx.now() };
    return {
      name: `membership-audit-log-${params.org}`,
      total: await countAuditEvents(ctx, filter),
      pages: pagesNumbered(EXPORT_BATCH, async (page) =>
        (await listAuditEvents(ctx, filter, sortOf(query), page, EXPORT_BATCH)).map(toEvent),
      ),
    };
  });
}

type LogQuery = api.Input<typeof api.exportMembershipAuditLog>['query'];

function sortOf({ sort_by = 'when', sort_dir = 'desc' }: LogQuery): AuditSort {
  return { by: sort_by, direction: sort_dir };
}

function filterOf(query: LogQuery): MemberAuditFilter {
  return {
    search: query.search,
    eventType: query.event_type || undefined,
    roles: [query.role ?? []].flat(),
    sources: [query.source ?? []].flat(),
    from: timeOf(query.from_timestamp),
    to: timeOf(query.to_timestamp),
  };
}

function timeOf(sent: number | '' | undefined): Date | undefined {
  return sent === undefined || sent === '' ? undefined : fromEpochSeconds(sent);
}

function toDeparture({ suspend_at, settled_at, ...departure }: DepartureView): api.Departure {
  return {
    ...departure,
    display_name: departure.display_name ?? departure.login,
    service_accounts: [...departure.service_accounts],
    departed_at: epochSeconds(departure.departed_at),
    suspends_at: settled_at === null ? epochSeconds(suspend_at) : null,
    suspended_at: settled_at && epochSeconds(settled_at),
  };
}

function toMember(member: MemberView): api.Member {
  return { ...member, since: epochSeconds(member.since) };
}

function toEvent({ user_name, login, created_at, ...event }: AuditEvent): api.MembershipEvent {
  return { ...event, user: user_name, user_login: login, created_at: epochSeconds(created_at) };
}
