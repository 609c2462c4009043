import type {
  ChangeControlMode,
  ChangeRequest,
  EnvironmentType,
  FindingLevel,
  KeyScope,
  Role,
} from '@waymark/contract';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** PostgreSQL's 64-bit transaction id. The driver gives it as text; it is compared in SQL. */
export type Xid = string;

/** Set when the row is written, never changed. */
type Fixed<T> = ColumnType<T, T, never>;

interface OrgTable {
  id: Fixed<string>;
  name: Fixed<string>;
  kind: 'personal' | 'shared';
  created_at: Fixed<Date>;
  experimental_features_enabled: Generated<boolean>;
  findings_fail_at: Generated<FindingLevel | null>;
  suspension_delay_hours: Generated<number>;
  change_control: Generated<ChangeControlMode>;
  revision: Generated<number>;
  sso_enforced_at: Generated<Date | null>;
  creating_user_id: ColumnType<string | null, string | null | undefined, never>;
  last_modified_at: Generated<Date | null>;
  storage_quota_bytes: Generated<number | null>;
  storage_quota_rows: Generated<number | null>;
  storage_warned_percent: Generated<number>;
}

interface OrgStorageTable {
  org_id: Fixed<string>;
  file_bytes: Generated<number>;
  content_bytes: Generated<number>;
  row_count: Generated<number>;
}

interface EvidenceFileTable {
  org_id: Fixed<string>;
  sha256: Fixed<string>;
  size: Fixed<number>;
  stored_at: Fixed<Date>;
}

interface CountedSnapshotTable {
  org_id: Fixed<string>;
  environment_id: Fixed<string>;
  index: number;
}

interface UserAccountTable {
  id: Fixed<string>;
  login: string;
  display_name: string | null;
  email: string | null;
  created_at: Fixed<Date>;
  personal_org_id: Fixed<string>;
  default_org_id: Generated<string | null>;
  revision: Generated<number>;
}

interface ApiKeyTable {
  id: Fixed<string>;
  hash: Fixed<Buffer>;
  user_id: Fixed<string | null>;
  org_id: Fixed<string | null>;
  service_account_id: Fixed<string | null>;
  description: string;
  created_at: Fixed<Date>;
  expires_at: Date | null;
  revoked_at: Generated<Date | null>;
  purpose: ColumnType<'api' | 'scim', 'api' | 'scim' | undefined, never>;
  only_org_id: ColumnType<string | null, string | null | undefined, never>;
  workload: ColumnType<string | null, string | null | undefined, never>;
  workload_identity_id: ColumnType<string | null, string | null | undefined, never>;
  last_used_at: Generated<Date | null>;
  created_by: ColumnType<string, string | undefined, never>;
  revision: Generated<number>;
  replaced_by: Generated<string | null>;
  made_by: Generated<string | null>;
  suspended_at: Generated<Date | null>;
  scope: ColumnType<KeyScope | null, string | null | undefined, never>;
}

interface DepartureTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  user_id: Fixed<string>;
  previous_role: Fixed<Role>;
  scim_key_id: Fixed<string | null>;
  departed_at: Fixed<Date>;
  suspend_at: Date;
  settled_at: Date | null;
}

interface ChangeRequestTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  operation: Fixed<string>;
  /** Empty once it is decided. */
  input: ColumnType<string, string, ''>;
  input_sha256: Fixed<string>;
  subject_kind: Fixed<ChangeRequest['subject']['kind']>;
  subject_name: Fixed<string>;
  before_state: Fixed<string | null>;
  after_state: Fixed<string | null>;
  least_role: Fixed<Role>;
  asked_by: Fixed<string>;
  actor_kind: Fixed<'user' | 'service_account'>;
  actor_id: Fixed<string>;
  actor_name: Fixed<string>;
  credential_id: Fixed<string>;
  workload: Fixed<string | null>;
  asked_at: Fixed<Date>;
  expires_at: Fixed<Date>;
  state: ChangeRequest['state'];
  ended_at: Generated<Date | null>;
  ended_by: Generated<string | null>;
  ended_by_id: Generated<string | null>;
  reason: Generated<string | null>;
}

