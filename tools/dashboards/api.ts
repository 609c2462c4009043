import { dashboard, lines } from './kit.ts';
import { fromDatabase, ofProcesses, quantile, rateOf, requestRate } from './queries.ts';

/** What API servers are busy with, and what they turn away. */
export const api = dashboard({
  uid: 'waymark-api',
  title: 'API',
  about: 'Routes, queues, event streams and request bodies of the API servers.',
  rows: {
    Routes: [
      lines({
        title: 'Busiest routes',
        about: 'Requests per second of the ten busiest routes.',
        unit: 'reqps',
        lines: { '{{method}} {{route}}': `topk(10, ${requestRate('method, route')})` },
      }),
      lines({
        title: 'Slowest routes',
        about: 'p99 latency of the ten slowest routes.',
        unit: 's',
        lines: { '{{route}}': `topk(10, ${quantile(0.99, 'route')})` },
      }),
      lines({
        title: 'Failing routes',
        about: 'Answers with 500 or above, per second.',
        unit: 'reqps',
        lines: { '{{status}} {{method}} {{route}}': requestRate('status, method, route', ',status=~"5.."') },
      }),
      lines({
        title: 'Refused requests',
        about: 'Answers from 400 to 499, per second: credentials, permissions, mistakes and rate limits of callers.',
        unit: 'reqps',
        lines: { '{{status}}': requestRate('status', ',status=~"4.."') },
      }),
    ],
    Queues: [
      lines({
        title: 'Queue waits',
        about: 'How long work waited for its turn, on average.',
        unit: 's',
        lines: {
          '{{queue}}': `${rateOf('queue_wait_seconds_total', 'queue')} / (${rateOf('queue_admitted_total', 'queue')} > 0)`,
        },
      }),
      lines({
        title: 'Waiting',
        about: 'Tasks waiting for their turn.',
        unit: 'short',
        lines: { '{{queue}}': ofProcesses('queue_waiting', 'queue') },
      }),
      lines({
        title: 'Running',
        about: 'Tasks in progress.',
        unit: 'short',
        lines: { '{{queue}}': ofProcesses('queue_running', 'queue') },
      }),
      lines({
        title: 'Turned away',
        about: 'Work that got no turn, per second, answered with 503.',
        unit: 'ops',
        lines: { '{{queue}}': rateOf('queue_refused_total', 'queue') },
      }),
    ],
    'Event streams and request bodies': [
      lines({
        title: 'Open event streams',
        about: 'Per API server. Browsers and `waymark log --follow` hold one each.',
        unit: 'short',
        lines: { '{{instance}}': ofProcesses('event_streams_open', 'instance') },
      }),
      lines({
        title: 'Event streams refused or ended',
        about: 'Refused by the limit that was reached, and ended to make room for another org, per second.',
        unit: 'ops',
        lines: {
          'refused by {{limit}}': rateOf('event_streams_refused_total', 'limit'),
          'ended on {{instance}}': rateOf('event_streams_ended_total', 'instance'),
        },
      }),
      lines({
        title: 'Memory for request bodies',
        about: 'Per API server. 128 MiB is the limit.',
        unit: 'bytes',
        lines: { '{{instance}}': ofProcesses('bodies_held_bytes', 'instance') },
      }),
      lines({
        title: 'Request bodies',
        about: 'Bodies that have not fully arrived, and bodies refused per second by reason.',
        unit: 'short',
        lines: {
          'arriving on {{instance}}': ofProcesses('bodies_arriving', 'instance'),
          'refused: {{reason}}': rateOf('bodies_refused_total', 'reason'),
        },
      }),
    ],
    Servers: [
      lines({
        title: 'Ready',
        about: '1 while the API server can serve requests.',
        unit: 'short',
        lines: { '{{instance}}': ofProcesses('api_ready', 'instance') },
      }),
      lines({
        title: 'API servers that share the rate limits',
        about: 'As the servers count each other. Each grants its share of a limit.',
        unit: 'short',
        lines: { servers: fromDatabase('api_servers') },
      }),
    ],
  },
});
