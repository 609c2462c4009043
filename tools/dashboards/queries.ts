/** Chosen by the reader of a dashboard. */
export const JOB = 'job=~"$job"';
/** Event streams stay open by design, and health checks are no work for users. */
const WORK = `${JOB},route!~"/live|/ready|/status|/api/v2/events/:org"`;

const DURATION = 'http_server_request_duration_seconds';

export function requestRate(by: string, labels = ''): string {
  return `sum by (${by}) (rate(${DURATION}_count{${WORK}${labels}}[$__rate_interval]))`;
}

export const requestsPerSecond = `sum(rate(${DURATION}_count{${WORK}}[$__rate_interval]))`;

export const errorRatio = `(sum(rate(${DURATION}_count{${WORK},status=~"5.."}[$__rate_interval])) or vector(0)) / (${requestsPerSecond} > 0)`;

export function quantile(q: number, by = ''): string {
  const labels = by === '' ? 'le' : `le, ${by}`;
  return `histogram_quantile(${q}, sum by (${labels}) (rate(${DURATION}_bucket{${WORK}}[$__rate_interval])))`;
}

/** Every worker reads these from the database, so all of them show the same. */
export function fromDatabase(metric: string, by = '', labels = ''): string {
  return `max${by === '' ? '' : ` by (${by})`} (${metric}{${JOB}${labels}})`;
}

export function ofProcesses(metric: string, by: string): string {
  return `sum by (${by}) (${metric}{${JOB}})`;
}

export function rateOf(metric: string, by: string): string {
  return `sum by (${by}) (rate(${metric}{${JOB}}[$__rate_interval]))`;
}