interface MembershipTable {
  org_id: Fixed<string>;
  user_id: Fixed<string>;
  role: Role;
  created_at: Fixed<Date>;
  revision: Generated<number>;
  removed_at: Generated<Date | null>;
}

interface ServiceAccountTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  name: Fixed<string>;
  privilege: Role;
  description: Generated<string>;
  created_by: Fixed<string>;
  created_at: Fixed<Date>;
  display_name: Generated<string | null>;
  creating_user_id: ColumnType<string | null, string | null | undefined, never>;
  made_by: ColumnType<string | null, string | null | undefined, never>;
  revision: Generated<number>;
  archived_at: Generated<Date | null>;
}

interface MembershipEventTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  user_id: Fixed<string>;
  login: Fixed<string>;
  user_name: Fixed<string>;
  changed_by: Fixed<string>;
  event_type: Fixed<'added' | 'changed' | 'removed'>;
  role: Fixed<Role | ''>;
  previous_role: Fixed<Role | ''>;
  source: Fixed<'app' | 'scim' | 'invitation' | 'script'>;
  created_at: Fixed<Date>;
  revision: Fixed<number>;
  names: GeneratedAlways<string>;
}

interface MembershipEventNameTable {
  org_id: Fixed<string>;
  name: Fixed<string>;
}

interface InvitationTable {
  id: Fixed<string>;
  org_id: Fixed<string>;
  email: Fixed<string>;
  role: Fixed<Role>;
  invited_by: Fixed<string>;
  inviter_id: Fixed<string>;
  created_at: Fixed<Date>;
  expires_at: Fixed<Date>;
  code_hashes: Generated<Buffer[]>;
  wrong_codes: Generated<number>;
  accepted_at: Generated<Date | null>;
  accepted_by: Generated<string | null>;
  revoked_at: Generated<Date | null>;
}

interface SessionTable {
  id: Fixed<string>;
  hash: Fixed<Buffer>;
  user_id: Fixed<string>;
  only_org_id: Fixed<string | null>;
  method: Fixed<'link' | 'sso' | 'set_up'>;
  address: Fixed<string>;
  user_agent: Fixed<string>;
  created_at: Fixed<Date>;
  last_seen_at: Date;
  revoked_at: Generated<Date | null>;
}

interface MailTable {
  id: Fixed<string>;
  kind: Fixed<string>;
  subject_id: Fixed<string>;
  org_id: Fixed<string | null>;
  due_at: Date;
  attempts: Generated<number>;
  created_at: Fixed<Date>;
  sent_at: Generated<Date | null>;
  failed_at: Generated<Date | null>;
}

interface SignInLinkTable {
  id: Fixed<string>;
  email: Fixed<string>;
  browser_hash: Fixed<Buffer>;
  next: Fixed<string>;
  hashes: Generated<Buffer[]>;
  created_at: Fixed<Date>;
  expires_at: Fixed<Date>;
  used_at: Generated<Date | null>;
}

interface SetUpLinkTable {
  one: Generated<boolean>;
  hash: Buffer;
  expires_at: Date;
}

interface SsoSettingTable {
  org_id: Fixed<string>;
  setting_id: string;
  issuer: string;
  client_id: string;
  sealed_secret: string | null;
  email_domains: string[];
  default_role: 'reader' | 'snapshotter' | 'member';
  configured_at: Date;
  configured_by: string;
  tested_at: Generated<Date | null>;
  tested_by: Generated<string | null>;
  revision: Generated<number>;
  removed_at: Generated<Date | null>;
}

interface SsoIdentityTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  issuer: Fixed<string>;
  subject: Fixed<string>;
  user_id: Fixed<string>;
  email: Fixed<string>;
  name: Fixed<string | null>;
  created_at: Fixed<Date>;
}

interface SignInAttemptTable {
  state_hash: Fixed<Buffer>;
  browser_hash: Fixed<Buffer>;
  org_id: Fixed<string>;
  setting_id: Fixed<string>;
  purpose: Fixed<'sign-in' | 'test'>;
  session_id: Fixed<string | null>;
  next: Fixed<string | null>;
  expires_at: Fixed<Date>;
}

interface ScimSetupTable {
  org_id: Fixed<string>;
  service_account_id: string | null;
  key_id: string | null;
  enabled_at: Date | null;
  default_role: Role | null;
  revision: number;
}

