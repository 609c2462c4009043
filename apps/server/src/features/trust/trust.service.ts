import { hash } from 'node:crypto';
import { TRUST_MAX } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { invalid, invalidField, notFound } from '../../platform/errors.ts';
import { emit } from '../../platform/journal/journal.ts';
import { readFlow } from '../flows/flow.reads.ts';
import { identityFault } from './identity-form.ts';
import { readPublicKey } from './public-key.ts';
import {
  trustIdentityAdded,
  trustIdentityAddedLimited,
  trustIdentityRemoved,
  trustKeyAdded,
  trustKeyAddedForFlows,
  trustKeyRemoved,
} from './trust.entries.ts';
import * as store from './trust.store.ts';
import { trustedRootFault } from './trusted-root.ts';

export interface NewTrustedKey {
  readonly name: string;
  readonly publicKey: string;
  /** Names of the flows to which the trust is limited. */
  readonly flows: readonly string[] | undefined;
}

export interface NewIdentity {
  readonly name: string;
  readonly issuer: string;
  readonly subject: string;
  readonly trustedRoot: unknown;
  readonly isPattern: boolean;
  readonly flows: readonly string[] | undefined;
}

export async function addKey(
  ctx: Ctx,
  { name, publicKey, flows: flowNames }: NewTrustedKey,
): Promise<store.TrustedKeyRow> {
  const read = readPublicKey(publicKey);
  if (!read.ok) throw invalidField('public_key', read.reason);
  const { pem, algorithm, sha256 } = read.key;
  const flows = await flowIdsOf(ctx, flowNames);
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
      flow_ids: flows,
    });
    const payload = { name, algorithm, sha256, public_key: pem };
    if (flows === null) await emit(ctx, trustKeyAdded, keySubject(key.id, 1), payload);
    else await emit(ctx, trustKeyAddedForFlows, keySubject(key.id, 1), { ...payload, flows });
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
  const { name, issuer, subject, isPattern } = wanted;
  const fault = identityFault(wanted);
  if (fault) throw invalidField(fault.field, fault.reason);
  const source = wanted.trustedRoot == null ? 'installation' : 'sent';
  const root = source === 'sent' ? checkedRoot(wanted.trustedRoot) : installationRoot;
  if (root == null) throw invalidField('trusted_root', 'is required: this installation has no default root');
  const content = JSON.stringify(root);
  const sha256 = hash('sha256', content, 'hex');
  const flows = await flowIdsOf(ctx, wanted.flows);
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
      is_pattern: isPattern,
      root_sha256: sha256,
      root_source: source,
      flow_ids: flows,
    });
    const payload = { name, issuer, subject, trusted_root_sha256: sha256, trusted_root_source: source };
    const limited = { ...payload, flows, is_pattern: isPattern };
    if (flows === null && !isPattern) await emit(ctx, trustIdentityAdded, identitySubject(identity.id, 1), payload);
    else await emit(ctx, trustIdentityAddedLimited, identitySubject(identity.id, 1), limited);
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

async function flowIdsOf(ctx: Ctx, names: readonly string[] | undefined): Promise<string[] | null> {
  if (names === undefined) return null;
  const ids = new Set<string>();
  for (const name of names) ids.add((await readFlow(ctx, name)).id);
  return [...ids];
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
