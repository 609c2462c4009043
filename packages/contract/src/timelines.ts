import { z } from 'zod';
import { contract } from './contract.ts';
import { EnvironmentName, EnvironmentParams, EnvironmentType } from './environments.ts';
import { OrgParams, PerPage, repeated } from './evidence.ts';
import { EpochSeconds, Page, QueryTime, text, Unreadable } from './primitives.ts';
import { RunCompliance } from './snapshots.ts';

const Count = z.number().int();

const EnvironmentCompliance = z.enum(['compliant', 'non-compliant', 'unknown']);

const TimelineRun = z
  .object({
    fingerprint: z.string().meta({ description: 'Empty if the running artifact is not identified' }),
    name: z.string(),
    flow_name: z.string().meta({ description: 'Flow that reported it last; empty without provenance' }),
    trail_name: z.string(),
    git_commit: z.string(),
    instances: Count.meta({ description: 'Number of instances at the end of the window' }),
    from: EpochSeconds.meta({ description: 'When it started, possibly before the window' }),
    until: EpochSeconds.nullable().meta({
      description: 'When it exited, possibly after the window; null while it is running',
    }),
    states: z
      .array(z.object({ from: EpochSeconds, until: EpochSeconds, compliance: RunCompliance }))
      .meta({ description: 'Verdicts in the window, oldest first' }),
  })
  .meta({ id: 'TimelineRun' });
export type TimelineRun = z.infer<typeof TimelineRun>;

const TimelineLane = z
  .object({
    name: z.string().meta({
      description: 'Name of the artifact in the template of the trail, or its name without tag and digest',
    }),
    flow_name: z.string().meta({ description: 'The flow whose template names it; empty if none does' }),
    runs: z.array(TimelineRun).meta({ description: 'Oldest start first; runs can overlap' }),
  })
  .meta({ id: 'TimelineLane' });
export type TimelineLane = z.infer<typeof TimelineLane>;

export const timelineMarkKinds = ['policy', 'allow_list', 'environment'] as const;

const TimelineMark = z
  .object({
    at: EpochSeconds,
    kind: z.enum(timelineMarkKinds),
    text: z.string().meta({ description: 'Summary of the event' }),
    unreadable: Unreadable,
  })
  .meta({ id: 'TimelineMark' });
export type TimelineMark = z.infer<typeof TimelineMark>;

export const Timeline = z
  .object({
    environment: z.string(),
    from: EpochSeconds,
    to: EpochSeconds.meta({ description: 'Never in the future' }),
    page: Count,
    per_page: Count,
    total_lanes: Count.meta({ description: 'Number of lanes with a run in the window that match the filter' }),
    lanes: z.array(TimelineLane).meta({ description: 'By name' }),
    truncated: z.boolean().meta({
      description:
        'Whether the result was cut: runs that exited first are omitted, as are the oldest entries of ' +
        '`compliance`, `gaps`, and verdicts',
    }),
    runs_from: EpochSeconds.nullable().meta({
      description:
        'Runs that exited before this time may be missing, because there are too many; null if none is missing',
    }),
    snapshot_count: Count.meta({ description: 'Number of snapshots created in the window' }),
    snapshots: z.array(z.object({ index: Count, at: EpochSeconds, compliance: EnvironmentCompliance })).meta({
      description:
        'Snapshots created in the window, oldest first; if more than 1,000, an even selection that ' +
        'includes the newest',
    }),
    density: z.array(Count).meta({ description: 'Number of snapshots created in each sixtieth of the window' }),
    gaps: z
      .array(
        z.object({
          from: EpochSeconds,
          until: EpochSeconds.nullable().meta({ description: 'Null while reports are missing' }),
        }),
      )
      .meta({ description: 'Periods within the window in which a report was overdue' }),
    marks: z.array(TimelineMark).meta({ description: 'The newest 200 in the window, oldest first' }),
    compliance: z.array(z.object({ from: EpochSeconds, until: EpochSeconds, compliance: EnvironmentCompliance })).meta({
      description:
        'Verdicts of the environment, oldest first: `unknown` in gaps, nothing before the first snapshot. The ' +
        'newest 2,000',
    }),
  })
  .meta({ id: 'Timeline' });