interface ScimUserTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  user_id: Fixed<string>;
  user_name: string;
  external_id: string | null;
  active: boolean;
  display_name: string | null;
  /** JSON. The driver gives it parsed. */
  name: ColumnType<unknown, string, string>;
  emails: ColumnType<unknown, string, string>;
  addresses: string[];
  role_given: Generated<boolean>;
  revision: Generated<number>;
  created_at: Fixed<Date>;
  last_modified_at: Date;
}

interface ScimGroupTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  display_name: string;
  external_id: string | null;
  role: Generated<Role | null>;
  revision: Generated<number>;
  created_at: Fixed<Date>;
  last_modified_at: Date;
}

interface ScimGroupMemberTable {
  org_id: Fixed<string>;
  group_id: Fixed<string>;
  user_id: Fixed<string>;
}

interface JournalTable {
  org_id: Fixed<string>;
  xid: Generated<Xid>;
  seq: Generated<number>;
  id: Fixed<string>;
  recorded_at: Fixed<Date>;
  type: Fixed<string>;
  version: Fixed<number>;
  actor_kind: Fixed<'user' | 'service_account' | 'system'>;
  actor_id: Fixed<string | null>;
  actor_name: Fixed<string>;
  subject_kind: Fixed<string>;
  subject_id: Fixed<string>;
  subject_seq: Fixed<number>;
  payload: string | null;
  nonce: Buffer | null;
  payload_digest: Fixed<Buffer>;
  lane: ColumnType<number, never, never>;
}

interface RelayCursorTable {
  lane: Fixed<number>;
  xid: Xid;
  seq: number;
}

interface ProcessorPositionTable {
  processor: Fixed<string>;
  lane: Fixed<number>;
  xid: Generated<Xid>;
  seq: Generated<number>;
  holder: Generated<string | null>;
}

interface WorkerTable {
  id: Fixed<string>;
  alive_until: Date;
}

interface ServerTable {
  id: Fixed<string>;
  alive_until: Date;
}

interface DeadLetterTable {
  org_id: Fixed<string>;
  processor: Fixed<string>;
  xid: Fixed<Xid>;
  seq: Fixed<number>;
  recorded_at: Fixed<Date>;
  type: Fixed<string>;
  error: string;
  failed_at: Date;
  replayed_at: Generated<Date | null>;
}

interface FlowTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  name: string;
  description: string;
  visibility: 'private' | 'public';
  template: string | null;
  template_names: string[] | null;
  repo_url: string;
  revision: number;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
  last_modified_at: Date;
  latest_activity_at: Date;
  auto_created: Generated<boolean>;
  last_deployment_at: Generated<Date | null>;
  archived_at: Generated<Date | null>;
}

interface FlowAliasTable {
  org_id: Fixed<string>;
  name: Fixed<string>;
  flow_id: string;
}

interface TagTable {
  org_id: Fixed<string>;
  subject_kind: Fixed<string>;
  subject_id: Fixed<string>;
  key: Fixed<string>;
  value: string;
}

interface FeedEventTable {
  org_id: Fixed<string>;
  position: Fixed<number>;
  entry_id: Fixed<string>;
  type: Fixed<string>;
  subject_kind: Fixed<string>;
  subject_id: Fixed<string>;
  actor_name: Fixed<string>;
  recorded_at: Fixed<Date>;
}

interface FeedHeadTable {
  org_id: Fixed<string>;
  position: number;
}

interface IdempotentReplyTable {
  org_id: Fixed<string>;
  actor_id: Fixed<string>;
  key: Fixed<string>;
  operation: Fixed<string>;
  input_digest: Fixed<Buffer>;
  status: Fixed<number>;
  body: Fixed<string>;
  headers: Fixed<string>;
  created_at: Fixed<Date>;
}

interface FlowTemplateTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  content: Fixed<string | null>;
  names: Fixed<string[] | null>;
}

interface RepositoryTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  identity: Fixed<string>;
  name: string;
  url: string;
  provider: string | null;
  external_id: string;
  description: string;
  namespace_path: string[];
  additional_info: string;
  revision: Generated<number>;
  created_at: Fixed<Date>;
  last_modified_at: Date;
}

