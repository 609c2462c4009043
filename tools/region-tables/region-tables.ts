/** One row for each person, key, session and org of the region, whichever cell holds the org's data. */
const REGION = ['user_account', 'api_key', 'session', 'org'];

/** Paths in the server: the features that own these tables, and the read that begins every request. */
export const DOOR = [
  'features/users/',
  'features/orgs/',
  'features/api-keys/',
  'features/sign-in/',
  'platform/http/find-caller.ts',
];

interface Outside {
  readonly reason: string;
  readonly files: readonly string[];
}

/** What still names tables of the region elsewhere. The list may only shrink: new code asks a feature of the door. */
export const OUTSIDE_THE_DOOR: readonly Outside[] = [
  {
    reason: 'sorts and pages the members of an org by login, which a second read could not do without reading them all',
    files: ['features/memberships/membership.reads.ts'],
  },
  {
    reason:
      'finds keys of all orgs that expire soon, and reads for each whether a notice was sent, in the order of the index',
    files: ['features/notifications/plan/key-expiry.store.ts'],
  },
  {
    reason:
      'compares what every org stores with its quota, which is a column of the org, and reads only those that moved',
    files: ['features/org-settings/storage-quotas/storage-quota.store.ts'],
  },
  {
    reason: 'checks the ledger of each org, also of one that has no entry or log',
    files: ['features/ledger-checks/ledger-check.service.ts'],
  },
];

const TABLE = `(${REGION.join('|')})`;
const BUILT = new RegExp(
  `(?:selectFrom|[jJ]oin|updateTable|insertInto|deleteFrom|\\.from|\\.using)\\('${TABLE}\\b`,
  'g',
);
const WRITTEN = new RegExp(`\\b(?:from|join|update|into|using)\\s+${TABLE}\\b(?! and\\b)`, 'g');
const COMMENTS = /^\s*(?:import .*|\/\/.*|\/?\*.*)$/gm;

/** Returns the tables of the region that a source file names in SQL. */
export function tablesIn(text: string): string[] {
  const code = text.replace(COMMENTS, '');
  const names = [BUILT, WRITTEN].flatMap((pattern) => Array.from(code.matchAll(pattern), ([, table = '']) => table));
  return [...new Set(names)];
}
