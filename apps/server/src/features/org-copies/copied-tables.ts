/** What is different about a table when an org is copied. Without any of it, all rows of the org are copied as they are. */
interface CopiedTable {
  /** The column that names the org, unless it is `org_id`. */
  readonly orgColumn?: string;
  /** The rows that are copied, if not all are. */
  readonly where?: string;
  /** Rows are inserted in this order: the target numbers them. */
  readonly order?: string;
  /** Columns that start with another value, as SQL. */
  readonly instead?: Readonly<Record<string, string>>;
  /** Columns that get their default: numbers that mean nothing outside of their database. */
  readonly redrawn?: readonly string[];
}

/**
 * The tables whose rows are copied. Numbers drawn from `receipt` are copied as they are, because entries of the journal
 * contain them; the sequence of the target is raised above them.
 */
export const COPIED_TABLES = {
  org: { orgColumn: 'id' },
  api_key: { where: 'org_id is not null' },
  api_key_notice: {},
  approval: {},
  artifact: {},
  attestation: {},
  attestation_reading: {},
  change_request: {},
  component: {},
  control: {},
  control_version: {},
  counted_snapshot: {},
  custom_attestation_type: {},
  custom_attestation_type_version: {},
  decision: {},
  // What waits to be sent stays where it is, and is sent from there.
  delivery: { where: `state <> 'waiting'`, order: 'place' },
  delivery_attempt: {
    where: `exists (select from delivery where delivery.org_id = delivery_attempt.org_id
      and delivery.id = delivery_attempt.delivery_id and delivery.state <> 'waiting')`,
  },
  departure: {},
  environment: {},
  environment_alias: {},
  environment_heartbeat: {},
  environment_member: {},
  environment_policy: {},
  environment_reevaluation: { redrawn: ['request'] },
  erasure: {},
  // What refers to it may come later.
  evidence_file: { instead: { claimed_at: 'now()' } },
  evidence_receipt: {},
  evidence_state: {},
  first_seen: {},
  flow: {},
  flow_alias: {},
  flow_template: {},
  idempotent_reply: {},
  image_index: {},
  image_platform: {},
  // Codes that are under way in emails lead to the source.
  invitation: { instead: { code_hashes: `'{}'::bytea[]` } },
  legal_hold: {},
  mail_address: { instead: { hashes: `'{}'::bytea[]` } },
  mail_count: {},
  mail_refusal: {},
  mailed_event: {},
  membership: {},
  membership_event: {},
  membership_event_name: {},
  // An open message has no number yet: the source numbers and sends it.
  message: { where: 'open_until is null' },
  message_entry: {},
  message_sequence: {},
  notification: {},
  notification_config: {},
  notification_scope: {},
  notification_target: {},
  org_mail_refusal: {},
  org_storage: {},
  policy: {},
  policy_event: {},
  policy_set: {},
  policy_version: {},
  reading: {},
  reading_key: {},
  report_only_policy: {},
  repository: {},
  retention_setting: {},
  running: {},
  running_instances: {},
  running_verdict: {},
  sbom: {},
  scim_group: {},
  scim_group_member: {},
  scim_setup: {},
  scim_user: {},
  service_account: {},
  snapshot: {},
  sso_identity: {},
  sso_setting: {},
  tag: {},
  target_state: {
    instead: {
      due_at: 'null::timestamptz',
      held_by: 'null::uuid',
      held_until: 'null::timestamptz',
      sending_delivery: 'null::uuid',
      sending_request: 'null::uuid',
      sending_at: 'null::timestamptz',
    },
  },
  trail: {},
  trail_commit: {},
  trail_event: {},
  trusted_identity: {},
  trusted_key: {},
  trusted_root: {},
  verdict_turn: {},
  waiver: {},
  webhook_key: {},
  workload_identity: {},
} as const satisfies Readonly<Record<string, CopiedTable>>;

/** The tables with rows of an org that are not copied row by row, each with the reason. */
export const NOT_COPIED_TABLES = {
  journal: 'its entries get new numbers in the order of their index',
  dead_letter: 'names its entry by number, so it is written with the new one',
  ledger: 'the sequencer of the target gives the entries the same indexes',
  ledger_head: 'the sequencer of the target counts the entries',
  org_log: 'the sealer of the target builds the same tree, in a log of its own',
  org_log_tile: 'the sealer of the target builds the same tree',
  org_log_checkpoint: 'is signed by the target',
  ledger_check: 'says how far the ledger in the source was compared',
  file_sweep: 'says how far the files in the evidence store of the source were compared',
  org_import: 'says which entries came with the org, and gets the new numbers',
  mail: 'an email that waits is sent by the source',
  sign_in_attempt: 'lasts minutes, and returns to the source',
} as const;

export type CopiedName = keyof typeof COPIED_TABLES;

export function ruleOf(name: string): CopiedTable {
  return COPIED_TABLES[name as CopiedName];
}
