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
    fingerprint: z.string().meta({ description: 'Empty when it is not known what ran under the name' }),
    name: z.string(),
    flow_name: z.string().meta({ description: 'Where it was reported last; empty without provenance' }),
    trail_name: z.string(),
    git_commit: z.string(),
    instances: Count.meta({ description: 'How many there were last, in the window' }),
    from: EpochSeconds.meta({ description: 'When it started, which may be before the window' }),
    until: EpochSeconds.nullable().meta({
      description: 'When it left, which may be after the window; null as long as it runs',
    }),
    states: z
      .array(z.object({ from: EpochSeconds, until: EpochSeconds, compliance: RunCompliance }))
      .meta({ description: 'What was said of it in the window, oldest first' }),
  })
  .meta({ id: 'TimelineRun' });
export type TimelineRun = z.infer<typeof TimelineRun>;

const TimelineLane = z
  .object({
    name: z.string().meta({
      description: 'What the template of the trail calls the artifact, or its name without tag and digest',
    }),
    flow_name: z.string().meta({ description: 'The flow whose template names it; empty when none does' }),
    runs: z.array(TimelineRun).meta({ description: 'Oldest start first; they may run side by side' }),
  })
  .meta({ id: 'TimelineLane' });
export type TimelineLane = z.infer<typeof TimelineLane>;

export const timelineMarkKinds = ['policy', 'allow_list', 'environment'] as const;

const TimelineMark = z
  .object({
    at: EpochSeconds,
    kind: z.enum(timelineMarkKinds),
    text: z.string().meta({ description: 'What happened, in a sentence' }),
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
    total_lanes: Count.meta({ description: 'Lanes with something that ran in the window and have the part of a name' }),
    lanes: z.array(TimelineLane).meta({ description: 'By name' }),
    truncated: z.boolean().meta({
      description:
        'Whether something was too much: of the runs, those that left first are not shown, of `compliance`, `gaps` and ' +
        'what was said of runs the oldest',
    }),
    runs_from: EpochSeconds.nullable().meta({
      description: 'What left before it may be missing, as there were too many runs; null when none is missing',
    }),
    snapshot_count: Count.meta({ description: 'All snapshots made in the window' }),
    snapshots: z.array(z.object({ index: Count, at: EpochSeconds, compliance: EnvironmentCompliance })).meta({
      description: 'Those made in the window, oldest first; of more than 1,000 an even choice with the newest',
    }),
    density: z.array(Count).meta({ description: 'Snapshots made in each sixtieth of the window' }),
    gaps: z
      .array(
        z.object({
          from: EpochSeconds,
          until: EpochSeconds.nullable().meta({ description: 'Null as long as nothing is heard' }),
        }),
      )
      .meta({ description: 'When the reporter was silent for longer than expected, within the window' }),
    marks: z.array(TimelineMark).meta({ description: 'The newest 200 in the window, oldest first' }),
    compliance: z.array(z.object({ from: EpochSeconds, until: EpochSeconds, compliance: EnvironmentCompliance })).meta({
      description:
        'Of the environment, oldest first: `unknown` in gaps, nothing before the first snapshot. The newest 2,000',
    }),
  })
  .meta({ id: 'Timeline' });
export type Timeline = z.infer<typeof Timeline>;

export const getTimeline = contract({
  id: 'getTimeline',
  summary: 'Get what ran in an environment over time, for a picture of it',
  description:
    'Runs by lane, with what was said of them; snapshots, silences of the reporter, and changes of policies and ' +
    'allow-listings. At most 2,000 runs, those that left last, and 400 days. What ran before the window and goes on in ' +
    'it is shown as well. A logical environment has no snapshots of its own: the answer is 400 with its members.',
  tag: 'Environments',
  method: 'GET',
  path: '/environments/:org/:env_name/timeline',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject({
    from: QueryTime.optional().meta({ description: 'Seven days before `to` unless given, in seconds since 1970' }),
    to: QueryTime.optional().meta({ description: 'Now unless given, or when it lies in the future' }),
    page: Page.optional().meta({ description: 'Of lanes; 1 unless given' }),
    per_page: PerPage(100).meta({ description: 'Lanes; 50 unless given' }),
    runs: z.coerce.number().int().min(0).max(2_000).optional().meta({
      description:
        'At most so many, 2,000 unless given. With 0 there are no lanes either: all else of the answer is there',
    }),
    name: text(255).optional().meta({ description: "Part of a lane's name, in any case" }),
  }),
  status: 200,
  reply: Timeline,
  errors: [400, 401, 403, 404, 429, 503],
});

const ComplianceDay = z
  .object({
    compliant: z.number(),
    non_compliant: z.number(),
    unknown: z.number().meta({ description: 'Not judged, as no policy was attached' }),
    no_data: z.number().meta({ description: 'The reporter was silent' }),
    waived: z.boolean().meta({ description: 'Whether something ran because of an allow-listing' }),
    snapshots: Count,
  })
  .meta({
    id: 'ComplianceDay',
    description:
      'Seconds. Their sum is as much of the day as has been since the environment was first reported: 0 on days before',
  });
export type ComplianceDay = z.infer<typeof ComplianceDay>;

export const ComplianceDays = z
  .object({
    from: EpochSeconds.meta({ description: 'Where the first day begins' }),
    to: EpochSeconds.meta({ description: 'Where the last day ends' }),
    days: z.array(EpochSeconds).meta({ description: 'Where each day begins, oldest first' }),
    page: Count,
    per_page: Count,
    total_count: Count.meta({ description: 'Environments, logical ones left out' }),
    environments: z.array(
      z.object({
        name: z.string(),
        type: EnvironmentType,
        days: z.array(ComplianceDay).meta({ description: 'One for each of `days`' }),
      }),
    ),
  })
  .meta({ id: 'ComplianceDays' });
export type ComplianceDays = z.infer<typeof ComplianceDays>;

export const listComplianceDays = contract({
  id: 'listComplianceDays',
  summary: 'List for how long of each day environments were compliant',
  description:
    'Days are those of UTC. Environments come by name, in pages, or in the order of `environment`. Logical ones are left ' +
    'out, even when they are named: they have no reports of their own, and their days are those of their members.',
  tag: 'Environments',
  method: 'GET',
  path: '/compliance-days/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    days: z.coerce.number().int().min(1).max(400).optional().meta({ description: '30 unless given' }),
    until: QueryTime.optional().meta({
      description: 'A time in the last day, in seconds since 1970; now unless given, or when it lies in the future',
    }),
    environment: repeated(EnvironmentName, 50).meta({ description: 'Only these, on one page' }),
    page: Page.optional().meta({ description: '1 unless given' }),
    per_page: PerPage(50).meta({ description: '20 unless given' }),
  }),
  status: 200,
  reply: ComplianceDays,
  errors: [400, 401, 403, 404, 429, 503],
});
