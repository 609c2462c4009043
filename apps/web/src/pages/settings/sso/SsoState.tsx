import { enforceSso, removeSso, type Sso } from '@waymark/contract';
import { useState } from 'react';
import { leaveFor, withBase } from '../../../lib/base-path.ts';
import { useWrite } from '../../../lib/queries.ts';
import { useSession } from '../../../lib/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { CopyButton } from '../../../ui/Copy.tsx';
import { Facts, Notice, Panel } from '../../../ui/Panel.tsx';
import { StateBadge } from '../../../ui/StateBadge.tsx';
import { Time } from '../../../ui/Time.tsx';

type Open = 'enforce' | 'release' | 'remove';

export function SsoState({ org, sso }: { readonly org: string; readonly sso: Sso }) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const testHref = `/organizations/${encodeURIComponent(org)}/sso`;
  return (
    <Panel title="Single sign-on" note={<EnforcedBadge sso={sso} />}>
      <div className="space-y-4">
        <Facts
          rows={[
            ['Issuer', sso.issuer],
            [
              'Sign-in page',
              <span key="page" className="inline-flex items-center gap-1">
                <code>{sso.sign_in_url}</code>
                <CopyButton text={sso.sign_in_url} what="URL of the sign-in page" />
              </span>,
            ],
            [
              'Changed',
              <span key="changed">
                <Time at={sso.configured_at} /> by {sso.configured_by}
              </span>,
            ],
            ['Tested', <Time key="tested" at={sso.tested_at} none="not since the last change" />],
          ]}
        />
        {sso.email_domains.length === 0 && (
          <Notice kind="unsure" title="Anyone the identity provider knows can join">
            They join as {sso.default_role}. Add your email domains unless it knows only your people.
          </Notice>
        )}
        <div className="flex flex-wrap items-start gap-2 no-print">
          <a
            href={withBase(testHref)}
            className="inline-flex items-center rounded-md border border-field/60 px-3 py-1.5 text-[13px] leading-5 font-medium text-ink no-underline hover:bg-raised hover:no-underline"
          >
            Test sign-in
          </a>
          {sso.enforced ? (
            <Button onPress={() => setOpen('release')}>Stop enforcing</Button>
          ) : (
            <Button
              whyNot={sso.tested_at === null ? 'Test the current configuration first' : undefined}
              onPress={() => setOpen('enforce')}
            >
              Enforce
            </Button>
          )}
          <Button
            variant="danger"
            whyNot={sso.enforced ? 'Not possible while it is enforced' : undefined}
            onPress={() => setOpen('remove')}
          >
            Remove
          </Button>
        </div>
      </div>
      {(open === 'enforce' || open === 'release') && <Enforce org={org} wanted={open === 'enforce'} onClose={close} />}
      {open === 'remove' && <Remove org={org} sso={sso} onClose={close} />}
    </Panel>
  );
}

function EnforcedBadge({ sso }: { readonly sso: Sso }) {
  if (sso.enforced) return <StateBadge state="compliant" word="Enforced" />;
  return sso.tested_at === null ? (
    <StateBadge state="unknown" word="Not tested" />
  ) : (
    <span>Optional: other sign-in methods stay available</span>
  );
}

interface EnforceProps {
  readonly org: string;
  readonly wanted: boolean;
  readonly onClose: () => void;
}

function Enforce({ org, wanted, onClose }: EnforceProps) {
  const onlyOrg = useSession().data?.only_org ?? null;
  const write = useWrite(enforceSso, {
    done: wanted ? 'Single sign-on enforced' : 'Single sign-on no longer enforced',
    onDone: () => {
      onClose();
      // Whoever did not sign in through it has lost access, the caller included.
      if (wanted && onlyOrg === null)
        leaveFor(
          `/sign-in/${encodeURIComponent(org)}?next=${encodeURIComponent(`/${encodeURIComponent(org)}/settings/sso`)}`,
        );
    },
  });
  return (
    <ConfirmDialog
      title={wanted ? 'Enforce single sign-on' : 'Stop enforcing single sign-on'}
      confirm={wanted ? 'Enforce single sign-on' : 'Stop enforcing'}
      write={write}
      onConfirm={() => write.mutate({ params: { org }, body: { enforced: wanted } })}
      onClose={onClose}
    >
      {wanted ? (
        <>
          <p>
            People can then sign in to {org} in no other way. Sessions and personal keys from other sign-in methods stop
            working here, including yours.
          </p>
          <p className="text-quiet">Service account keys keep working.</p>
        </>
      ) : (
        <p>People can then also sign in to {org} in other ways, such as with an email link.</p>
      )}
    </ConfirmDialog>
  );
}

interface RemoveProps {
  readonly org: string;
  readonly sso: Sso;
  readonly onClose: () => void;
}

function Remove({ org, sso, onClose }: RemoveProps) {
  const write = useWrite(removeSso, { done: 'Single sign-on removed', onDone: onClose });
  return (
    <ConfirmDialog
      title="Remove single sign-on"
      confirm="Remove single sign-on"
      write={write}
      onConfirm={() => write.mutate({ params: { org } })}
      onClose={onClose}
    >
      <p>
        Sessions and personal keys from {sso.issuer} end at once, and its sign-in page stops working. People stay
        members, and sign in with an email link.
      </p>
    </ConfirmDialog>
  );
}
