/** Figures under which an alert fires, and how long that takes. */
export interface AlertCase {
  readonly alert: string;
  /** What somebody reads who gets it. */
  readonly summary: string;
  /** In the notation of promtool: start, step and number of minutes. */
  readonly series: Readonly<Record<string, string>>;
  /** When it has not fired yet, and when it has. */
  readonly quietAt: string;
  readonly firesAt: string;
  /** Labels of the alert besides its severity. */
  readonly labels?: Readonly<Record<string, string>>;
}

const api = 'job="waymark-api",instance="api-1"';
const worker = 'job="waymark-worker",instance="worker-1"';
const requests = (name: string, rest: string) =>
  `http_server_request_duration_seconds_${name}{${api},method="GET",route="/api/v2/flows/:org",${rest}}`;

/** An installation that works. Each case replaces some of it. */
export const HEALTHY: Readonly<Record<string, string>> = {
  [`up{${api}}`]: '1x60',
  [`up{${worker}}`]: '1x60',
  [`api_ready{${api}}`]: '1x60',
  [requests('count', 'status="200"')]: '0+6000x60',
  [requests('bucket', 'status="200",le="0.1"')]: '0+6000x60',
  [requests('bucket', 'status="200",le="2.5"')]: '0+6000x60',
  [requests('bucket', 'status="200",le="+Inf"')]: '0+6000x60',
  // A stream that stays open for hours is no slow request.
  [`http_server_request_duration_seconds_bucket{${api},method="GET",route="/api/v2/events/:org",status="200",le="10"}`]:
    '0x60',
  [`http_server_request_duration_seconds_bucket{${api},method="GET",route="/api/v2/events/:org",status="200",le="+Inf"}`]:
    '0+600x60',
  // Entries on their way while it is busy.
  [`journal_sequencer_lag_entries{${worker}}`]: `${'2 7 9 4 '.repeat(15)}`,
  [`journal_sequencer_passes_total{${worker}}`]: '0+60x60',
  [`journal_publisher_lag_entries{${worker}}`]: `${'12 3 40 7 '.repeat(15)}`,
  [`journal_processor_lag_entries{${worker},processor="reevaluations"}`]: `${'5 31 8 2 '.repeat(15)}`,
  [`reevaluation_dead_letters{${worker}}`]: '0x60',
  [`reevaluation_oldest_due_seconds{${worker}}`]: '3x60',
  [`delivery_oldest_due_seconds{${worker}}`]: '2x60',
  [`delivery_due_targets{${worker},failing="true"}`]: '4x60',
  [`queue_admitted_total{${api},queue="database"}`]: '0+6000x60',
  [`queue_wait_seconds_total{${api},queue="database"}`]: '0+60x60',
  [`queue_refused_total{${api},queue="database"}`]: '0x60',
  [`bodies_refused_total{${api},reason="full"}`]: '0x60',
  [`event_streams_refused_total{${api},limit="org"}`]: '0x60',
  [`storage_quota_orgs{${worker},percent="80"}`]: '3x60',
  [`storage_quota_orgs{${worker},percent="100"}`]: '0x60',
  [`journal_stray_entries{${worker}}`]: '0x60',
  [`ledger_signing_stopped{${worker}}`]: '0x60',
  [`ledger_stopped_orgs{${worker}}`]: '0x60',
  [`ledger_unprovable_seconds{${worker}}`]: '0.4x60',
  [`ledger_witness_contradicts{${worker},witness="partner"}`]: '0x60',
  [`ledger_witness_lag_seconds{${worker},witness="partner"}`]: '2x60',
  [`ledger_time_stamp_failing{${worker}}`]: '0x60',
  // A dump is being restored into another database of the cluster.
  [`journal_oldest_gap_seconds{${worker}}`]: '0+10x30 0x29',
  [`ledger_check_problems{${worker}}`]: '0x60',
  // Found long ago.
  [`journal_entries_found_late_total{${worker}}`]: '2x60',
};

