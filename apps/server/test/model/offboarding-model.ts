import { atLeast, type Role } from '@waymark/contract';

export interface ModelAccount {
  readonly name: string;
  privilege: Role;
  /** The person or account that created it. */
  readonly creator: string;
  isDeleted: boolean;
}

/** A credential. */
export interface ModelKey {
  readonly kind: 'personal' | 'sso' | 'account' | 'job';
  readonly id: string;
  readonly text: string;
  /** Its owner: the login of a person, or the name of an account. */
  readonly owner: string;
  readonly account: ModelAccount | null;
  /** Seconds. */
  expiresAt: number | null;
  /** The person responsible for it; null for the operator. */
  maker: string | null;
  isRevoked: boolean;
  isSuspended: boolean;
  replacedBy: ModelKey | null;
}

export interface ModelIdentity {
  readonly id: string;
  readonly ref: string;
  readonly account: ModelAccount;
  maker: string | null;
  isSuspended: boolean;
}

/**
 * The permissions in an org, in the simplest way: whatever grants more than its maker may do is suspended, at once or
 * when the delay of a departure by SCIM has passed, and stays so until an admin restores it.
 */
export class OffboardingModel {
  readonly roles = new Map<string, Role>();
  readonly accounts: ModelAccount[] = [];
  readonly keys: ModelKey[] = [];
  readonly identities: ModelIdentity[] = [];
  /** Seconds for which what a person made outlasts their departure by SCIM. */
  delay = 0;
  /** People whose delay has not passed yet. */
  readonly departed = new Map<string, { dueAt: number; readonly leftAt: number; readonly before: Role }>();

  /** The role of a request with this key; undefined when it is refused. */
  roleOf(key: ModelKey, now: number): Role | undefined {
    if (key.isRevoked || key.isSuspended || (key.expiresAt !== null && key.expiresAt <= now)) return undefined;
    if (key.account) return key.account.isDeleted ? undefined : key.account.privilege;
    return this.roles.get(key.owner);
  }

  setRole(login: string, role: Role | null, now: number, by: 'admin' | 'provider' = 'admin'): void {
    const before = this.roles.get(login);
    if (role === null) this.end(login);
    else this.roles.set(login, role);
    const open = this.departed.get(login);
    if (open && role !== null && atLeast(role, open.before)) this.departed.delete(login);
    if (before === undefined || (role !== null && atLeast(role, before))) return;
    if (by === 'admin' || this.delay === 0) this.suspendExcess(now, ({ maker }) => maker === login);
    else this.depart(login, before, now);
  }

  private end(login: string): void {
    this.roles.delete(login);
    for (const key of this.keys) if (key.kind === 'sso' && key.owner === login) key.isRevoked = true;
  }

  private depart(login: string, before: Role, at: number): void {
    const isLosing = [...this.workingKeys(at), ...this.identities].some(
      (grant) => grant.maker === login && this.isExcess(grant),
    );
    if (isLosing && !this.departed.has(login)) {
      this.departed.set(login, { dueAt: at + this.delay, leftAt: at, before });
    }
  }

  private workingKeys(now: number): ModelKey[] {
    return this.keys.filter((key) => key.account && this.roleOf(key, now) !== undefined);
  }

  setDelay(seconds: number): void {
    this.delay = seconds;
    for (const one of this.departed.values()) one.dueAt = Math.min(one.dueAt, one.leftAt + seconds);
  }

  /** What the worker does. */
  settle(now: number): void {
    for (const [login, { dueAt }] of this.departed) {
      if (dueAt > now) continue;
      this.departed.delete(login);
      this.suspendExcess(now, ({ maker }) => maker === login);
    }
  }

  setPrivilege(account: ModelAccount, privilege: Role, now: number): void {
    const isRaised = !atLeast(account.privilege, privilege);
    account.privilege = privilege;
    if (isRaised) this.suspendExcess(now, (grant) => grant.account === account);
  }

  /** Whether a credential may change members, as far as its role and kind go. */
  mayManage(key: ModelKey, now: number, least: Role): boolean {
    const role = this.roleOf(key, now);
    return role !== undefined && key.kind !== 'job' && atLeast(role, least);
  }

  mayManageAccount(key: ModelKey, account: ModelAccount, now: number): boolean {
    const manages = this.mayManage(key, now, 'admin') || account.creator === key.owner;
    return !account.isDeleted && manages && this.mayManage(key, now, 'member');
  }

  mayGrant(key: ModelKey, account: ModelAccount, now: number): boolean {
    const role = this.roleOf(key, now);
    return this.mayManageAccount(key, account, now) && role !== undefined && atLeast(role, account.privilege);
  }

  /** Only a credential without an expiry grants access without one. */
  mayGrantForever(key: ModelKey, now: number): boolean {
    return this.mayManage(key, now, 'admin') && key.expiresAt === null;
  }

  /** What works although its maker lost the permission, or is gone. */
  excess(now: number): (ModelKey | ModelIdentity)[] {
    return [...this.workingKeys(now), ...this.identities].filter(
      (grant) => this.isExcess(grant) && !this.departed.has(grant.maker ?? ''),
    );
  }

  isAboutToEnd(grant: ModelKey | ModelIdentity): boolean {
    return this.departed.has(grant.maker ?? '') && this.isExcess(grant);
  }

  /** An expired key is left unchanged: it never works again. */
  private suspendExcess(now: number, isMeant: (grant: ModelKey | ModelIdentity) => boolean): void {
    const keys = this.keys.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
    for (const grant of [...keys, ...this.identities]) {
      if (isMeant(grant) && this.isExcess(grant)) grant.isSuspended = true;
    }
  }

  private isExcess({ account, maker, isSuspended }: ModelKey | ModelIdentity): boolean {
    if (!account || maker === null || isSuspended) return false;
    const role = this.roles.get(maker);
    return role === undefined || !atLeast(role, account.privilege);
  }
}
