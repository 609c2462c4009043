import type { CoveredTable } from './covered-table.ts';

const ORDER_OF_RECEIPT = 'orders rows that were received; the order of the entries is in the ledger';
const REPEATS_ENTRIES =
  'repeats entries; the events about the policy itself are compared, those about attachments are not';
const LAST_CHANGE = 'is the time of the last entry about a setting; the entries have it';
const REPOSITORY = 'is a link for lists; the repository as it was sent is in the content';
const MADE_BY = 'says whose departure suspends it';
const FROM_EARLIER_RUNS = 'is computed from earlier runs for the page of deployments; the runs are recorded';

/**
 * The tables with records of an org: what pages show as recorded. Times of rows are compared with those of their entries
 * to five minutes, except those of attestations: the exact time is in the entry. `ledger-coverage.test.ts` compares the list with the
 * database, and `tampering.test.ts` changes what is listed as recorded or derived, and expects `ledger check` to name it.
 */
export const COVERED_TABLES: Readonly<Record<string, CoveredTable>> = {
  approval: {
    recorded:
      'flow_id number id trail_id fingerprint state reviewer environment content created_at claimed_at created_by',
    derived: 'description',
    open: {
      receipt: ORDER_OF_RECEIPT,
      filename: 'repeats the name in the report of the artifact, which is recorded',
    },
  },
  artifact: {
    recorded:
      'id receipt flow_id trail_id fingerprint filename template_name commit_sha build_url content created_at claimed_at created_by',
    derived: 'branch commit_url repo_url',
    open: { repository_id: REPOSITORY },
  },
  attestation: {
    recorded:
      'id receipt flow_id trail_id name type type_version is_compliant fingerprint target_artifact commit_sha overrides_id control trust workload recorder content verdict attachment_sha256 attachment_name attachment_size created_at claimed_at created_by',
    derived: 'branch counts_as',
    open: { repository_id: REPOSITORY },
  },
  attestation_reading: {
    derived: 'attestation_id reading_id size',
    open: { stored_bytes: 'counts towards the storage quota' },
  },
  change_request: {
    recorded:
      'id operation input_sha256 subject_kind subject_name actor_id actor_name asked_at state ended_at ended_by ended_by_id reason',
    open: {
      input: 'has the digest that is recorded while it is pending, and is empty afterwards',
      before_state: 'is compared with the subject before an approval takes effect',
      after_state: 'is compared with the subject when an approval takes effect',
      least_role: 'follows from the operation',
      asked_by: 'is the account of the login in the entry',
      actor_kind: 'is in the entry as that of the actor',
      credential_id: 'is the key with which the change is carried out',
      workload: 'is what was verified about the job that asked; the change that follows records it',
      expires_at: 'is recorded in whole seconds',
    },
  },
  control: { recorded: 'id identifier name description links version revision created_at created_by archived_at' },
  control_version: { recorded: 'control_id version kind name description links created_at created_by' },
  custom_attestation_type: {
    recorded: 'id name description revision created_at created_by last_modified_at archived_at',
  },
  custom_attestation_type_version: {
    recorded: 'type_id version schema rules summary comment created_at created_by',
  },
  decision: {
    derived: 'id policy_id policy_version evidence_id context engine status shown reasons',
    open: { created_at: 'is when the decision was made first; the snapshots that name it have their own times' },
    rowsAreOpen: 'one that no verdict names has no effect',
  },
  environment: {
    recorded:
      'id name type description include_scaling require_provenance expected_report_interval_s created_at created_by archived_at',
    derived: 'compliance snapshot_count run_count',
    open: {
      last_changed_at: 'is the time of the latest snapshot, which is recorded',
      content_digest: 'tells whether the next report changes anything',
      revision: 'numbers the next entry',
      last_modified_at: LAST_CHANGE,
    },
  },
  environment_alias: {
    recorded: 'name environment_id',
    rowsAreOpen: 'another environment that takes the name removes the row',
  },
  environment_member: {
    recorded: 'logical_id physical_id',
    open: { position: 'orders the list; recorded where members are reordered' },
  },
  environment_policy: { recorded: 'environment_id policy_id attached_at attached_by' },
  evidence_receipt: {
    recorded: 'evidence_id subject_id created_at',
    open: {
      request_digest: 'recognizes a repeat of the report',
      answer: 'is the reply to a repeat of the report',
    },
  },
  evidence_state: {
    derived: 'id content',
    open: { statuses_by_flow: 'follows from the content; it is how snapshots show the flows of an artifact' },
    rowsAreOpen: 'one that no verdict names has no effect',
  },
  flow: {
    recorded:
      'id name description visibility template template_names repo_url auto_created revision created_at created_by last_modified_at archived_at',
    open: {
      latest_activity_at: 'orders lists; computed from the entries',
      last_deployment_at: 'orders lists; computed from the entries',
    },
  },
  flow_alias: { recorded: 'name flow_id', rowsAreOpen: 'another flow that takes the name removes the row' },
  flow_template: {
    derived: 'id content names',
    rowsAreOpen: 'a trail names its template, and is judged by none if it is missing',
  },
  invitation: {
    recorded: 'id email role created_at expires_at accepted_at accepted_by revoked_at',
    open: {
      invited_by: 'is the display name of the actor, who is in the entry',
      inviter_id: 'is the actor in the entry',
      code_hashes: 'are of the codes in emails',
      wrong_codes: 'limits guesses',
    },
  },
  journal: {
    recorded:
      'id recorded_at type version actor_kind actor_id actor_name subject_kind subject_id subject_seq payload nonce payload_digest',
    derived: 'seq actor_digest',
    open: { is_imported: 'says that processors must not react to it' },
  },
  ledger: {
    derived: 'index lane position entry_seq entry_id leaf_hash subject_id',
    open: { sequenced_at: 'is a time of the server; the entry has the one that is recorded' },
  },
  ledger_head: { derived: 'size' },
  legal_hold: {
    recorded: 'id name reason subject_kind subject_id fingerprint placed_at placed_by lifted_at lifted_by lift_reason',
  },
  membership: { recorded: 'user_id role revision created_at removed_at' },
  membership_event: {
    recorded: 'user_id revision login event_type role previous_role source created_at',
    derived: 'names',
    open: {
      id: 'is random',
      user_name: 'is a display name, which people change; the login is recorded',
      changed_by: 'is the display name of the actor, who is in the entry',
    },
  },
  notification: { recorded: 'id number kind name triggers revision created_at created_by last_modified_at deleted_at' },
  org: {
    recorded:
      'id name kind experimental_features_enabled findings_fail_at refuse_unverified members_visible waiver_max_days reason_min_length change_control suspension_delay_hours storage_quota_bytes storage_quota_rows revision created_at',
    open: {
      creating_user_id: 'counts the orgs of a person',
      sso_enforced_at: 'is recorded as an entry about single sign-on',
      storage_warned_percent: 'remembers which warning was sent',
      last_modified_at: LAST_CHANGE,
    },
  },
  org_log: {
    derived: 'size position roots root log_id',
    open: {
      announced_epoch: 'is where the sealer continues',
      announced_size: 'is where the sealer continues',
      stopped_because: 'says why the sealer does not continue',
    },
  },
  org_log_tile: { derived: 'level index hashes' },
  policy: { recorded: 'id name description version revision created_at created_by last_modified_at archived_at' },
  policy_event: {
    open: Object.fromEntries(
      ['policy_id', 'no', 'type', 'data', 'created_at', 'created_by'].map((column) => [column, REPEATS_ENTRIES]),
    ),
    rowsAreOpen: REPEATS_ENTRIES,
  },
  policy_set: { derived: 'id content', rowsAreOpen: 'one that no snapshot names has no effect' },
  policy_version: {
    recorded: 'policy_id version policy_yaml comment created_at created_by',
    derived: 'controls reads',
  },
  reading: { derived: 'id content', rowsAreOpen: 'one that no verdict names has no effect' },
  report_only_policy: { recorded: 'environment_id policy_id attached_at attached_by' },
  retention_setting: { recorded: 'record_type version minimum_years set_at set_by replaced_at' },
  running: {
    recorded: 'environment_id no fingerprint name from_index until_index started_with',
    derived: 'node',
    open: { lineage: FROM_EARLIER_RUNS, deployments: FROM_EARLIER_RUNS },
  },
  running_instances: {
    derived: 'node',
    open: {
      environment_id: 'is that of the run',
      no: 'is that of the run',
      from_index: 'is that of a change of instances, whose number is recorded',
      until_index: 'is that of a change of instances, whose number is recorded',
      count: 'is recorded where it changes',
      detail: 'is what the cluster reported about the instances, such as start times',
    },
    rowsAreOpen: 'the number of instances is recorded where it changes',
  },
  running_verdict: {
    recorded:
      'environment_id no from_index cause compliance artifact_ids replaced_no evidence_id decision_ids waiver_id',
    derived: 'node',
    open: { until_index: 'is where the next verdict on the run begins, or the run ends' },
  },
  service_account: {
    recorded: 'id name display_name description privilege creating_user_id revision created_at created_by archived_at',
    open: { made_by: MADE_BY },
  },
  snapshot: {
    recorded:
      'environment_id index trigger compliance policy_set_id artifact_count compliant_count non_compliant_count started_count event_total created_by',
    open: {
      stored_rows: 'counts towards the storage quota',
      stored_bytes: 'counts towards the storage quota',
      created_at: 'is compared to the second: it is never before that of the snapshot before',
    },
  },
  sso_identity: {
    recorded: 'id issuer subject user_id email created_at',
    open: { name: 'is what the identity provider called the person' },
  },
  sso_setting: {
    recorded: 'issuer client_id email_domains default_role configured_at configured_by revision removed_at',
    open: {
      setting_id: 'is random',
      sealed_secret: 'is a secret',
      tested_at: 'says that the setting works',
      tested_by: 'says that the setting works',
    },
  },
  tag: { recorded: 'subject_kind subject_id key value' },
  trail: {
    recorded:
      'id flow_id name description user_data git_commit_info commit_sha branch external_urls origin_url template_id auto_created revision created_at created_by last_modified_at',
    open: { receipt: ORDER_OF_RECEIPT, repository_id: REPOSITORY },
  },
  trail_event: { recorded: 'trail_id type changes created_at created_by', open: { receipt: ORDER_OF_RECEIPT } },
  trusted_identity: {
    recorded: 'id name issuer subject root_sha256 root_source flow_ids is_pattern created_at created_by removed_at',
  },
  trusted_key: { recorded: 'id name public_key algorithm sha256 flow_ids created_at created_by removed_at' },
  trusted_root: { derived: 'sha256 content', rowsAreOpen: 'a trusted identity refers to its root' },
  waiver: {
    recorded:
      'id environment_id fingerprint artifact_name description created_at created_by expires_at ended_at ended_by end_reason',
  },
  workload_identity: {
    recorded: 'id name issuer claims revision created_at created_by suspended_at removed_at',
    open: {
      service_account_id: 'is the account of the name in the entry, which exists once',
      scope: 'is in the entry in another form',
      made_by: MADE_BY,
    },
  },
};
