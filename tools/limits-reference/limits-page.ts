import { STREAMS_PER_CREDENTIAL } from '../../apps/server/src/config/env.ts';
import { metaOf, ServerSettings } from '../../apps/server/src/config/settings.ts';
import { MAX_COUNTED } from '../../apps/server/src/features/activity/activity-count.reads.ts';
import { VERSIONS_MAX as TYPE_VERSIONS_MAX } from '../../apps/server/src/features/attestations/types/attestation-type.service.ts';
import { MERGED_MAX } from '../../apps/server/src/features/environment-history/events/event-page.ts';
import { MEMBERS_MAX } from '../../apps/server/src/features/environment-settings/environment.service.ts';
import { VERSIONS_MAX as POLICY_VERSIONS_MAX } from '../../apps/server/src/features/policies/policy.service.ts';
import { SCOPE_MAX } from '../../apps/server/src/features/reports/audit-packages/scope.reads.ts';
import { MEMBERS_MAX as GROUP_MEMBERS_MAX } from '../../apps/server/src/features/scim/scim-group.service.ts';
import { BUCKETS_MAX } from '../../apps/server/src/platform/buckets.ts';
import { ARRAY_MAX, LIST_MAX_BYTES } from '../../apps/server/src/platform/db/paginate.ts';
import { EXPORTS_PER_ORG } from '../../apps/server/src/platform/export/export-places.ts';
import { BODY_LIMITS } from '../../apps/server/src/platform/http/body-limits.ts';
import { MAX_DEPTH } from '../../apps/server/src/platform/http/json-body.ts';
import { JSON_PART_MAX_BYTES } from '../../apps/server/src/platform/http/multipart.ts';
import { BYTES_PER_REQUEST } from '../../apps/server/src/platform/http/rate-limit.ts';
import { SESSION_IDLE_MS, SESSION_MAX_MS } from '../../apps/server/src/platform/http/session-cookie.ts';
import { PAYLOAD_MAX_BYTES } from '../../apps/server/src/platform/journal/entry.ts';
import * as api from '../../packages/contract/src/index.ts';
import { DOCUMENT_MAX_BYTES } from '../../packages/evidence/src/document-text.ts';
import { MAX_SIGNATURES } from '../../packages/evidence/src/dsse.ts';
import { MAX_CASES, MAX_SUITES } from '../../packages/evidence/src/junit.ts';
import { MAX_COMPONENTS } from '../../packages/evidence/src/sbom-fields.ts';
import { MAX_SUBJECTS } from '../../packages/evidence/src/statement.ts';
import { MAX_ENTRIES } from '../../packages/evidence/src/tar.ts';
import { UNPACKED_MAX_BYTES } from '../../packages/evidence/src/tgz.ts';
import { MAX_EXPRESSION_LENGTH } from '../../packages/policy/src/expression/parse-expression.ts';
import { SIZE_MAX, SIZES_MAX } from '../../packages/policy/src/expression/patterns.ts';
import { RULES_MAX } from '../../packages/policy/src/policy-document.ts';

/** What is limited, the limit, and what happens beyond it. */
type Row = readonly [what: string, limit: string, beyond: string];

const HOUR_MS = 3_600_000;

function count(value: number): string {
  return value.toLocaleString('en');
}

