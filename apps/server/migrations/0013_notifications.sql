-- Which triggers of which environments or flows are sent to targets. Numbers are never given twice; deleting keeps the
-- row, because deliveries name it.
create table notification (
  org_id uuid not null,
  id uuid not null,
  number integer not null,
  kind text not null check (kind in ('env', 'flow')),
  name text not null,
  triggers text[] not null,
  -- Counts the journal entries about this notification.
  revision bigint not null default 1,
  created_at timestamptz not null,
  created_by text not null,
  last_modified_at timestamptz not null,
  deleted_at timestamptz,
  primary key (org_id, id),
  constraint notification_number unique (org_id, number)
);
create unique index notification_name on notification (org_id, kind, name) where deleted_at is null;

-- The environments or flows that a notification is about, in the order in which they were given.
create table notification_scope (
  org_id uuid not null,
  notification_id uuid not null,
  scope_id uuid not null,
  position integer not null,
  primary key (org_id, notification_id, scope_id),
  foreign key (org_id, notification_id) references notification (org_id, id)
);
create index notification_scope_id on notification_scope (org_id, scope_id);

-- That an org said itself who is told of something that the service raises. The row stays when that is taken back.
create table notification_config (
  org_id uuid not null,
  type text not null check (type in ('api_key_expiry')),
  revision bigint not null default 1,
  configured_at timestamptz,
  configured_by text,
  primary key (org_id, type)
);

-- Where messages go. `source_id` is the notification, or the org for a configuration. The URL is a secret: it is sealed,
-- and its digest tells whether one is the same as another.
create table notification_target (
  org_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  config_type text check (config_type in ('api_key_expiry')),
  kind text not null check (kind in ('CHAT', 'WEBHOOK', 'EMAIL')),
  position integer not null,
  url_sealed text,
  url_sha256 bytea,
  url_host text,
  payload_version text,
  context jsonb,
  emails text[] not null default '{}',
  -- Of a configuration that is not set: each message has recipients of its own.
  derived boolean not null default false,
  secret_sealed text,
  old_secret_sealed text,
  old_secret_until timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null,
  removed_at timestamptz,
  primary key (org_id, id),
  check ((kind = 'EMAIL') = (url_sealed is null)),
  check ((kind = 'WEBHOOK') = (secret_sealed is not null))
);
create index notification_target_source on notification_target (org_id, source_id, position) where removed_at is null;
create unique index notification_target_derived on notification_target (org_id, config_type)
  where derived and removed_at is null;

-- How deliveries to a target go, and its place in the queue: apart from the target, as it is written with every attempt.
create table target_state (
  org_id uuid not null,
  target_id uuid not null,
  -- When something is to be sent to it next; null when nothing waits.
  due_at timestamptz,
  -- The worker that sends to it now, and until when it is thought to be alive.
  held_by uuid,
  held_until timestamptz,
  -- What that worker is sending. Left behind by one that was killed, and written down by who takes over.
  sending_delivery uuid,
  sending_request uuid,
  sending_at timestamptz,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_error text,
  last_latency_ms integer,
  -- Attempts that failed because of the receiver, and may do better later, since the last that did not fail; and when the
  -- first of them was.
  failures integer not null default 0,
  failing_since timestamptz,
  -- It may take long, so that only some places of a worker are for such ones.
  troubled boolean not null generated always as (failures > 0 or coalesce(last_latency_ms, 0) > 2000) stored,
  -- Nothing is sent to it before.
  paused_until timestamptz,
  disabled_at timestamptz,
  disabled_because text,
  primary key (org_id, target_id),
  foreign key (org_id, target_id) references notification_target (org_id, id)
) with (fillfactor = 70);

-- Which orgs have something to send is found by going from one to the next, however much each of them has.
create index target_state_due on target_state (troubled, org_id, due_at) where due_at is not null;

-- Numbers the messages of a notification about one environment or flow without a gap. Whoever numbers locks the row.
create table message_sequence (
  org_id uuid not null,
  source_id uuid not null,
  scope_id uuid not null,
  last bigint not null,
  primary key (org_id, source_id, scope_id)
);

-- What is told. While it is open it has no number yet, and further events of its kind join it.
create table message (
  org_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  config_type text,
  -- The environment or flow; the org for what concerns it as a whole.
  scope_id uuid not null,
  trigger text not null,
  sequence bigint,
  -- How many events it tells of.
  count integer not null,
  content jsonb not null,
  created_at timestamptz not null,
  open_until timestamptz,
  -- Of those that are open about the same: the one that was joined last has the highest.
  open_rank integer not null default 0,
  numbered_at timestamptz,
  primary key (org_id, id)
);
create unique index message_numbered on message (org_id, source_id, scope_id, sequence) where sequence is not null;
create index message_paced on message (org_id, source_id, scope_id, trigger, numbered_at);
create unique index message_joined on message (org_id, source_id, scope_id, trigger) where open_until is not null;
create index message_open on message (open_until, id) where open_until is not null;
create index message_age on message (created_at);

