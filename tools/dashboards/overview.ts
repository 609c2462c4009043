import { dashboard, lines, stat } from './kit.ts';
import { errorRatio, fromDatabase, JOB, quantile, requestRate, requestsPerSecond } from './queries.ts';

/** Whether Waymark works for its users. */
export const overview = dashboard({
  uid: 'waymark-overview',
  title: 'Overview',
  about: 'Whether Waymark works: the API, what follows from the journal, and what waits for an operator.',
  rows: {
    Now: [
      stat({
        title: 'API servers ready',
        about: 'API servers that can serve requests. 0 is an outage.',
        unit: 'short',
        expr: `sum(api_ready{${JOB}})`,
        badBelow: 1,
      }),
      stat({
        title: 'Workers',
        about: 'Workers that Prometheus reaches. Without one, notifications and re-evaluations wait.',
        unit: 'short',
        expr: `count(journal_stray_entries{${JOB}})`,
        badBelow: 1,
      }),
      stat({
        title: 'Failed requests',
        about: 'Share of requests answered with 500 or above.',
        unit: 'percentunit',
        expr: errorRatio,
        badFrom: 0.02,
      }),
      stat({
        title: 'p99 latency',
        about: 'The slowest 1% of requests take longer than this.',
        unit: 's',
        expr: quantile(0.99),
        badFrom: 1,
      }),
      stat({
        title: 'Oldest re-evaluation',
        about: 'How long the first due re-evaluation has waited.',
        unit: 's',
        expr: fromDatabase('reevaluation_oldest_due_seconds'),
        badFrom: 120,
      }),
      stat({
        title: 'Dead letters',
        about: 'Work that failed too often and waits for an operator.',
        unit: 'short',
        expr: `(sum(${fromDatabase('journal_dead_letters', 'processor')}) or vector(0)) + ${fromDatabase('reevaluation_dead_letters')}`,
        badFrom: 1,
      }),
    ],
    Requests: [
      lines({
        title: 'Requests by status',
        about: 'Requests per second, without health checks and event streams.',
        unit: 'reqps',
        lines: { '{{status}}': requestRate('status') },
      }),
      lines({
        title: 'Latency',
        about: 'Half, 95% and 99% of requests are faster than these.',
        unit: 's',
        lines: { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) },
      }),
    ],
    'What follows': [
      lines({
        title: 'Journal lag',
        about:
          'Journal entries without a place in the order, and those that a processor has not applied yet. A few are always ' +
          'on their way.',
        unit: 'short',
        lines: {
          sequencer: fromDatabase('journal_sequencer_lag_entries'),
          '{{processor}}': fromDatabase('journal_processor_lag_entries', 'processor'),
        },
      }),
      lines({
        title: 'Oldest work that is due',
        about: 'How long the first of each kind has waited.',
        unit: 's',
        lines: {
          notification: fromDatabase('delivery_oldest_due_seconds'),
          're-evaluation': fromDatabase('reevaluation_oldest_due_seconds'),
        },
      }),
      lines({
        title: 'Evidence stored',
        about: 'Bytes of all orgs: files in the evidence store, and content in the database.',
        unit: 'bytes',
        lines: { '{{kind}}': fromDatabase('storage_bytes', 'kind') },
      }),
      lines({
        title: 'Requests per second and API server',
        about: 'Whether the load balancer spreads requests evenly.',
        unit: 'reqps',
        lines: { '{{instance}}': requestRate('instance'), all: requestsPerSecond },
      }),
    ],
  },
});
