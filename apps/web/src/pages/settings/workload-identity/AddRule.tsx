import { addWorkloadIdentity, listServiceAccounts } from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../../lib/paths.ts';
import { useRead, useWrite } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Field, Select } from '../../../ui/Fields.tsx';
import { Form } from '../../../ui/Form.tsx';
import { Link } from '../../../ui/Link.tsx';
import { Notice } from '../../../ui/Panel.tsx';
import { Loaded } from '../../../ui/States.tsx';
import { scopeFrom } from '../keys/key-scope.ts';
import { ScopeField } from '../keys/ScopeField.tsx';
import { OtherIssuer } from './OtherIssuer.tsx';
import { RepositorySteps } from './RepositorySteps.tsx';
import type { NewRule } from './rule-draft.ts';
import { canRecordEvidence, usualAccount } from './usual-account.ts';

const NOTHING: NewRule = { name: '', issuer: '', claims: {}, whyNot: 'Paste the URL of a repository' };

const WAYS = [
  { id: 'repository', label: 'GitHub or GitLab repository' },
  { id: 'other', label: 'Another token issuer' },
];

/** Builds the rule from the address of a repository, step by step; each step shows when the one before is done. */
export function AddRule({ onClose }: { readonly onClose: () => void }) {
  const org = useOrg();
  const [way, setWay] = useState('repository');
  const [rule, setRule] = useState<NewRule>(NOTHING);
  const [typedName, setTypedName] = useState<string>();
  const [account, setAccount] = useState<string>();
  const accounts = useRead(listServiceAccounts, { params: { org } });
  const write = useWrite(addWorkloadIdentity, {
    done: ({ name, service_account }) => `Rule ${name} added: its jobs act as ${service_account}`,
    onDone: onClose,
  });
  const chosen = account ?? usualAccount(accounts.data ?? [])?.name;
  const acting = accounts.data?.find(({ name }) => name === chosen);
  const Steps = way === 'repository' ? RepositorySteps : OtherIssuer;
  return (
    <Dialog title="Add workload identity rule" wide onClose={onClose}>
      {(close) => (
        <Form
          submit="Add rule"
          error={write.error}
          isPending={write.isPending}
          onCancel={close}
          whyNot={rule.whyNot ?? (chosen === undefined ? 'Choose a service account' : undefined)}
          onSubmit={({ name = '', scope = '', scope_names = '' }) =>
            write.mutate({
              params: { org },
              body: {
                name,
                service_account: chosen ?? '',
                issuer: rule.issuer,
                claims: rule.claims,
                scope: scopeFrom(scope, scope_names),
              },
            })
          }
        >
          <Select
            label="Token issuer"
            value={way}
            onChange={(next) => {
              setRule(NOTHING);
              setWay(next);
            }}
            choices={WAYS}
          />
          <Steps onRule={setRule} />
          <Loaded of={accounts} lines={1}>
            {(all) =>
              all.length === 0 ? (
                <p>
                  No service accounts yet.{' '}
                  <Link href={paths.settings(org, 'service-accounts')} className="underline">
                    Create one
                  </Link>{' '}
                  first.
                </p>
              ) : (
                <Select
                  label="Service account"
                  name="service_account"
                  value={chosen ?? ''}
                  onChange={setAccount}
                  choices={all.map(({ name, privilege }) => ({ id: name, label: `${name} (${privilege})` }))}
                />
              )
            }
          </Loaded>
          {acting && !canRecordEvidence(acting) && (
            <Notice kind="unsure">
              {acting.name} has the role {acting.privilege}, so these jobs cannot record evidence.
            </Notice>
          )}
          <ScopeField usually="evidence" />
          <Field
            name="name"
            label="Rule name"
            isRequired
            value={typedName ?? rule.name}
            onChange={setTypedName}
            help="Letters, digits, and . - _ ~"
          />
        </Form>
      )}
    </Dialog>
  );
}
