import { z } from 'zod';
import { BinaryReply, contract } from './contract.ts';
import { EnvironmentParams } from './environments.ts';
import { TrailParams } from './evidence.ts';
import { QueryTime } from './primitives.ts';

/** The longest period of a report. */
export const MAX_REPORT_DAYS = 400;

const Format = z.enum(['html', 'pdf']).optional().meta({
  description:
    '`html` unless given. `pdf` is answered with 400 where the operator configured no Chromium; the page prints from any browser',
});

const REPORT_HEADERS = {
  'waymark-content-sha256': 'SHA-256 of the content, as it is printed on the report',
};

export const getTrailReport = contract({
  id: 'getTrailReport',
  summary: 'Get a trail as a report to read or to print',
  description:
    'One page without scripts and without anything from elsewhere: the verdict and why, what the template asks for, and ' +
    'of artifacts, attestations, approvals and history the newest 1,000 each. All records and files are in the audit ' +
    'package.',
  tag: 'Trails',
  method: 'GET',
  path: '/trails/:org/:flow_name/:trail_name/report',
  access: 'read',
  params: TrailParams,
  query: z.strictObject({ format: Format }),
  status: 200,
  reply: BinaryReply,
  replyType: 'text/html',
  orAsFile: 'application/pdf',
  replyHeaders: REPORT_HEADERS,
  errors: [400, 401, 403, 404, 429, 503],
});

export const getEnvironmentReport = contract({
  id: 'getEnvironmentReport',
  summary: 'Get a period of an environment as a report to read or to print',
  description:
    'One page without scripts and without anything from elsewhere: how much of the time the environment was compliant, ' +
    'what ran and came from where, every time it was not compliant with the reason, policies, allow-listings and ' +
    'silences. What does not fit is said to be left out; the audit log as CSV has all of it. A logical environment has ' +
    'no report: the answer is 400 with its members.',
  tag: 'Environments',
  method: 'GET',
  path: '/environments/:org/:env_name/report_period',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject({
    from: QueryTime.optional().meta({
      description: `Where the period begins, in seconds since 1970; 30 days before its end unless given, ${MAX_REPORT_DAYS} days at most`,
    }),
    to: QueryTime.optional().meta({
      description: 'Where the period ends, in seconds since 1970; now unless given, and not later than now',
    }),
    format: Format,
  }),
  status: 200,
  reply: BinaryReply,
  replyType: 'text/html',
  orAsFile: 'application/pdf',
  replyHeaders: REPORT_HEADERS,
  errors: [400, 401, 403, 404, 429, 503],
});
