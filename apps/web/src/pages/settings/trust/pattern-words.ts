/** What a pattern for subjects accepts, and who can sign then. */
export interface PatternWords {
  readonly accepts: string;
  readonly consequence: string;
  /** Whether it accepts more than the versions of one workflow. */
  readonly isBroad: boolean;
}

const WORKFLOW =
  /^https:\/\/github\.com\/(?<owner>[^/*@]+)\/(?<repo>[^@]+?)\/\.github\/workflows\/(?<file>[^/@]+)@(?<ref>.+)$/;

/** Undefined for a text that is no pattern yet. */
export function patternWords(pattern: string): PatternWords | undefined {
  const text = pattern.trim();
  if (!text.includes('*')) return undefined;
  const mail = /^\*@([^@*\s]+)$/.exec(text)?.[1];
  if (mail !== undefined) {
    return {
      accepts: `Any email address at ${mail}.`,
      consequence: 'Everyone with a mailbox there can sign.',
      isBroad: true,
    };
  }
  return workflowWords(text) ?? restWords(text);
}

function workflowWords(text: string): PatternWords | undefined {
  const { owner, repo, file, ref } = WORKFLOW.exec(text)?.groups ?? {};
  if (owner === undefined || repo === undefined || file === undefined || ref === undefined) return undefined;
  const isAnyRepo = repo.includes('*');
  const isAnyFile = file.includes('*');
  const workflow = isAnyFile ? likeWords('workflow', file, ['*', '**']) : `The workflow ${file}`;
  const where = isAnyRepo
    ? `${likeWords('repository', repo, ['*', '**']).toLowerCase()} of ${owner}`
    : `${owner}/${repo}`;
  return {
    accepts: `${workflow} in ${where}, from ${refWords(ref)}.`,
    consequence: `Everyone who can ${pushWords(ref)} there can change ${isAnyFile ? 'or add such a workflow' : 'the workflow'} and sign.`,
    isBroad: isAnyRepo || isAnyFile,
  };
}

function likeWords(what: string, pattern: string, all: readonly string[]): string {
  return all.includes(pattern) ? `Any ${what}` : `Any ${what} like ${pattern}`;
}

function refWords(ref: string): string {
  if (ref === '*' || ref === '**' || ref === 'refs/**') return 'any branch, tag, or pull request';
  if (ref === 'refs/heads/**') return 'any branch';
  if (ref === 'refs/heads/*') return 'any branch without / in its name';
  if (ref === 'refs/tags/*' || ref === 'refs/tags/**') return 'any tag';
  return ref.includes('*') ? `any ref like ${ref}` : ref;
}

function pushWords(ref: string): string {
  if (ref.startsWith('refs/tags/')) return 'push such a tag';
  if (ref.startsWith('refs/heads/')) return ref.includes('*') ? 'push such a branch' : 'push to that branch';
  return 'push a branch or open a pull request';
}

function restWords(text: string): PatternWords {
  const beginning = text.slice(0, text.indexOf('*'));
  const rest = /^https:\/\/github\.com\/[^/*]+\/\*\*$/.test(text)
    ? ': any workflow in any repository, from any ref'
    : '';
  return {
    accepts: beginning === '' ? 'Any identity of the issuer.' : `Identities that begin with ${beginning}${rest}.`,
    consequence: 'Everyone who can get such a certificate from the issuer can sign.',
    isBroad: true,
  };
}
