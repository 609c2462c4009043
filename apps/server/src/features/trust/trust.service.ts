import { hash } from 'node:crypto';
import { TRUST_MAX } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { invalid, invalidField, notFound } from '../../platform/errors.ts';
import { emit } from '../../platform/journal/journal.ts';
import { identityFault } from './identity-form.ts';
import { readPublicKey } from './public-key.ts';
import { trustIdentityAdded, trustIdentityRemoved, trustKeyAdded, trustKeyRemoved } from './trust.entries.ts';
import * as store from './trust.store.ts';
import { trustedRootFault } from './trusted-root.ts';

export interface NewTrustedKey {
  readonly name: string;
  readonly publicKey: string;
}

export interface NewIdentity {
  readonly name: string;
  readonly issuer: string;
  readonly subject: string;
  readonly trustedRoot: unknown;
}

export async function addKey(ctx: Ctx, { name, publicKey }: NewTrustedKey): Promise<store.TrustedKeyRow> {
  const read = readPublicKey(publicKey);
  if (!read.ok) throw invalidField('public_key', read.reason);
  const { pem, algorithm, sha256 } = read.key;
  return inTransaction(ctx, async (ctx) => {
    await store.lockTrust(ctx.db, ctx.org);
    const trusted = await store.listKeys(ctx.db, ctx.org);
    requireRoom(trusted, name, 'key');
    const same = trusted.find((key) => key.sha256 === sha256);
    if (same) throw invalidField('public_key', `is already trusted, as '${same.name}'`);
    const key = await store.insertKey(ctx.db, {
      ...createdBy(ctx),
      name,
      public_key: pem,
      algorithm,
      sha256,
    });
    await emit(ctx, trustKeyAdded, keySubject(key.id, 1), { name, algorithm, sha256, public_key: pem });
    return key;
  });
}

export function removeKey(ctx: Ctx, id: string): Promise<store.TrustedKeyRow> {
  return inTransaction(ctx, async (ctx) => {
    const key = await store.removeKey(ctx.db, ctx.org, id, ctx.now());
    if (!key) throw notFound('Trusted key', id);
    await emit(ctx, trustKeyRemoved, keySubject(key.id, 2), { name: key.name, sha256: key.sha256 });
    return key;
  });
}

/** The root is stored with the identity: accepted signatures must not change when the installation's root does. */
export async function addIdentity(
  ctx: Ctx,
  wanted: NewIdentity,
  installationRoot: unknown,
): Promise<store.TrustedIdentityRow> {
  const { name, issuer, subject } = wanted;
  const fault = identityFault(wanted);
  if (fault) throw invalidField(fault.field, fault.reason);
  const source = wanted.trustedRoot == null ? 'installation' : 'sent';
  const root = source === 'sent' ? checkedRoot(wanted.trustedRoot) : installationRoot;
  if (root == null) throw invalidField('trusted_root', 'is required: this installation has no default root');
  const content = JSON.stringify(root);
  const sha256 = hash('sha256', content, 'hex');
  return inTransaction(ctx, async (ctx) => {
    await store.lockTrust(ctx.db, ctx.org);
    const trusted = await store.listIdentities(ctx.db, ctx.org);
    requireRoom(trusted, name, 'identity');
    const same = trusted.find(
      (other) => other.issuer === issuer && other.subject === subject && other.root_sha256 === sha256,
    );
    if (same) throw invalidField('subject', `is already trusted, as '${same.name}'`);
    await store.insertRoot(ctx.db, { org_id: ctx.org, sha256, content });
    const identity = await store.insertIdentity(ctx.db, {
      ...createdBy(ctx),
      name,
      issuer,
      subject,
      root_sha256: sha256,
      root_source: source,
    });
    const payload = { name, issuer, subject, trusted_root_sha256: sha256, trusted_root_source: source };
    await emit(ctx, trustIdentityAdded, identitySubject(identity.id, 1), payload);
    return identity;
  });
}

export function removeIdentity(ctx: Ctx, id: string): Promise<store.TrustedIdentityRow> {
  return inTransaction(ctx, async (ctx) => {
    const identity = await store.removeIdentity(ctx.db, ctx.org, id, ctx.now());
    if (!identity) throw notFound('Trusted identity', id);
    const { name, issuer, subject } = identity;
    await emit(ctx, trustIdentityRemoved, identitySubject(identity.id, 2), { name, issuer, subject });
    return identity;
  });
}

function checkedRoot(root: unknown): unknown {
  const fault = trustedRootFault(root);
  if (fault) throw invalidField('trusted_root', fault);
  return root;
}

function requireRoom(trusted: readonly { name: string }[], name: string, noun: string): void {
  if (trusted.some((other) => other.name === name)) {
    throw invalidField('name', `is taken: trusted ${noun} '${name}' already exists`);
  }
  if (trusted.length >= TRUST_MAX) throw invalid(`At most ${TRUST_MAX} can be trusted: remove one first`);
}

function createdBy(ctx: Ctx) {
  return { org_id: ctx.org, id: ctx.newId(), created_at: ctx.now(), created_by: ctx.actor.name };
}

function keySubject(id: string, seq: number) {
  return { kind: 'trusted_key', id, seq };
}

function identitySubject(id: string, seq: number) {
  return { kind: 'trusted_identity', id, seq };
}
