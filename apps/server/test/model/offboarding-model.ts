import { atLeast, type Role } from '@waymark/contract';

export interface ModelAccount {
  readonly name: string;
  privilege: Role;
  /** The person or account that created it. */
  readonly creator: string;
  isDeleted: boolean;
}

/** Something a request can be made with. */
export interface ModelKey {
  readonly kind: 'personal' | 'sso' | 'account' | 'job';
  readonly id: string;
  readonly text: string;
  /** Whose it is: the login of a person, or the name of an account. */
  readonly owner: string;
  readonly account: ModelAccount | null;
  /** Seconds. */
  expiresAt: number | null;
  /** The person who answers for it; null for the operator. */
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
 * Who may do what in an org, on paper: after every change, whatever grants more than its maker may do is suspended, and
 * stays so until an admin restores it.
 */
export class OffboardingModel {
  readonly roles = new Map<string, Role>();
  readonly accounts: ModelAccount[] = [];
  readonly keys: ModelKey[] = [];
  readonly identities: ModelIdentity[] = [];

  /** The role that a request by this key has; undefined when it is refused. */
  roleOf(key: ModelKey, now: number): Role | undefined {
    if (key.isRevoked || key.isSuspended || (key.expiresAt !== null && key.expiresAt <= now)) return undefined;
    if (key.account) return key.account.isDeleted ? undefined : key.account.privilege;
    return this.roles.get(key.owner);
  }

  setRole(login: string, role: Role | null): void {
    if (role !== null) this.roles.set(login, role);
    else {
      this.roles.delete(login);
      for (const key of this.keys) if (key.kind === 'sso' && key.owner === login) key.isRevoked = true;
    }
    this.suspendExcess();
  }

  setPrivilege(account: ModelAccount, privilege: Role): void {
    account.privilege = privilege;
    this.suspendExcess();
  }

  /** Whether a credential changes who gets in, as far as its role and kind go. */
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

  /** What has no end is granted by what has none. */
  mayGrantForever(key: ModelKey, now: number): boolean {
    return this.mayManage(key, now, 'admin') && key.expiresAt === null;
  }

  /** What works although its maker may do less, or is gone. */
  excess(now: number): (ModelKey | ModelIdentity)[] {
    const working = this.keys.filter((key) => key.account && this.roleOf(key, now) !== undefined);
    return [...working, ...this.identities].filter((grant) => this.isExcess(grant));
  }

  private suspendExcess(): void {
    for (const grant of [...this.keys, ...this.identities]) if (this.isExcess(grant)) grant.isSuspended = true;
  }

  private isExcess({ account, maker, isSuspended }: ModelKey | ModelIdentity): boolean {
    if (!account || maker === null || isSuspended) return false;
    const role = this.roles.get(maker);
    return role === undefined || !atLeast(role, account.privilege);
  }
}