interface TrailTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  flow_id: Fixed<string>;
  receipt: Generated<number>;
  name: Fixed<string>;
  description: string;
  user_data: string | null;
  git_commit_info: string | null;
  commit_sha: string | null;
  branch: string | null;
  repository_id: string | null;
  external_urls: string | null;
  origin_url: string | null;
  template_id: string;
  auto_created: Fixed<boolean>;
  revision: number;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
  last_modified_at: Date;
}

interface TrailEventTable {
  org_id: Fixed<string>;
  trail_id: Fixed<string>;
  receipt: Generated<number>;
  type: Fixed<'trail_reported' | 'trail_updated'>;
  changes: Fixed<string[]>;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
}

interface TrailCommitTable {
  org_id: Fixed<string>;
  commit_sha: Fixed<string>;
  trail_receipt: Fixed<number>;
  trail_id: Fixed<string>;
}

interface ArtifactTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  receipt: Generated<number>;
  flow_id: Fixed<string>;
  trail_id: Fixed<string>;
  fingerprint: Fixed<string>;
  filename: Fixed<string>;
  template_name: Fixed<string | null>;
  commit_sha: Fixed<string | null>;
  branch: Fixed<string | null>;
  build_url: Fixed<string>;
  commit_url: Fixed<string>;
  repo_url: Fixed<string>;
  repository_id: Fixed<string | null>;
  content: Fixed<string>;
  created_at: Fixed<Date>;
  claimed_at: Fixed<Date | null>;
  created_by: Fixed<string>;
}

interface ImageIndexTable {
  org_id: Fixed<string>;
  fingerprint: Fixed<string>;
  receipt: number;
}

interface ImagePlatformTable {
  org_id: Fixed<string>;
  index_fingerprint: Fixed<string>;
  platform_fingerprint: Fixed<string>;
  platform: string;
  receipt: number;
  is_listed: boolean;
}

interface AttestationTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  receipt: Generated<number>;
  flow_id: Fixed<string>;
  trail_id: Fixed<string>;
  name: Fixed<string>;
  type: Fixed<string>;
  counts_as: Fixed<string>;
  is_compliant: Fixed<boolean>;
  fingerprint: Fixed<string | null>;
  target_artifact: Fixed<string | null>;
  commit_sha: Fixed<string | null>;
  branch: Fixed<string | null>;
  overrides_id: Fixed<string | null>;
  type_version: Fixed<number | null>;
  control: Fixed<string | null>;
  trust: Fixed<'claimed' | 'api_key' | 'workload_identity' | 'signature'>;
  content: Fixed<string>;
  verdict: Fixed<string>;
  attachment_sha256: Fixed<string | null>;
  attachment_name: Fixed<string | null>;
  attachment_size: Fixed<number | null>;
  repository_id: Fixed<string | null>;
  created_at: Fixed<Date>;
  claimed_at: Fixed<Date | null>;
  created_by: Fixed<string>;
  workload: Fixed<string | null>;
}

interface ApprovalTable {
  org_id: Fixed<string>;
  flow_id: Fixed<string>;
  number: Fixed<number>;
  id: Fixed<string>;
  receipt: Generated<number>;
  trail_id: Fixed<string>;
  fingerprint: Fixed<string>;
  filename: Fixed<string>;
  state: Fixed<'APPROVED' | 'UNAPPROVED' | 'PENDING'>;
  reviewer: Fixed<string>;
  description: Fixed<string>;
  environment: Fixed<string | null>;
  content: Fixed<string>;
  created_at: Fixed<Date>;
  claimed_at: Fixed<Date | null>;
  created_by: Fixed<string>;
}

interface EvidenceReceiptTable {
  org_id: Fixed<string>;
  evidence_id: Fixed<string>;
  subject_id: Fixed<string>;
  request_digest: Fixed<Buffer>;
  answer: Fixed<string>;
  created_at: Fixed<Date>;
}

interface TrustedKeyTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  name: Fixed<string>;
  public_key: Fixed<string>;
  algorithm: Fixed<'ed25519' | 'ecdsa-p256' | 'ecdsa-p384' | 'rsa'>;
  sha256: Fixed<string>;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
  removed_at: Generated<Date | null>;
}