function size(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${bytes / (1024 * 1024)} MiB` : `${bytes / 1024} KiB`;
}

/** The default of a setting, with a link to the setting. */
function setting(name: keyof ServerSettings, show: (value: number) => string = count): string {
  const value: unknown = ServerSettings.shape[name].safeParse(undefined).data;
  const anchor = metaOf(name).group.toLowerCase().replaceAll(' ', '-');
  const shown = typeof value === 'number' ? show(value) : 'none';
  return `${shown}; set [\`${name}\`](configuration.md#${anchor})`;
}

const SECTIONS: Readonly<Record<string, readonly Row[]>> = {
  'Request rates': [
    ['requests a second with one key or session', setting('WAYMARK_RATE_PER_SECOND'), '429'],
    ['requests at once after a rest, with one key or session', setting('WAYMARK_RATE_BURST'), '429'],
    ['the same, for all keys of a person or service account', 'twice as much', '429'],
    ['the same, for an org', '4 times as much', '429'],
    ['requests without a valid credential', 'as for one key, counted by IPv4 address or IPv6 /64', '429'],
    ['cost of a large request', `1 more for each ${size(BYTES_PER_REQUEST)} of JSON`, '429'],
    ['sign-in attempts a minute from one address', setting('WAYMARK_SIGN_IN_PER_ADDRESS'), '429'],
    [
      'sign-in links for one account in 15 minutes',
      setting('WAYMARK_SIGN_IN_PER_ACCOUNT'),
      'no email is sent; the answer looks the same',
    ],
    ['event streams open with one key or session, on each server', count(STREAMS_PER_CREDENTIAL), '429'],
    ['event streams open for one org, on each server', setting('WAYMARK_EVENT_STREAMS_PER_ORG'), '429'],
    ['event streams open on each server', setting('WAYMARK_EVENT_STREAMS'), '503'],
    ['requests in progress for one org', 'depends on the load of the server', '503'],
  ],
  'Request bodies': [
    ['JSON body, and the JSON part of a form', size(JSON_PART_MAX_BYTES), '413'],
    ['body of an environment report', size(api.REPORT_MAX_BYTES), '413'],
    ['body of a SCIM group', size(api.GROUP_MAX_BYTES), '413'],
    ['nesting of JSON', `${MAX_DEPTH} levels`, '400'],
    ['URL and headers together', '16 KiB', '431'],
    ['time for a request to arrive', '60 seconds', '408'],
    [
      'pace of a body',
      `${size(BODY_LIMITS.paceBytes)} in ${(BODY_LIMITS.paceTicks * BODY_LIMITS.tickMs) / 1000} seconds`,
      '408',
    ],
    ['bodies in the memory of one server', size(BODY_LIMITS.bytes), '503'],
    ['… of one org, person, service account, or address', size(BODY_LIMITS.bytesPerHolder), '503'],
    ['bodies that arrive at one server at once', count(BODY_LIMITS.arriving), '503'],
    ['… of one org', count(BODY_LIMITS.arrivingPerOrg), '503'],
    ['… of one person, service account, or address', count(BODY_LIMITS.arrivingPerActor), '503'],
    ['journal entry of one change', size(PAYLOAD_MAX_BYTES), '413'],
    ['`Idempotency-Key`', '255 visible ASCII characters, stored for 24 hours', '400'],
  ],
  Evidence: [
    ['years that records are retained at least', count(api.RETENTION_YEARS_MAX), '400'],
    ['legal holds in place', count(api.LEGAL_HOLDS_MAX), '409'],
    ['evidence that an org stores', setting('WAYMARK_STORAGE_QUOTA_BYTES', size), '413'],
    ['rows of evidence that an org stores', setting('WAYMARK_STORAGE_QUOTA_ROWS'), '413'],
    ['attached file', setting('WAYMARK_ATTACHMENT_MAX_BYTES', size), '413'],
    ['name of an attached file', '255 characters', '400'],
    ['attached document that the server reads', `${size(DOCUMENT_MAX_BYTES)}; JSON and XML 64 levels`, '400'],
    [
      'attached archive that the server reads',
      `${count(MAX_ENTRIES)} entries, ${size(UNPACKED_MAX_BYTES)} unpacked, no links`,
      '400',
    ],
    ['JUnit report', `${count(MAX_CASES)} test cases, ${count(MAX_SUITES)} suites`, '400'],
    ['components of an SBOM', count(MAX_COMPONENTS), '400'],
    ['in-toto statement', `${MAX_SIGNATURES} signatures, ${count(MAX_SUBJECTS)} subjects`, '400'],
    [
      'attestations of a trail',
      `${count(api.TRAIL_ATTESTATIONS_MAX)} with different name, type, or target; repeats do not count`,
      '400',
    ],
    ['artifacts of a trail', `${count(api.TRAIL_ARTIFACTS_MAX)} different ones; repeats do not count`, '400'],
    ['commits of an artifact or approval', '10,000', '400'],
    ['template of a flow or trail', size(api.TEMPLATE_MAX_BYTES), '413 or 400'],
    ['schema of an attestation type', `${size(api.TYPE_SCHEMA_MAX_BYTES)}, 64 levels`, '400'],
    ['rules, and summary lines, of an attestation type', '50 each, 4,096 characters each', '400'],
    ['versions of an attestation type', count(TYPE_VERSIONS_MAX), '400'],
    ['time for a schema or rule to run', '1.5 seconds of the processor, and 6 on the clock', '400'],
  ],
  'Environments and reports': [
    ['artifacts in a report', `${count(api.REPORT_MAX_ARTIFACTS)} entries, and as many different artifacts`, '400'],
    ['names in all entries of a report', '40,000, each of 500 characters', '400'],
    ['policies attached to an environment', count(api.POLICIES_PER_ENVIRONMENT), '400'],
    ['report-only policies of an environment', count(api.REPORT_ONLY_PER_ENVIRONMENT), '400'],
    ['artifacts that report-only policies evaluate', count(api.REPORT_ONLY_ARTIFACTS), 'others are left out'],
    ['members of a logical environment', count(MEMBERS_MAX), '400'],
    ['`expected_report_interval_s`', '30 seconds to 365 days', '400'],
    ['flows in which a running artifact is looked up', '100, those with the newest reports', 'older ones are left out'],
    ['`deployments` of an artifact', '100 for each environment', 'older ones are left out'],
    ['period of a printed report', `${count(api.MAX_REPORT_DAYS)} days`, '400'],
    ['PDF reports that wait', '4 of one org, 16 on one server', '503'],
  ],
  'Policies and controls': [
    ['text of a policy', size(api.POLICY_MAX_BYTES), '413'],
    ['attestation rules of a policy', count(RULES_MAX), '400'],
    ['condition', `${count(MAX_EXPRESSION_LENGTH)} characters`, '400'],
    ['pattern in a condition', `${SIZE_MAX} steps; all patterns of a policy ${count(SIZES_MAX)}`, '400'],
    ['versions of a policy', count(POLICY_VERSIONS_MAX), '400'],
    ['time that an org may allow waivers', `${count(api.WAIVER_DAYS_MAX)} days`, '400'],
    ['length that an org may demand of reasons', `${count(api.REASON_LENGTH_MAX)} characters`, '400'],
    ['environments of one back-test', count(api.SIMULATED_ENVIRONMENTS_MAX), '400'],
    ['period of one back-test', `${count(api.SIMULATED_DAYS_MAX)} days`, '400'],
    ['identifier of a control', '256 characters', '400'],
    [
      'change requests that wait',
      `${count(api.CHANGE_REQUESTS_PENDING_MAX)} in an org, for ${api.CHANGE_REQUEST_DAYS} days`,
      '409',
    ],
    ['change requests in the list', `the newest ${count(api.CHANGE_REQUESTS_LISTED_MAX)}`, 'older ones are left out'],
  ],
  'Orgs, people, and keys': [
    ['orgs that one person creates', count(api.ORGS_MAX), '400'],
    ['open invitations', `${count(api.INVITATIONS_MAX)} in an org, for 7 days`, '400'],
    ['invitations a day', `5 to one address, ${count(api.INVITATIONS_MAX)} in an org`, '429'],
    ['wrong codes for one invitation', '5', 'the invitation is void'],
    ['keys of a person or service account', `${count(api.API_KEYS_MAX)} that are neither revoked nor expired`, '409'],
    ['grace period of a rotated key', `${count(api.GRACE_HOURS_MAX)} hours (default: ${api.GRACE_HOURS})`, '400'],
    ['flows or environments in the scope of a key', count(api.SCOPE_NAMES_MAX), '400'],
    [
      'workload identities',
      `${count(api.WORKLOAD_IDENTITIES_MAX)} in an org, with ${api.CLAIMS_MAX} claims each`,
      '400',
    ],
    ['token of a CI job', size(api.WORKLOAD_TOKEN_MAX_LENGTH), '400'],
    ['trusted keys, and trusted identities', `${count(api.TRUST_MAX)} each`, '400'],
    ['public key', size(api.PUBLIC_KEY_MAX_LENGTH), '400'],
    ['suspension delay after a departure', `${count(api.SUSPENSION_DELAY_HOURS_MAX)} hours`, '400'],
    ['departures in the list', `${count(api.DEPARTURES_MAX)}, for ${api.DEPARTURE_LISTED_DAYS} days`, 'left out'],
    ['SCIM groups of an org', `${count(api.SCIM_GROUPS_MAX)}, with ${count(GROUP_MEMBERS_MAX)} members each`, '400'],
    [
      'session',
      `${SESSION_IDLE_MS / HOUR_MS} hours without use, ${SESSION_MAX_MS / HOUR_MS / 24} days in all`,
      '401; sign in again',
    ],
  ],
  Notifications: [
    ['notifications of an org', count(api.NOTIFICATIONS_MAX), '400'],
    [
      'environments or flows of a notification',
      `${count(api.SCOPES_MAX)}; of all in an org ${count(api.ORG_SCOPES_MAX)}`,
      '400',
    ],
    ['targets of a notification', `${api.TARGETS_MAX}, with ${api.EMAILS_MAX} email addresses each`, '400'],
    ['URLs and email addresses of all notifications of an org', count(api.DESTINATIONS_MAX), '400'],
    ['emails of an org a day, in UTC', '5,000; to one address 500', 'the delivery is dropped'],
    ['attempts at a delivery', '10 in 75 hours', 'the delivery fails'],
    ['deliveries sent again by one request', count(api.REDELIVERIES_MAX), '`next` continues'],
    ['deliveries are stored', '30 days', 'deleted'],
    ['events on the event bus', '7 days', '[published again](operations.md#republish-events) on command'],
  ],
  'Names and texts': [
    ['org name, login, service account name', '64 characters', '400'],
    ['names of flows, trails, environments, attestations, types, and tag keys', '255 characters', '400'],
    ['description', '10,000 characters; service account 512, API key 256', '400'],
    ['`filename`, `build_url`, `commit_url`', '4,096 characters', '400'],
    ['`repo_url` of a flow', '2,048 characters', '400'],
    ['name and id of a repository', '1,000 characters, 2,000 bytes', '400'],
    ['key of an annotation or external URL', '255 characters', '400'],
    ['tag value', '1,024 characters, 2,000 bytes', '400'],
    ['tags set or removed by one request', '1,000 keys', '400'],
    ['characters', 'well-formed Unicode without U+0000', '400'],
  ],
  'Lists and exports': [
    ['items of a list without pages', count(ARRAY_MAX), 'a `Link` header leads to the rest'],
    [
      'items of an exported list',
      `${count(api.EXPORT_MAX)}; trails ${count(api.TRAIL_EXPORT_MAX)}`,
      '400; narrow the filters',
    ],
    ['exports at a time per org, on each server', count(EXPORTS_PER_ORG), '429'],
    ['text in one list or page', size(LIST_MAX_BYTES), 'the page ends early; a numbered page is 400'],
    ['page number', '1,000,000', '400'],
    ['`tag` filters of one request', '20', '400'],
    ['records of one kind in an audit package', count(SCOPE_MAX), '400'],
    ['events of a logical environment, by page', count(MERGED_MAX), '400; narrow the time'],
    ['days or weeks of a deployment frequency', count(BUCKETS_MAX), '400'],
    ['hours, days, or weeks of counted activity', count(BUCKETS_MAX), '400'],
    [
      'entries in a count of activity',
      count(MAX_COUNTED),
      'the newest are counted, and `counted_from` says since when',
    ],
    ['expression that names a snapshot', '100 characters, with an environment 400', '400'],
  ],
};

const INTRODUCTION = `# Limits

<!-- Generated by \`pnpm generate\`. -->

This page lists every limit that a caller of the API can reach, its default, and what happens beyond it. A limit that an
operator can change names its setting; all others are fixed. A number in the last column is the status of the answer:
[errors](errors.md) says what to do about it. Counts are per org unless noted otherwise. Rates are divided among
the API servers of an installation, so that together they grant the configured number; limits on memory, bodies, and event
streams apply to each server.
`;

const CONCLUSION = `
Next: [size an installation](scale.md), or [change a setting](configuration.md).
`;

/** The reference of limits, as Markdown. */
export function limitsPage(): string {
  const sections = Object.entries(SECTIONS).map(([title, rows]) => {
    const lines = rows.map((row) => `| ${row.join(' | ')} |\n`);
    return `\n## ${title}\n\n| what | limit | beyond it |\n| --- | --- | --- |\n${lines.join('')}`;
  });
  return `${INTRODUCTION}${sections.join('')}${CONCLUSION}`;
}
