export const PROVIDERS = [
  'github',
  'gitlab',
  'jenkins',
  'circleci',
  'azure',
  'bitbucket',
  'buildkite',
  'harness',
  'teamcity',
  'codebuild',
  'drone',
  'woodpecker',
  'gitea',
  'none',
] as const;
export type ProviderId = (typeof PROVIDERS)[number];

/** A value with its source. `ci` was set by the CI system, `git` was read from the checkout. */
export interface Known<T> {
  readonly value: T;
  readonly source: string;
  readonly trust: 'ci' | 'git';
}

export interface PullRequest {
  readonly number: string;
  readonly url?: string;
  readonly baseBranch?: string;
}

export interface Repository {
  readonly id?: Known<string>;
  /** Owner and name, with a slash. */
  readonly name?: Known<string>;
  readonly url?: Known<string>;
  readonly provider?: Known<string>;
}

/** How to get a token of the job. Names of variables only, never their values. */
export type OidcOffer =
  | { readonly kind: 'ready'; readonly variable: string }
  | { readonly kind: 'github'; readonly urlVariable: string; readonly tokenVariable: string }
  | {
      readonly kind: 'azure';
      readonly urlVariable: string;
      readonly tokenVariable: string;
      readonly connectionVariable?: string;
    }
  | { readonly kind: 'buildkite' };

export interface CiContext {
  readonly provider: ProviderId;
  readonly providerName: string;
  /** 40 lower-case hexadecimal digits. On a pull request its head, never the merge with the target. */
  readonly commit?: Known<string>;
  /** On a pull request, the proposed branch. */
  readonly branch?: Known<string>;
  readonly tag?: Known<string>;
  readonly defaultBranch?: Known<string>;
  readonly pullRequest?: Known<PullRequest>;
  readonly repository?: Repository;
  readonly buildUrl?: Known<string>;
  readonly buildNumber?: Known<string>;
  readonly attempt?: Known<string>;
  readonly actor?: Known<string>;
  readonly commitUrl?: Known<string>;
  readonly oidc?: OidcOffer;
  /** Whether the checkout has uncommitted changes. Checked on a laptop only. */
  readonly dirty?: boolean;
  /** Shown whenever something is recorded: the commit may not be the intended one. Also part of the notes. */
  readonly doubt?: string;
  /** What was left out or decided, and why. Holds names of variables, never their values. */
  readonly notes: readonly string[];
}

/** The facts of one CI system, before the common ones are added. */
export interface Facts {
  commit?: Known<string> | undefined;
  branch?: Known<string> | undefined;
  tag?: Known<string> | undefined;
  defaultBranch?: Known<string> | undefined;
  pullRequest?:
    | {
        /** Absent for a pull request without a known number. */
        number?: Known<string> | undefined;
        url?: Known<string> | undefined;
        baseBranch?: Known<string> | undefined;
      }
    | undefined;
  repository?: {
    id?: Known<string> | undefined;
    name?: Known<string> | undefined;
    /** As the system has it: `ssh` and credentials are handled later. */
    remote?: Known<string> | undefined;
    provider?: Known<string> | undefined;
  };
  buildUrl?: Known<string> | undefined;
  buildNumber?: Known<string> | undefined;
  attempt?: Known<string> | undefined;
  actor?: Known<string> | undefined;
  oidc?: OidcOffer | undefined;
  dirty?: boolean | undefined;
  doubt?: string | undefined;
}