export const ALERT_CASES: readonly AlertCase[] = [
  {
    alert: 'WaymarkApiErrors',
    summary: '4.762% of API requests fail',
    series: { [requests('count', 'status="503"')]: '0x10 300+300x50' },
    quietAt: '12m',
    firesAt: '25m',
  },
  {
    alert: 'WaymarkApiSlow',
    summary: 'The slowest 1% of API requests take more than 2.356s',
    series: {
      [requests('bucket', 'status="200",le="0.1"')]: '0+5000x60',
      [requests('bucket', 'status="200",le="2.5"')]: '0+6000x60',
    },
    quietAt: '5m',
    firesAt: '20m',
  },
  {
    alert: 'WaymarkApiNotReady',
    summary: 'API server api-1 cannot serve requests',
    series: { [`api_ready{${api}}`]: '1x9 0x50' },
    quietAt: '11m',
    firesAt: '15m',
    labels: { job: 'waymark-api', instance: 'api-1' },
  },
  {
    alert: 'WaymarkTargetDown',
    summary: 'worker-1 of waymark-worker does not answer Prometheus',
    series: { [`up{${worker}}`]: '1x9 0x50' },
    quietAt: '11m',
    firesAt: '15m',
    labels: { job: 'waymark-worker', instance: 'worker-1' },
  },
  {
    alert: 'WaymarkNoWorker',
    summary: 'No worker reports to Prometheus',
    series: { [`journal_processor_lag_entries{${worker},processor="reevaluations"}`]: '0x9 stale _x50' },
    quietAt: '13m',
    firesAt: '20m',
  },
  {
    // Few entries are written, and none gets its place.
    alert: 'WaymarkSequencerLag',
    summary: '3 journal entries have no place in the order yet',
    series: {
      [`journal_sequencer_lag_entries{${worker}}`]: '0x9 3x50',
      [`journal_sequencer_passes_total{${worker}}`]: '0+60x9 540x50',
    },
    quietAt: '16m',
    firesAt: '25m',
  },
  {
    alert: 'WaymarkOldTransaction',
    summary: 'A transaction that has written has been open for at least 20m 0s',
    series: { [`journal_oldest_gap_seconds{${worker}}`]: '0+60x60' },
    quietAt: '12m',
    firesAt: '20m',
  },
  {
    alert: 'WaymarkLedgerDiffers',
    summary: 'Differences between the ledger and the records: 2',
    series: { [`ledger_check_problems{${worker}}`]: '0x9 2x50' },
    quietAt: '9m',
    firesAt: '12m',
  },
  {
    alert: 'WaymarkEntriesFoundLate',
    summary: 'Journal entries found late within a day: 1',
    series: { [`journal_entries_found_late_total{${worker}}`]: '2x9 3x50' },
    quietAt: '9m',
    firesAt: '50m',
  },
  {
    // Few entries are written, and none is published.
    alert: 'WaymarkPublisherLag',
    summary: '3 journal entries wait to be published to JetStream',
    series: { [`journal_publisher_lag_entries{${worker}}`]: '0x5 1x10 2x10 3x35' },
    quietAt: '20m',
    firesAt: '40m',
  },
  {
    alert: 'WaymarkProcessorLag',
    summary: 'Processor reevaluations is 3500 journal entries behind',
    series: { [`journal_processor_lag_entries{${worker},processor="reevaluations"}`]: '0x9 2000+100x50' },
    quietAt: '15m',
    firesAt: '25m',
    labels: { processor: 'reevaluations' },
  },
  {
    alert: 'WaymarkDeadLetters',
    summary: 'Dead letters of reevaluations that wait for an operator: 2',
    series: { [`journal_dead_letters{${worker},processor="reevaluations"}`]: '_x10 2x50' },
    quietAt: '10m',
    firesAt: '15m',
    labels: { processor: 'reevaluations' },
  },
  {
    alert: 'WaymarkDeadLetters',
    summary: 'Dead letters of re-evaluation that wait for an operator: 1',
    series: { [`reevaluation_dead_letters{${worker}}`]: '0x9 1x50' },
    quietAt: '10m',
    firesAt: '15m',
    labels: { processor: 're-evaluation' },
  },
  {
    alert: 'WaymarkReevaluationsLate',
    summary: 'A re-evaluation has been due for 12m 0s',
    series: { [`reevaluation_oldest_due_seconds{${worker}}`]: '0+60x60' },
    quietAt: '5m',
    firesAt: '12m',
  },
  {
    alert: 'WaymarkDeliveriesLate',
    summary: 'A notification has been due for 12m 0s',
    series: { [`delivery_oldest_due_seconds{${worker}}`]: '0+60x60' },
    quietAt: '5m',
    firesAt: '12m',
  },
  {
    alert: 'WaymarkDeliveriesFail',
    summary: '30 notification targets fail and are due for another attempt',
    series: { [`delivery_due_targets{${worker},failing="true"}`]: '4x9 30x50' },
    quietAt: '20m',
    firesAt: '30m',
  },
  {
    alert: 'WaymarkDatabaseQueue',
    summary: 'Requests wait 200ms for a database connection',
    series: { [`queue_wait_seconds_total{${api},queue="database"}`]: '0+1200x60' },
    quietAt: '5m',
    firesAt: '15m',
    labels: { queue: 'database' },
  },
  {
    alert: 'WaymarkWorkRefused',
    summary: 'Queue database turns work away, with 503',
    series: { [`queue_refused_total{${api},queue="database"}`]: '0+60x60' },
    quietAt: '5m',
    firesAt: '15m',
    labels: { queue: 'database' },
  },
  {
    alert: 'WaymarkBodiesRefused',
    summary: 'An API server has no memory left for request bodies',
    series: { [`bodies_refused_total{${api},reason="full"}`]: '0+6x60' },
    quietAt: '5m',
    firesAt: '15m',
  },
  {
    alert: 'WaymarkEventStreamsRefused',
    summary: 'Event streams are refused by the limit for each org',
    series: { [`event_streams_refused_total{${api},limit="org"}`]: '0+6x60' },
    quietAt: '10m',
    firesAt: '20m',
    labels: { limit: 'org' },
  },
  {
    alert: 'WaymarkStorageQuota',
    summary: 'Orgs that have used up their storage quota: 1',
    series: { [`storage_quota_orgs{${worker},percent="100"}`]: '0x9 1x50' },
    quietAt: '12m',
    firesAt: '20m',
  },
  {
    alert: 'WaymarkErasurePending',
    summary: 'The file of an erased attestation has not been removed for four hours',
    series: { [`erasure_pending_seconds{${worker}}`]: '0x9 15000x50' },
    quietAt: '15m',
    firesAt: '22m',
  },
  {
    alert: 'WaymarkStrayEntries',
    summary: '5 journal entries are outside of every range',
    series: { [`journal_stray_entries{${worker}}`]: '0x9 5x50' },
    quietAt: '8m',
    firesAt: '12m',
  },
  {
    alert: 'WaymarkLedgerSigningStopped',
    summary: 'The ledger would not extend an earlier checkpoint, and is not signed',
    series: { [`ledger_signing_stopped{${worker}}`]: '0x9 1x50' },
    quietAt: '8m',
    firesAt: '12m',
  },
  {
    alert: 'WaymarkLedgerOrgStopped',
    summary: 'Orgs with missing entries in the ledger: 1',
    series: { [`ledger_stopped_orgs{${worker}}`]: '0x9 1x50' },
    quietAt: '8m',
    firesAt: '12m',
  },
  {
    alert: 'WaymarkLedgerLate',
    summary: 'A journal entry has had no signed checkpoint for 2m 0s',
    series: { [`ledger_unprovable_seconds{${worker}}`]: '0x9 120x50' },
    quietAt: '12m',
    firesAt: '20m',
  },
  {
    alert: 'WaymarkWitnessContradicts',
    labels: { witness: 'partner' },
    summary: 'Witness partner has cosigned what is not in the ledger',
    series: { [`ledger_witness_contradicts{${worker},witness="partner"}`]: '0x9 1x50' },
    quietAt: '8m',
    firesAt: '12m',
  },
  {
    alert: 'WaymarkWitnessLate',
    labels: { witness: 'partner' },
    summary: 'Witness partner has not cosigned for 15m 0s',
    series: { [`ledger_witness_lag_seconds{${worker},witness="partner"}`]: '0x9 900x50' },
    quietAt: '15m',
    firesAt: '25m',
  },
  {
    alert: 'WaymarkTimeStampFailures',
    summary: 'Requests for time stamps fail',
    series: { [`ledger_time_stamp_failing{${worker}}`]: '0x9 1x50' },
    quietAt: '45m',
    firesAt: '55m',
  },
];
