-- API servers that share the rate limits. A server that dies is not counted any more when its lease has ended.
create table server (
  id uuid primary key,
  alive_until timestamptz not null
);