interface TrustedRootTable {
  org_id: Fixed<string>;
  sha256: Fixed<string>;
  content: Fixed<string>;
}

interface TrustedIdentityTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  name: Fixed<string>;
  issuer: Fixed<string>;
  subject: Fixed<string>;
  root_sha256: Fixed<string>;
  root_source: Fixed<'sent' | 'installation'>;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
  removed_at: Generated<Date | null>;
}

interface ComponentTable {
  org_id: Fixed<string>;
  attestation_id: Fixed<string>;
  position: Fixed<number>;
  name: Fixed<string>;
  version: Fixed<string>;
  purl: Fixed<string | null>;
}

interface CustomAttestationTypeTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  name: Fixed<string>;
  description: string;
  revision: number;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
  last_modified_at: Date;
  archived_at: Generated<Date | null>;
}

interface CustomAttestationTypeVersionTable {
  org_id: Fixed<string>;
  type_id: Fixed<string>;
  version: Fixed<number>;
  schema: Fixed<string | null>;
  rules: ColumnType<string[] | null, readonly string[] | null, never>;
  /** Written as JSON text. */
  summary: ColumnType<{ name: string; expression: string }[] | null, string | null, never>;
  comment: Fixed<string | null>;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
}

interface EnvironmentTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  name: string;
  type: Fixed<EnvironmentType>;
  description: string;
  include_scaling: boolean;
  require_provenance: boolean;
  expected_report_interval_s: number | null;
  revision: number;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
  last_modified_at: Date;
  archived_at: Generated<Date | null>;
  snapshot_count: Generated<number>;
  last_changed_at: Generated<Date | null>;
  run_count: Generated<number>;
  content_digest: Generated<Buffer | null>;
  compliance: Generated<'compliant' | 'non-compliant' | 'unknown'>;
}

interface EnvironmentAliasTable {
  org_id: Fixed<string>;
  name: Fixed<string>;
  environment_id: string;
}

interface EnvironmentMemberTable {
  org_id: Fixed<string>;
  logical_id: Fixed<string>;
  physical_id: Fixed<string>;
  position: Generated<number>;
}

interface EnvironmentHeartbeatTable {
  org_id: Fixed<string>;
  environment_id: Fixed<string>;
  last_reported_at: Date;
  intervals: number[];
  silent_since: Generated<Date | null>;
  known_bytes: Buffer | null;
  known_by: string | null;
  known_content: Buffer | null;
}

interface EnvironmentReevaluationTable {
  org_id: Fixed<string>;
  environment_id: Fixed<string>;
  fingerprint: Fixed<string>;
  cause: Fixed<Exclude<SnapshotTrigger, 'report'>>;
  requested_at: Date;
  tries: Generated<number>;
  error: Generated<string | null>;
  given_up_at: Generated<Date | null>;
}

/** Why a snapshot was made. */
/** The verdict on one running artifact. */
export type RunCompliance = 'compliant' | 'non-compliant' | 'unknown' | 'waived';

export type SnapshotTrigger = 'report' | 'provenance' | 'evidence' | 'policy' | 'allow-list' | 'context';

interface SnapshotTable {
  org_id: Fixed<string>;
  environment_id: Fixed<string>;
  index: Fixed<number>;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
  trigger: Fixed<SnapshotTrigger>;
  compliance: Fixed<'compliant' | 'non-compliant' | 'unknown'>;
  artifact_count: Fixed<number>;
  compliant_count: Fixed<number>;
  non_compliant_count: Fixed<number>;
  started_count: Fixed<number>;
  event_total: Fixed<number>;
  policy_set_id: Fixed<string | null>;
  kept_rows: ColumnType<number, number | undefined, never>;
  kept_bytes: ColumnType<number, number | undefined, never>;
}

/** From one snapshot until another: `until_index` is the first in which it does not hold any more. */
interface IntervalColumns {
  org_id: Fixed<string>;
  environment_id: Fixed<string>;
  no: Fixed<number>;
  from_index: Fixed<number>;
  until_index: number | null;
  node: GeneratedAlways<number | null>;
}

interface RunningTable extends IntervalColumns {
  fingerprint: Fixed<string>;
  name: Fixed<string>;
  lineage: string;
  started_with: Fixed<number>;
  deployments: Fixed<number[]>;
}

