import type { Role } from '@waymark/contract';
import type { ColumnType, Generated } from 'kysely';

/** PostgreSQL's 64-bit transaction id. The driver gives it as text; it is compared in SQL. */
export type Xid = string;

/** Set when the row is written, never changed. */
type Fixed<T> = ColumnType<T, T, never>;

interface OrgTable {
  id: Fixed<string>;
  name: Fixed<string>;
  kind: 'personal' | 'shared';
  created_at: Fixed<Date>;
}

interface UserAccountTable {
  id: Fixed<string>;
  login: string;
  display_name: string | null;
  email: string | null;
  created_at: Fixed<Date>;
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
}

interface MembershipTable {
  org_id: Fixed<string>;
  user_id: Fixed<string>;
  role: Role;
  created_at: Fixed<Date>;
}

interface ServiceAccountTable {
  org_id: Fixed<string>;
  id: Fixed<string>;
  name: Fixed<string>;
  privilege: Role;
  description: Generated<string>;
  created_by: Fixed<string>;
  created_at: Fixed<Date>;
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
  held_until: Generated<Date>;
}

interface WorkerTable {
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
  created_at: Fixed<Date>;
}

export interface Tables {
  org: OrgTable;
  user_account: UserAccountTable;
  api_key: ApiKeyTable;
  membership: MembershipTable;
  service_account: ServiceAccountTable;
  journal: JournalTable;
  relay_cursor: RelayCursorTable;
  processor_position: ProcessorPositionTable;
  worker: WorkerTable;
  dead_letter: DeadLetterTable;
  flow: FlowTable;
  flow_alias: FlowAliasTable;
  tag: TagTable;
  feed_event: FeedEventTable;
  feed_head: FeedHeadTable;
  idempotent_reply: IdempotentReplyTable;
}
