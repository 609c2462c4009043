-- The keys and identities whose signatures an org accepts. Removing one leaves its row: verdicts name it.
create table trusted_key (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  -- PEM, SubjectPublicKeyInfo.
  public_key text not null,
  algorithm text not null,
  -- Digest of the DER form.
  sha256 text not null,
  created_at timestamptz not null,
  created_by text not null,
  removed_at timestamptz,
  primary key (org_id, id)
);

create unique index trusted_key_name on trusted_key (org_id, name) where removed_at is null;
create unique index trusted_key_content on trusted_key (org_id, sha256) where removed_at is null;

-- Sigstore roots, each once per org, as of when an identity was added, so that a verdict can be replayed.
create table trusted_root (
  org_id uuid not null,
  sha256 text not null,
  content text not null,
  primary key (org_id, sha256)
);

create table trusted_identity (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  issuer text not null,
  subject text not null,
  root_sha256 text not null,
  root_source text not null check (root_source in ('sent', 'installation')),
  created_at timestamptz not null,
  created_by text not null,
  removed_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, root_sha256) references trusted_root (org_id, sha256)
);

create unique index trusted_identity_name on trusted_identity (org_id, name) where removed_at is null;
