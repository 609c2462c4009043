import type { Provider } from './repository-address.ts';

/** The result of both ways to build a rule. `whyNot` says what is still missing. */
export interface NewRule {
  readonly name: string;
  readonly issuer: string;
  readonly claims: Record<string, string>;
  readonly whyNot: string | undefined;
}

export interface RuleDraft {
  readonly provider: Provider;
  /** `acme/web` */
  readonly path: string;
  /** The number of the repository or project. */
  readonly id: string;
  readonly refKind: 'branch' | 'tag' | 'any';
  /** A branch or tag; may end in `*`. */
  readonly ref: string;
  readonly environment: string;
  /** Of GitLab: only branches and tags that are protected. */
  readonly isProtected: boolean;
}

type Claims = Readonly<Record<string, string>>;

/** The claims that a token must have. By number, because a name can be released and taken by somebody else. */
export function claimsOf(draft: RuleDraft): Record<string, string> {
  const claims = draft.provider === 'github' ? githubClaims(draft) : gitlabClaims(draft);
  const environment = draft.environment.trim();
  return { ...claims, ...(environment !== '' && { environment }) };
}

function githubClaims({ id, path, refKind, ref }: RuleDraft): Claims {
  const prefix = refKind === 'tag' ? 'refs/tags/' : 'refs/heads/';
  return { repository_id: id.trim(), repository: path, ...(refKind !== 'any' && { ref: prefix + ref.trim() }) };
}

function gitlabClaims({ id, path, refKind, ref, isProtected }: RuleDraft): Claims {
  return {
    project_id: id.trim(),
    project_path: path,
    // GitLab sends the bare name, and a tag may have the same name as a branch.
    ...(refKind !== 'any' && { ref: ref.trim(), ref_type: refKind }),
    ...(isProtected && { ref_protected: 'true' }),
  };
}

/** Whether it accepts anybody who may push anything. */
export function isWide({ refKind, environment, isProtected, provider }: RuleDraft): boolean {
  return refKind === 'any' && environment.trim() === '' && !(provider === 'gitlab' && isProtected);
}

/** A suggested name. */
export function nameOf({ path, refKind, ref, environment }: RuleDraft): string {
  return [path, refKind === 'any' ? '' : ref, environment]
    .filter((part) => part.trim() !== '')
    .join('-')
    .replace(/[^a-zA-Z0-9._~]+/g, '-')
    .replace(/^[^a-zA-Z0-9]+|-+$/g, '')
    .slice(0, 255);
}

/** Summarizes the rule, to be read before it is saved. */
export function summaryOf({ path, refKind, ref, environment, isProtected, provider }: RuleDraft): string {
  const of = refKind === 'any' ? 'of every branch and tag' : `of the ${refKind} ${ref.trim() || '…'}`;
  const parts = [
    `Jobs of ${path}`,
    of,
    ...(provider === 'gitlab' && isProtected ? ['if it is protected'] : []),
    ...(environment.trim() === '' ? [] : [`in the environment ${environment.trim()}`]),
  ];
  return parts.join(', ');
}

/** Reads lines such as `sub=pipeline-7`. Returns the first invalid line. */
export function readClaims(text: string): { claims: Record<string, string>; wrong: string | undefined } {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const wrong = lines.find((line) => !/^[^=\s]+=./.test(line.trim()));
  const entries = lines.map((line) => {
    const at = line.indexOf('=');
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()] as const;
  });
  return { claims: wrong === undefined ? Object.fromEntries(entries) : {}, wrong };
}
