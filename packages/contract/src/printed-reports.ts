import { z } from 'zod';
import { BinaryReply, contract } from './contract.ts';
import { EnvironmentParams } from './environments.ts';
import { TrailParams } from './evidence.ts';
import { QueryTime } from './primitives.ts';

/** The longest period of a report. */
export const MAX_REPORT_DAYS = 400;

const Format = z
  .enum(['html', 'pdf'])
  .optional()
  .meta({
    description:
      'Default: `html`. `pdf` answers 400 if the operator has not configured Chromium; print the HTML page from a ' +
      'browser instead',
  });

const From = QueryTime.optional().meta({
  description:
    `Start of the period, in seconds since 1970, at most ${MAX_REPORT_DAYS} days before its end. ` +
    'Default: 30 days before its end',
});

const To = QueryTime.optional().meta({
  description: 'End of the period, in seconds since 1970, not in the future. Default: now',
});

const REPORT_HEADERS = {
  'waymark-content-sha256': 'SHA-256 of the content, as printed on the report',
};

export const getTrailReport = contract({
  id: 'getTrailReport',
  summary: 'Get a printable report of a trail',
  description:
    'A self-contained page without scripts: the verdict and its reasons, the requirements of the template, and ' +
    'the newest 1,000 artifacts, attestations, approvals, and events each. The audit package contains all records ' +
    'and files.',
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

export const getEnvironmentPackage = contract({
  id: 'getEnvironmentPackage',
  summary: 'Export a period of an environment as an audit package',
  description:
    'A `.tgz` with the snapshots, what ran in them, the policy decisions with their inputs, the policies, the waivers, ' +
    'and the proofs that they are in the ledger. Verified offline by `waymark verify`, which makes the decisions again. ' +
    'A logical environment has no package: the response is 400 with its members.',
  tag: 'Environments',
  method: 'GET',
  path: '/environments/:org/:env_name/audit_package',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject({ from: From, to: To }),
  status: 200,
  reply: BinaryReply,
  replyType: 'application/gzip',
  errors: [400, 401, 403, 404, 429, 503],
});

export const getEnvironmentReport = contract({
  id: 'getEnvironmentReport',
  summary: 'Get a printable report of an environment over a period',
  description:
    'A self-contained page without scripts: the share of time the environment was compliant, the running ' +
    'artifacts and their provenance, each period of non-compliance with its reason, policies, waivers, and ' +
    'periods without reports. The page says what it omits; the CSV audit log contains everything. A logical ' +
    'environment has no report: the response is 400 with its members.',
  tag: 'Environments',
  method: 'GET',
  path: '/environments/:org/:env_name/report_period',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject({ from: From, to: To, format: Format }),
  status: 200,
  reply: BinaryReply,
  replyType: 'text/html',
  orAsFile: 'application/pdf',
  replyHeaders: REPORT_HEADERS,
  errors: [400, 401, 403, 404, 429, 503],
});
