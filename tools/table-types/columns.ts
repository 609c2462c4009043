/** Types of the contract that columns hold. */
export const CONTRACT_TYPES = ['ChangeRequest', 'EnvironmentType', 'KeyScope', 'Role'];

/** What a column holds, where neither its type nor a check says it. A `ColumnType` is taken as it is. */
export const NARROWED: Readonly<Record<string, string>> = {
  'api_key.scope': 'KeyScope',
  // Empty once the request is decided.
  'change_request.input': "ColumnType<string, string, ''>",
  'change_request.least_role': 'Role',
  'change_request.subject_kind': "ChangeRequest['subject']['kind']",
  'custom_attestation_type_version.summary': '{ name: string; expression: string }[]',
  'departure.previous_role': 'Role',
  'environment.type': 'EnvironmentType',
  'membership_event.previous_role': "Role | ''",
  'membership_event.role': "Role | ''",
  'message.config_type': "'api_key_expiry'",
  'notification_target.context': 'Record<string, string>',
  'trusted_key.algorithm': "'ed25519' | 'ecdsa-p256' | 'ecdsa-p384' | 'rsa'",
  'workload_identity.claims': 'Record<string, string>',
  'workload_identity.scope': 'KeyScope',
};

/** Checks whose values the code speaks of by a name. */
export const NAMED: Readonly<Record<string, string>> = {
  RunCompliance: 'running_verdict.compliance',
  SnapshotTrigger: 'snapshot.trigger',
};

/** The columns that are changed after their row was written. All others are fixed. */
export const UPDATED: Readonly<Record<string, string>> = {
  api_key: 'description expires_at revoked_at last_used_at revision replaced_by made_by suspended_at',
  change_request: 'state ended_at ended_by ended_by_id reason',
  confirmation_count: 'sent',
  control: 'name description links version revision archived_at',
  counted_snapshot: 'index',
  custom_attestation_type: 'description revision last_modified_at archived_at',
  dead_letter: 'error failed_at replayed_at',
  delivery: 'state tries attempts redeliveries due_at ended_at dropped_because',
  departure: 'suspend_at settled_at',
  environment:
    'name description include_scaling require_provenance expected_report_interval_s revision last_modified_at archived_at snapshot_count last_changed_at run_count content_digest compliance',
  environment_alias: 'environment_id',
  environment_heartbeat: 'last_reported_at intervals silent_since known_bytes known_by known_content',
  environment_member: 'position',
  environment_reevaluation: 'requested_at request tries error given_up_at',
  event_cursor: 'position',
  flow: 'name description visibility template template_names repo_url revision last_modified_at latest_activity_at auto_created last_deployment_at archived_at',
  flow_alias: 'flow_id',
  image_index: 'receipt',
  image_platform: 'platform receipt is_listed',
  invitation: 'code_hashes wrong_codes accepted_at accepted_by revoked_at',
  journal: 'payload nonce actor_digest',
  lane_head: 'position',
  ledger_head: 'size',
  mail: 'due_at attempts sent_at failed_at',
  mail_address: 'asked_at confirmed_at declined_at hashes revision',
  mail_count: 'sent',
  membership: 'role revision removed_at',
  message: 'sequence count content open_until open_rank numbered_at',
  message_entry: 'sources',
  message_sequence: 'last',
  notification: 'name triggers revision last_modified_at deleted_at',
  notification_config: 'revision configured_at configured_by',
  notification_scope: 'position',
  notification_target:
    'position url_sealed url_sha256 url_host context emails secret_sealed old_secret_sealed old_secret_until revision removed_at',
  org: 'kind experimental_features_enabled findings_fail_at suspension_delay_hours change_control revision sso_enforced_at last_modified_at storage_quota_bytes storage_quota_rows storage_warned_percent',
  org_storage: 'file_bytes content_bytes row_count',
  policy: 'description version revision last_modified_at archived_at',
  processor_position: 'position holder',
  repository: 'name url provider external_id description namespace_path additional_info revision last_modified_at',
  running: 'until_index lineage',
  running_instances: 'until_index count detail',
  running_verdict: 'until_index',
  scheduled_task: 'due_at holder leased_until ended_at failures last_error',
  scim_group: 'display_name external_id role revision last_modified_at',
  scim_setup: 'service_account_id key_id enabled_at default_role revision',
  scim_user: 'user_name external_id active display_name name emails addresses role_given revision last_modified_at',
  server: 'alive_until',
  service_account: 'privilege description display_name revision archived_at',
  sequencer: 'pass high_water compared_to sequenced found_late system_identifier timeline life',
  session: 'last_seen_at revoked_at',
  set_up_link: 'one hash expires_at',
  sign_in_link: 'hashes used_at',
  sso_setting:
    'setting_id issuer client_id sealed_secret email_domains default_role configured_at configured_by tested_at tested_by revision removed_at',
  tag: 'value',
  target_state:
    'due_at held_by held_until sending_delivery sending_request sending_at last_success_at last_failure_at last_error last_latency_ms failures failing_since paused_until disabled_at disabled_because',
  trail:
    'description user_data git_commit_info commit_sha branch repository_id external_urls origin_url template_id revision last_modified_at',
  trusted_identity: 'removed_at',
  trusted_key: 'removed_at',
  user_account: 'login display_name email default_org_id revision',
  waiver: 'ended_at ended_by end_reason',
  worker: 'alive_until',
  workload_identity: 'removed_at made_by suspended_at revision',
};