interface RunningInstancesTable extends IntervalColumns {
  count: number;
  detail: string;
}

interface RunningVerdictTable extends IntervalColumns {
  cause: Fixed<'started' | 'verdict' | 'provenance' | 'restated'>;
  compliance: Fixed<'compliant' | 'non-compliant' | 'unknown' | 'waived'>;
  artifact_ids: Fixed<string[]>;
  replaced_no: Fixed<number | null>;
  evidence_id: Fixed<string | null>;
  decision_ids: Fixed<string[]>;
  allow_listing_id: Fixed<string | null>;
}

interface PolicyTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  name: Fixed<string>;
  description: string;
  version: number;
  revision: number;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
  last_modified_at: Date;
  archived_at: Date | null;
}

interface PolicyVersionTable {
  org_id: Fixed<string>;
  policy_id: Fixed<string>;
  version: Fixed<number>;
  policy_yaml: Fixed<string>;
  comment: Fixed<string>;
  controls: Fixed<string[]>;
  reads: Fixed<string[]>;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
}

interface PolicyEventTable {
  org_id: Fixed<string>;
  policy_id: Fixed<string>;
  no: Fixed<number>;
  type: Fixed<string>;
  data: Fixed<string>;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
}

interface EnvironmentPolicyTable {
  org_id: Fixed<string>;
  environment_id: Fixed<string>;
  policy_id: Fixed<string>;
  attached_at: Fixed<Date>;
  attached_by: Fixed<string>;
}

interface WaiverTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  environment_id: Fixed<string>;
  fingerprint: Fixed<string>;
  artifact_name: Fixed<string>;
  description: Fixed<string>;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
  expires_at: Fixed<Date | null>;
  ended_at: Date | null;
  ended_by: string | null;
  end_reason: 'withdrawn' | 'replaced' | 'expired' | null;
}

interface EvidenceStateTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  content: Fixed<string>;
  told: Fixed<string>;
}

interface DecisionTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  policy_id: Fixed<string>;
  policy_version: Fixed<number>;
  evidence_id: Fixed<string>;
  context: Fixed<string>;
  engine: Fixed<string>;
  status: Fixed<'COMPLIANT' | 'NON-COMPLIANT'>;
  shown: Fixed<string>;
  reasons: Fixed<string>;
  created_at: Fixed<Date>;
}

interface PolicySetTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  content: Fixed<string>;
}

interface ControlTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  identifier: Fixed<string>;
  name: string;
  description: string;
  links: string;
  version: number;
  revision: number;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
  archived_at: Generated<Date | null>;
}

interface ControlVersionTable {
  org_id: Fixed<string>;
  control_id: Fixed<string>;
  version: Fixed<number>;
  kind: Fixed<'Created' | 'Edited' | 'Archived' | 'Unarchived'>;
  name: Fixed<string>;
  description: Fixed<string>;
  links: Fixed<string>;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
}

interface WorkloadIdentityTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  name: Fixed<string>;
  service_account_id: Fixed<string>;
  issuer: Fixed<string>;
  claims: ColumnType<Record<string, string>, string, never>;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
  removed_at: Generated<Date | null>;
  made_by: Generated<string | null>;
  suspended_at: Generated<Date | null>;
  revision: Generated<number>;
  scope: ColumnType<KeyScope | null, string | null, never>;
}

interface UsedTokenTable {
  issuer: Fixed<string>;
  jti: Fixed<string>;
  expires_at: Fixed<Date>;
}

interface NotificationTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  number: Fixed<number>;
  kind: Fixed<'env' | 'flow'>;
  name: string;
  triggers: string[];
  revision: Generated<number>;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
  last_modified_at: Date;
  deleted_at: Generated<Date | null>;
}

interface NotificationScopeTable {
  org_id: Fixed<string>;
  notification_id: Fixed<string>;
  scope_id: Fixed<string>;
  position: number;
}

interface NotificationConfigTable {
  org_id: Fixed<string>;
  type: Fixed<'api_key_expiry'>;
  revision: Generated<number>;
  configured_at: Date | null;
  configured_by: string | null;
}

