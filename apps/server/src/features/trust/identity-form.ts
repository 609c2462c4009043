/** Issuers whose exact URL is known. Fulcio writes it into the certificate, where it is compared as a whole. */
const KNOWN_ISSUERS = [
  'https://token.actions.githubusercontent.com',
  'https://gitlab.com',
  'https://accounts.google.com',
  'https://github.com/login/oauth',
  'https://oauth2.sigstore.dev/auth',
  'https://agent.buildkite.com',
];

const GITHUB_ACTIONS = 'https://token.actions.githubusercontent.com';
const GITHUB_WORKFLOW = /^https:\/\/[^/]+\/[^/]+\/[^/]+\/.+\.ya?ml@[^@]+$/;

const URI = /^[a-z][a-z0-9+.-]*:\/\/[!-~]+$/i;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

interface Fault {
  readonly field: 'issuer' | 'subject';
  readonly reason: string;
}

/** Returns why no certificate can ever match the identity, or undefined when one can. */
export function identityFault({ issuer, subject }: { issuer: string; subject: string }): Fault | undefined {
  const issuerReason = issuerFault(issuer);
  if (issuerReason) return { field: 'issuer', reason: issuerReason };
  const subjectReason = subjectFault(subject) ?? (issuer === GITHUB_ACTIONS ? workflowFault(subject) : undefined);
  return subjectReason === undefined ? undefined : { field: 'subject', reason: subjectReason };
}

function issuerFault(issuer: string): string | undefined {
  if (issuer.includes('*')) return 'must not contain *: it is matched exactly, so send the complete issuer';
  const { search, hash, username, host } = new URL(issuer);
  if (search !== '' || hash !== '' || username !== '' || /[?#]$/.test(issuer)) {
    return 'must not have a query, a fragment, or a user name';
  }
  const known = KNOWN_ISSUERS.find((one) => one === issuer.toLowerCase().replace(/\/+$/, ''));
  if (known !== undefined && known !== issuer) return `must be exactly '${known}': it is matched exactly`;
  return issuer.startsWith(`https://${host}`) || issuer.startsWith(`https://${host}:443`)
    ? undefined
    : 'must have its host in lower case: it is matched exactly';
}

function subjectFault(subject: string): string | undefined {
  if (/[*\\]/.test(subject) || subject.startsWith('^') || subject.endsWith('$')) {
    return 'must not be a pattern: it is matched exactly, so send the complete subject of the certificate';
  }
  if (URI.test(subject) || EMAIL.test(subject)) return undefined;
  return 'must be a URI or an email address, exactly as in the certificate';
}

function workflowFault(subject: string): string | undefined {
  return GITHUB_WORKFLOW.test(subject)
    ? undefined
    : 'must name a workflow and its ref: GitHub Actions signs as ' +
        'https://github.com/OWNER/REPO/.github/workflows/FILE.yml@REF';
}
