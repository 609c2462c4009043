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

/** A value with where it came from. `ci` was set by the CI system, `git` was asked of the checkout. */
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

/** How a token of the job can be had. Names of variables only, never their values. */
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
  /** On a pull request the branch that is proposed. */
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
  /** Whether the checkout has changes that no commit holds. Asked on a laptop only. */
  readonly dirty?: boolean;
  /** Said whenever something is recorded: the commit may not be the one that is meant. Among the notes as well. */
  readonly doubt?: string;
  /** What was left out or decided, and why. Holds names of variables, never what is in them. */
  readonly notes: readonly string[];
}

/** What one CI system says, before what all have in common is added. */
export interface Facts {
  commit?: Known<string> | undefined;
  branch?: Known<string> | undefined;
  tag?: Known<string> | undefined;
  defaultBranch?: Known<string> | undefined;
  pullRequest?:
    | {
        /** Absent when this is a pull request whose number nothing tells. */
        number?: Known<string> | undefined;
        url?: Known<string> | undefined;
        baseBranch?: Known<string> | undefined;
      }
    | undefined;
  repository?: {
    id?: Known<string> | undefined;
    name?: Known<string> | undefined;
    /** As the system has it: `ssh` and credentials are taken care of later. */
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
