import { useEffect, useMemo, useState } from 'react';
import { CopyButton } from '../../../ui/Copy.tsx';
import { Checkbox, Field, Select } from '../../../ui/Fields.tsx';
import { Notice } from '../../../ui/Panel.tsx';
import { Claims } from './Claims.tsx';
import { idCommand, issuerOf, type Provider, type Repository, readRepository } from './repository-address.ts';
import { claimsOf, isWide, type NewRule, nameOf, type RuleDraft, summaryOf } from './rule-draft.ts';

const PROVIDERS = [
  { id: 'github', label: 'GitHub' },
  { id: 'gitlab', label: 'GitLab' },
];
const REF_KINDS = [
  { id: 'branch', label: 'A branch' },
  { id: 'tag', label: 'A tag' },
  { id: 'any', label: 'Every branch and tag' },
];

type Which = Pick<RuleDraft, 'id' | 'refKind' | 'ref' | 'environment' | 'isProtected'>;
const FIRST: Which = { id: '', refKind: 'branch', ref: 'main', environment: '', isProtected: false };

/** The steps: repository, its number, which of its jobs. */
export function RepositorySteps({ onRule }: { readonly onRule: (rule: NewRule) => void }) {
  const [address, setAddress] = useState('');
  const [chosen, setChosen] = useState<Provider>();
  const [which, setWhich] = useState<Which>(FIRST);
  const repository = useMemo(() => readRepository(address), [address]);
  const provider = chosen ?? repository?.provider;
  const draft = useMemo(
    () => repository && provider && { ...which, provider, path: repository.path },
    [repository, provider, which],
  );
  const host = repository?.host;
  useEffect(() => onRule(ruleOf(draft, host)), [draft, host, onRule]);
  return (
    <>
      <Field
        name="repository"
        label="Repository URL"
        value={address}
        onChange={setAddress}
        autoFocus
        placeholder="https://github.com/acme/web"
        help={
          address !== '' && !repository
            ? 'Not a valid repository URL yet: it needs a host, an owner, and a name'
            : 'Paste the URL from your browser, or the clone URL'
        }
      />
      {repository && (
        <Select
          label="Host"
          value={provider ?? ''}
          onChange={(id) => setChosen(id as Provider)}
          choices={provider ? PROVIDERS : [{ id: '', label: `Choose the type of ${repository.host}` }, ...PROVIDERS]}
        />
      )}
      {repository && draft && (
        <Jobs repository={repository} draft={draft} onChange={(changes) => setWhich({ ...which, ...changes })} />
      )}
    </>
  );
}

function ruleOf(draft: RuleDraft | undefined, host: string | undefined): NewRule {
  if (!draft || host === undefined)
    return { name: '', issuer: '', claims: {}, whyNot: 'Paste the URL of a repository' };
  const missing = !/^\d{1,20}$/.test(draft.id.trim())
    ? 'Enter the repository ID'
    : draft.refKind !== 'any' && draft.ref.trim() === ''
      ? `Enter the name of the ${draft.refKind}`
      : undefined;
  return { name: nameOf(draft), issuer: issuerOf(draft.provider, host), claims: claimsOf(draft), whyNot: missing };
}

function Jobs({
  repository: { host, path },
  draft,
  onChange,
}: {
  readonly repository: Repository;
  readonly draft: RuleDraft;
  readonly onChange: (changes: Partial<Which>) => void;
}) {
  const command = idCommand(draft.provider, host, path);
  return (
    <>
      <Field
        name="number"
        label={draft.provider === 'github' ? 'Repository ID' : 'Project ID'}
        value={draft.id}
        onChange={(id) => onChange({ id })}
        mono
        help={
          <>
            Someone else can take over a repository name, but not its ID. This prints the ID:{' '}
            <code className="[overflow-wrap:anywhere]">{command}</code> <CopyButton text={command} what="command" />
            {draft.provider === 'gitlab' && 'The project page also shows it.'}
          </>
        }
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Select
          label="Restrict to jobs of"
          value={draft.refKind}
          onChange={(refKind) => onChange({ refKind: refKind as RuleDraft['refKind'] })}
          choices={REF_KINDS}
        />
        {draft.refKind !== 'any' && (
          <Field
            name="ref"
            label={draft.refKind === 'branch' ? 'Branch' : 'Tag'}
            value={draft.ref}
            onChange={(ref) => onChange({ ref })}
            mono
            help="May end in *"
          />
        )}
        <Field
          name="environment"
          label="Restrict to environment"
          value={draft.environment}
          onChange={(environment) => onChange({ environment })}
          help={`In ${draft.provider === 'github' ? 'GitHub' : 'GitLab'}; leave empty for any`}
        />
      </div>
      {draft.provider === 'gitlab' && (
        <Checkbox isSelected={draft.isProtected} onChange={(isProtected) => onChange({ isProtected })}>
          Only protected branches and tags
        </Checkbox>
      )}
      <Preview draft={draft} host={host} />
    </>
  );
}

function Preview({ draft, host }: { readonly draft: RuleDraft; readonly host: string }) {
  return (
    <>
      <div className="rounded-md border border-line p-3">
        <p className="font-medium">{summaryOf(draft)}</p>
        <p className="text-[13px] text-quiet [overflow-wrap:anywhere]">
          Tokens of {issuerOf(draft.provider, host)} with
        </p>
        <Claims of={claimsOf(draft)} />
      </div>
      {isWide(draft) && (
        <Notice kind="unsure" title="This rule accepts any workflow in the repository">
          It accepts jobs of every branch. Restrict the rule to a branch, a tag, or an environment.
        </Notice>
      )}
    </>
  );
}