export type Timeline = z.infer<typeof Timeline>;

export const getTimeline = contract({
  id: 'getTimeline',
  summary: 'Get the timeline of an environment',
  description:
    'Runs by lane, with their verdicts; snapshots, gaps in reporting, and changes of policies and waivers. At ' +
    'most 2,000 runs, those that exited last, and 400 days. Runs that started before the window and continue into ' +
    'it are included. A logical environment has no snapshots of its own: the response is 400 with its members.',
  tag: 'Environments',
  method: 'GET',
  path: '/environments/:org/:env_name/timeline',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject({
    from: QueryTime.optional().meta({ description: 'In seconds since 1970. Default: seven days before `to`' }),
    to: QueryTime.optional().meta({
      description: 'In seconds since 1970. Default: now. A time in the future counts as now',
    }),
    page: Page.optional().meta({ description: 'Page of lanes. Default: 1' }),
    per_page: PerPage(100).meta({ description: 'Lanes per page. Default: 50' }),
    runs: z.coerce.number().int().min(0).max(2_000).optional().meta({
      description:
        'Maximum number of runs. Default: 2,000. With 0, the response contains no lanes either, but everything else',
    }),
    name: text(255).optional().meta({ description: 'Filter by part of the lane name, ignoring case' }),
  }),
  status: 200,
  reply: Timeline,
  errors: [400, 401, 403, 404, 429, 503],
});

const ComplianceDay = z
  .object({
    compliant: z.number(),
    non_compliant: z.number(),
    unknown: z.number().meta({ description: 'Not judged, because no policy was attached' }),
    no_data: z.number().meta({ description: 'A report was overdue, and the last one did not fail' }),
    waived: z.boolean().meta({ description: 'Whether an artifact ran because of a waiver' }),
    snapshots: Count,
  })
  .meta({
    id: 'ComplianceDay',
    description:
      'Seconds. Their sum is the part of the day since the first report of the environment: 0 on days before it',
  });
export type ComplianceDay = z.infer<typeof ComplianceDay>;

export const ComplianceDays = z
  .object({
    from: EpochSeconds.meta({ description: 'Start of the first day' }),
    to: EpochSeconds.meta({ description: 'End of the last day' }),
    days: z.array(EpochSeconds).meta({ description: 'Start of each day, oldest first' }),
    page: Count,
    per_page: Count,
    total_count: Count.meta({ description: 'Number of environments, except logical ones' }),
    environments: z.array(
      z.object({
        name: z.string(),
        type: EnvironmentType,
        days: z.array(ComplianceDay).meta({ description: 'One item for each of `days`' }),
      }),
    ),
  })
  .meta({ id: 'ComplianceDays' });
export type ComplianceDays = z.infer<typeof ComplianceDays>;

export const listComplianceDays = contract({
  id: 'listComplianceDays',
  summary: 'List the daily compliance of environments',
  description:
    'Days are in UTC. Environments are sorted by name, in pages, or in the order of `environment`. Logical ' +
    'environments are omitted, even if named: they have no reports of their own, and their days are those of ' +
    'their members.',
  tag: 'Environments',
  method: 'GET',
  path: '/compliance-days/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    days: z.coerce.number().int().min(1).max(400).optional().meta({ description: 'Default: 30' }),
    until: QueryTime.optional().meta({
      description: 'A time in the last day, in seconds since 1970. Default: now. A time in the future counts as now',
    }),
    environment: repeated(EnvironmentName, 50).meta({ description: 'Only these environments, on one page' }),
    page: Page.optional().meta({ description: 'Default: 1' }),
    per_page: PerPage(50).meta({ description: 'Environments per page. Default: 20' }),
  }),
  status: 200,
  reply: ComplianceDays,
  errors: [400, 401, 403, 404, 429, 503],
});
