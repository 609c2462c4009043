import { putSso, type Sso, type SsoInput } from '@waymark/contract';
import { useState } from 'react';
import { serviceUrl } from '../../../lib/base-path.ts';
import { useWrite } from '../../../lib/queries.ts';
import { CopyButton } from '../../../ui/Copy.tsx';
import { Checkbox, Field, Select } from '../../../ui/Fields.tsx';
import type { Filled } from '../../../ui/Form.tsx';
import { Form } from '../../../ui/Form.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { SecretField } from './SecretField.tsx';

const FIRST_ROLES = ['reader', 'snapshotter', 'member'] as const;
type FirstRole = Sso['default_role'];

/** The values of the form, for the server. An empty secret leaves the stored one unchanged. */
function inputOf(filled: Filled, role: FirstRole, isPublic: boolean): SsoInput {
  const secret = filled['client_secret'] ?? '';
  return {
    issuer: (filled['issuer'] ?? '').trim(),
    client_id: (filled['client_id'] ?? '').trim(),
    ...(isPublic ? { client_secret: null } : secret !== '' && { client_secret: secret }),
    email_domains: (filled['email_domains'] ?? '').split(/[\s,]+/).filter(Boolean),
    default_role: role,
  };
}

function issuerHelp(sso: Sso | null): string {
  if (sso === null) return 'Exactly as your identity provider shows it';
  return sso.enforced
    ? 'Cannot be changed while single sign-on is enforced'
    : 'A new issuer ends the sessions and personal keys that came from the old one';
}

export function SsoForm({ org, sso }: { readonly org: string; readonly sso: Sso | null }) {
  const [role, setRole] = useState<FirstRole>(sso?.default_role ?? 'reader');
  const [isPublic, setPublic] = useState(sso !== null && !sso.has_client_secret);
  const write = useWrite(putSso, { done: 'Saved. Test it before you enforce it' });
  const redirectUri = sso?.redirect_uri ?? `${serviceUrl()}/sign-in/${encodeURIComponent(org)}/callback`;
  return (
    <Panel title={sso ? 'Configuration' : 'Set up single sign-on'}>
      <p className="text-quiet">
        People sign in through the org’s own identity provider, with OpenID Connect. Register Waymark there as a web
        application with this redirect URI:
      </p>
      <p className="mt-2 mb-4 flex items-center gap-1">
        <code className="[overflow-wrap:anywhere]">{redirectUri}</code>
        <CopyButton text={redirectUri} what="redirect URI" />
      </p>
      <div className="max-w-xl">
        <Form
          submit={sso ? 'Save' : 'Set up single sign-on'}
          error={write.error}
          isPending={write.isPending}
          onSubmit={(filled) => write.mutate({ params: { org }, body: inputOf(filled, role, isPublic) })}
        >
          <Field
            name="issuer"
            type="url"
            label="Issuer"
            isRequired
            defaultValue={sso?.issuer ?? ''}
            placeholder="https://id.example.com"
            help={issuerHelp(sso)}
          />
          <Field name="client_id" label="Client ID" isRequired defaultValue={sso?.client_id ?? ''} maxLength={512} />
          <Checkbox isSelected={isPublic} onChange={setPublic}>
            Public client: no secret, PKCE only
          </Checkbox>
          {!isPublic && (
            <SecretField
              name="client_secret"
              label="Client secret"
              help={
                sso?.has_client_secret
                  ? 'Leave empty to keep the current one. It is never shown.'
                  : 'Waymark never shows it again.'
              }
            />
          )}
          <Field
            name="email_domains"
            label="Email domains"
            defaultValue={sso?.email_domains.join(' ') ?? ''}
            placeholder="example.com example.org"
            help="Separated by spaces. Only people with an address in these domains can join. Leave empty to admit every user of the identity provider."
          />
          <Select
            label="Default role for new users"
            name="default_role"
            value={role}
            onChange={(next) => setRole(next as FirstRole)}
            choices={FIRST_ROLES.map((id) => ({ id, label: id }))}
          />
        </Form>
      </div>
    </Panel>
  );
}
