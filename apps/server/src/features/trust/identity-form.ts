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

interface Wanted {
  readonly issuer: string;
  readonly subject: string;
  readonly isPattern: boolean;
}

interface Fault {
  readonly field: 'issuer' | 'subject';
  readonly reason: string;
}

/** Returns why no certificate can ever match the identity, or undefined when one can. */
export function identityFault({ issuer, subject, isPattern }: Wanted): Fault | undefined {
  const issuerReason = issuerFault(issuer);
  if (issuerReason) return { field: 'issuer', reason: issuerReason };
  const subjectReason = isPattern ? patternFault(subject) : exactFault(issuer, subject);
  return subjectReason === undefined ? undefined : { field: 'subject', reason: subjectReason };
}

function exactFault(issuer: string, subject: string): string | undefined {
  return subjectFault(subject) ?? (issuer === GITHUB_ACTIONS ? workflowFault(subject) : undefined);
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

/** Before its first star, a pattern must name who may sign: a host and an owner, or the domain of an address. */
const OWNED = /^[a-z][a-z0-9+.-]*:\/\/[^/*\s]+\/[^/*\s]+\/|^\*@[^@*\s]+\.[^@*\s]+$/i;

function patternFault(subject: string): string | undefined {
  if (!subject.includes('*')) return 'must contain * or **, or be matched exactly';
  if (/\s|\*\*\*/.test(subject))
    return 'must be a pattern without spaces, in which * is any text within one part and ** any text';
  return OWNED.test(subject)
    ? undefined
    : 'must begin with a scheme, a host, and an owner, as in https://github.com/OWNER/**, or be *@DOMAIN: it would match the identities of others';
}

function workflowFault(subject: string): string | undefined {
  return GITHUB_WORKFLOW.test(subject)
    ? undefined
    : 'must name a workflow and its ref: GitHub Actions signs as ' +
        'https://github.com/OWNER/REPO/.github/workflows/FILE.yml@REF';
}