-- Which entries of the journal were told of already, so that reading them again tells nobody twice. Who was told is a list
-- in one row: a row for each of 300 notifications took thirty times as long to write, and ten times the room (2026-11-15).
create table message_entry (
  org_id uuid not null,
  entry_id uuid not null,
  trigger text not null,
  sources uuid[] not null,
  created_at timestamptz not null,
  primary key (org_id, entry_id, trigger)
);
create index message_entry_age on message_entry (created_at);

-- A message on its way to a target; to each address of an EMAIL target by itself. `place` is the order of a target.
create table delivery (
  org_id uuid not null,
  id uuid not null,
  place bigint generated always as identity,
  target_id uuid not null,
  message_id uuid not null,
  address text,
  state text not null check (state in ('waiting', 'delivered', 'failed', 'dropped')),
  -- Why it was dropped, unless its target ended or the recipient unsubscribed.
  dropped_because text check (dropped_because in ('unconfirmed', 'duplicate', 'address_limit', 'org_limit')),
  -- Attempts since it was put into the queue; a redelivery begins anew.
  tries integer not null default 0,
  -- All attempts ever made.
  attempts integer not null default 0,
  -- How often somebody had it sent again; counts the journal entries about it.
  redeliveries integer not null default 0,
  due_at timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, target_id) references notification_target (org_id, id),
  foreign key (org_id, message_id) references message (org_id, id)
);
create index delivery_waiting on delivery (org_id, target_id, place) where state = 'waiting';
create index delivery_newest on delivery (org_id, created_at, place);
create index delivery_of_target on delivery (org_id, target_id, created_at, place);
-- Those that were not delivered are few, and are what people look for.
create index delivery_of_state on delivery (org_id, state, created_at, place) where state <> 'delivered';
create index delivery_of_message on delivery (org_id, message_id);

create table delivery_attempt (
  org_id uuid not null,
  delivery_id uuid not null,
  no integer not null,
  at timestamptz not null,
  request_id uuid not null,
  outcome text not null check (outcome in ('delivered', 'failed')),
  -- Of the answer, if there was one.
  status integer,
  latency_ms integer not null,
  error text,
  primary key (org_id, delivery_id, no),
  foreign key (org_id, delivery_id) references delivery (org_id, id)
);

-- With which the messages of an org are signed besides the secret of their target. The public part is for everybody.
create table webhook_key (
  org_id uuid not null,
  id uuid not null,
  public_key bytea not null,
  private_sealed text not null,
  created_at timestamptz not null,
  primary key (org_id, id)
);
create unique index webhook_key_org on webhook_key (org_id);

-- An address that is not a member's, and what its owner said when the org wanted to send mail there. In lower case.
-- Each mail that asked has a token of its own, of which only the SHA-256 is stored.
create table mail_address (
  org_id uuid not null,
  address text not null,
  id uuid not null,
  asked_at timestamptz not null,
  confirmed_at timestamptz,
  declined_at timestamptz,
  hashes bytea[] not null default '{}',
  -- Counts the journal entries about this address.
  revision bigint not null default 0,
  primary key (org_id, address),
  constraint mail_address_id unique (org_id, id)
);
create index mail_address_asked on mail_address (org_id, asked_at);
create index mail_address_hashes on mail_address using gin (hashes);

-- How many mails asked an address for its confirmation on a day, over all orgs.
create table confirmation_count (
  address text not null,
  day date not null,
  sent integer not null,
  primary key (address, day)
);
create index confirmation_count_day on confirmation_count (day);

-- Which delivery tells an address of an event. Other notifications of the org that name the address do not repeat it.
create table mailed_event (
  org_id uuid not null,
  address text not null,
  event bytea not null,
  delivery_id uuid not null,
  mailed_at timestamptz not null,
  primary key (org_id, address, event)
);
create index mailed_event_age on mailed_event (mailed_at);

-- Mails of an org on a day (UTC): to one address, and to all where the address is empty.
create table mail_count (
  org_id uuid not null,
  day date not null,
  address text not null,
  sent integer not null,
  primary key (org_id, day, address)
);
create index mail_count_day on mail_count (day);

-- Addresses whose owners asked not to be written to any more.
create table mail_refusal (
  org_id uuid not null,
  target_id uuid not null,
  address text not null,
  refused_at timestamptz not null,
  primary key (org_id, target_id, address),
  foreign key (org_id, target_id) references notification_target (org_id, id)
);

-- Addresses, in lower case, whose owners asked the same of a whole org. For its targets there are rows in mail_refusal, too.
create table org_mail_refusal (
  org_id uuid not null,
  address text not null,
  refused_at timestamptz not null,
  primary key (org_id, address)
);

-- Which steps on the way to its expiry a key was told of. Without a message: the step was over before anybody could be told.
create table api_key_notice (
  org_id uuid not null,
  key_id uuid not null,
  step integer not null,
  message_id uuid,
  noticed_at timestamptz not null,
  primary key (org_id, key_id, step)
);
