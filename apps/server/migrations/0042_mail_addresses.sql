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

-- Why a delivery was dropped, where that is not the end of its target or a wish of the receiver.
alter table delivery add column dropped_because text
  check (dropped_because in ('unconfirmed', 'duplicate', 'address_limit', 'org_limit'));