interface NotificationTargetTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  source_id: Fixed<string>;
  config_type: Fixed<'api_key_expiry' | null>;
  kind: Fixed<'CHAT' | 'WEBHOOK' | 'EMAIL'>;
  position: number;
  url_sealed: string | null;
  url_sha256: Buffer | null;
  url_host: string | null;
  payload_version: Fixed<string | null>;
  context: ColumnType<Record<string, string> | null, string | null, string | null>;
  emails: Generated<string[]>;
  derived: ColumnType<boolean, boolean | undefined, never>;
  secret_sealed: string | null;
  old_secret_sealed: Generated<string | null>;
  old_secret_until: Generated<Date | null>;
  revision: Generated<number>;
  created_at: Fixed<Date>;
  removed_at: Generated<Date | null>;
}

interface TargetStateTable {
  org_id: Fixed<string>;
  target_id: Fixed<string>;
  due_at: Generated<Date | null>;
  held_by: Generated<string | null>;
  held_until: Generated<Date | null>;
  sending_delivery: Generated<string | null>;
  sending_request: Generated<string | null>;
  sending_at: Generated<Date | null>;
  last_success_at: Generated<Date | null>;
  last_failure_at: Generated<Date | null>;
  last_error: Generated<string | null>;
  last_latency_ms: Generated<number | null>;
  failures: Generated<number>;
  failing_since: Generated<Date | null>;
  troubled: ColumnType<boolean, never, never>;
  paused_until: Generated<Date | null>;
  disabled_at: Generated<Date | null>;
  disabled_because: Generated<string | null>;
}

interface MessageSequenceTable {
  org_id: Fixed<string>;
  source_id: Fixed<string>;
  scope_id: Fixed<string>;
  last: number;
}

interface MessageTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  source_id: Fixed<string>;
  config_type: Fixed<'api_key_expiry' | null>;
  scope_id: Fixed<string>;
  trigger: Fixed<string>;
  sequence: number | null;
  count: number;
  content: ColumnType<unknown, string, string>;
  created_at: Fixed<Date>;
  open_until: Date | null;
  open_rank: Generated<number>;
  numbered_at: Generated<Date | null>;
}

interface MessageEntryTable {
  org_id: Fixed<string>;
  entry_id: Fixed<string>;
  trigger: Fixed<string>;
  sources: string[];
  created_at: Fixed<Date>;
}

interface DeliveryTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  place: GeneratedAlways<number>;
  target_id: Fixed<string>;
  message_id: Fixed<string>;
  address: Fixed<string | null>;
  state: 'waiting' | 'delivered' | 'failed' | 'dropped';
  tries: Generated<number>;
  attempts: Generated<number>;
  redeliveries: Generated<number>;
  due_at: Date;
  created_at: Fixed<Date>;
  ended_at: Generated<Date | null>;
  dropped_because: Generated<'unconfirmed' | 'duplicate' | 'address_limit' | 'org_limit' | null>;
}

interface DeliveryAttemptTable {
  org_id: Fixed<string>;
  delivery_id: Fixed<string>;
  no: Fixed<number>;
  at: Fixed<Date>;
  request_id: Fixed<string>;
  outcome: Fixed<'delivered' | 'failed'>;
  status: Fixed<number | null>;
  latency_ms: Fixed<number>;
  error: Fixed<string | null>;
}

interface WebhookKeyTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  public_key: Fixed<Buffer>;
  private_sealed: Fixed<string>;
  created_at: Fixed<Date>;
}

interface MailRefusalTable {
  org_id: Fixed<string>;
  target_id: Fixed<string>;
  address: Fixed<string>;
  refused_at: Fixed<Date>;
}

interface MailAddressTable {
  org_id: string;
  address: string;
  id: string;
  asked_at: Date;
  confirmed_at: Generated<Date | null>;
  declined_at: Generated<Date | null>;
  hashes: Generated<Buffer[]>;
  revision: Generated<number>;
}

interface ConfirmationCountTable {
  address: string;
  day: string;
  sent: number;
}

interface MailedEventTable {
  org_id: string;
  address: string;
  event: Buffer;
  delivery_id: string;
  mailed_at: Date;
}

interface MailCountTable {
  org_id: string;
  day: string;
  address: string;
  sent: number;
}

