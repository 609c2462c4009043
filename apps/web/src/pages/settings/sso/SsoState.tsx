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
                <CopyButton text={sso.sign_in_url} what="address of the sign-in page" />
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
          <Notice kind="unsure" title="Anybody whom the identity provider knows may join">
            They come as {sso.default_role}. Name your e-mail domains, unless it knows your people only.
          </Notice>
        )}
        <div className="flex flex-wrap items-start gap-2 no-print">
          <a
            href={withBase(testHref)}
            className="inline-flex items-center rounded-md border border-field/60 px-3 py-1.5 text-[13px] leading-5 font-medium text-ink no-underline hover:bg-raised hover:no-underline"
          >
            Test it
          </a>
          {sso.enforced ? (
            <Button onPress={() => setOpen('release')}>Release</Button>
          ) : (
            <Button
              whyNot={sso.tested_at === null ? 'Test the present configuration first' : undefined}
              onPress={() => setOpen('enforce')}
            >
              Enforce
            </Button>
          )}
          <Button
            variant="danger"
            whyNot={sso.enforced ? 'Not while it is enforced' : undefined}
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
    <span>Offered, other ways in stay open</span>
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
    done: wanted ? 'Single sign-on is enforced' : 'Single sign-on is released',
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
      title={wanted ? 'Enforce single sign-on' : 'Release single sign-on'}
      confirm={wanted ? 'Enforce it' : 'Release it'}
      write={write}
      onConfirm={() => write.mutate({ params: { org }, body: { enforced: wanted } })}
      onClose={onClose}
    >
      {wanted ? (
        <>
          <p>
            People then enter {org} in no other way. Sessions and personal keys that came about otherwise stop working
            here, yours included.
          </p>
          <p className="text-quiet">Keys of service accounts go on working.</p>
        </>
      ) : (
        <p>People may then enter {org} in other ways as well, such as with a link by mail.</p>
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
  const write = useWrite(removeSso, { done: 'Single sign-on is removed', onDone: onClose });
  return (
    <ConfirmDialog
      title="Remove single sign-on"
      confirm="Remove it"
      write={write}
      onConfirm={() => write.mutate({ params: { org } })}
      onClose={onClose}
    >
      <p>
        Sessions and personal keys that came from {sso.issuer} end at once, and nobody can sign in at its page. People
        stay members, and sign in with a link by mail.
      </p>
    </ConfirmDialog>
  );
}