interface OrgMailRefusalTable {
  org_id: Fixed<string>;
  address: Fixed<string>;
  refused_at: Fixed<Date>;
}

interface ApiKeyNoticeTable {
  org_id: Fixed<string>;
  key_id: Fixed<string>;
  step: Fixed<number>;
  message_id: Fixed<string | null>;
  noticed_at: Fixed<Date>;
}

export interface Tables {
  image_index: ImageIndexTable;
  image_platform: ImagePlatformTable;
  control: ControlTable;
  control_version: ControlVersionTable;
  environment: EnvironmentTable;
  environment_alias: EnvironmentAliasTable;
  environment_member: EnvironmentMemberTable;
  environment_heartbeat: EnvironmentHeartbeatTable;
  environment_reevaluation: EnvironmentReevaluationTable;
  snapshot: SnapshotTable;
  running: RunningTable;
  running_instances: RunningInstancesTable;
  running_verdict: RunningVerdictTable;
  policy: PolicyTable;
  policy_version: PolicyVersionTable;
  policy_event: PolicyEventTable;
  environment_policy: EnvironmentPolicyTable;
  allow_listing: WaiverTable;
  evidence_state: EvidenceStateTable;
  decision: DecisionTable;
  policy_set: PolicySetTable;
  org: OrgTable;
  org_storage: OrgStorageTable;
  evidence_file: EvidenceFileTable;
  counted_snapshot: CountedSnapshotTable;
  user_account: UserAccountTable;
  api_key: ApiKeyTable;
  membership: MembershipTable;
  departure: DepartureTable;
  change_request: ChangeRequestTable;
  service_account: ServiceAccountTable;
  membership_event: MembershipEventTable;
  membership_event_name: MembershipEventNameTable;
  invitation: InvitationTable;
  session: SessionTable;
  mail: MailTable;
  sso_setting: SsoSettingTable;
  sso_identity: SsoIdentityTable;
  sign_in_attempt: SignInAttemptTable;
  sign_in_link: SignInLinkTable;
  set_up_link: SetUpLinkTable;
  scim_setup: ScimSetupTable;
  scim_user: ScimUserTable;
  scim_group: ScimGroupTable;
  scim_group_member: ScimGroupMemberTable;
  journal: JournalTable;
  relay_cursor: RelayCursorTable;
  processor_position: ProcessorPositionTable;
  worker: WorkerTable;
  server: ServerTable;
  dead_letter: DeadLetterTable;
  flow: FlowTable;
  flow_alias: FlowAliasTable;
  tag: TagTable;
  feed_event: FeedEventTable;
  feed_head: FeedHeadTable;
  idempotent_reply: IdempotentReplyTable;
  custom_attestation_type: CustomAttestationTypeTable;
  custom_attestation_type_version: CustomAttestationTypeVersionTable;
  flow_template: FlowTemplateTable;
  repository: RepositoryTable;
  trail: TrailTable;
  trail_event: TrailEventTable;
  trail_commit: TrailCommitTable;
  artifact: ArtifactTable;
  attestation: AttestationTable;
  approval: ApprovalTable;
  evidence_receipt: EvidenceReceiptTable;
  component: ComponentTable;
  trusted_key: TrustedKeyTable;
  trusted_root: TrustedRootTable;
  trusted_identity: TrustedIdentityTable;
  workload_identity: WorkloadIdentityTable;
  used_token: UsedTokenTable;
  notification: NotificationTable;
  notification_scope: NotificationScopeTable;
  notification_config: NotificationConfigTable;
  notification_target: NotificationTargetTable;
  target_state: TargetStateTable;
  message_sequence: MessageSequenceTable;
  message: MessageTable;
  message_entry: MessageEntryTable;
  delivery: DeliveryTable;
  delivery_attempt: DeliveryAttemptTable;
  webhook_key: WebhookKeyTable;
  mail_refusal: MailRefusalTable;
  org_mail_refusal: OrgMailRefusalTable;
  mail_address: MailAddressTable;
  confirmation_count: ConfirmationCountTable;
  mailed_event: MailedEventTable;
  mail_count: MailCountTable;
  api_key_notice: ApiKeyNoticeTable;
}
