import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Fields.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Empty } from '../../ui/States.tsx';
import { FoundByDigits } from './FoundByDigits.tsx';
import { FoundByWords } from './FoundByWords.tsx';
import { askedFor } from './trace-subject.ts';

export function TracePage() {
  const org = useOrg();
  const { what }: { what?: string } = useParams({ strict: false });
  const asked = what === undefined || what.trim() === '' ? undefined : askedFor(what);
  return (
    <>
      <PageHead
        title={what === undefined ? 'Where is it?' : `Where is ${shortened(what)}?`}
        note="The path of a change from its commit to each environment, and what blocks it."
      />
      <AskForm key={what ?? ''} what={what ?? ''} />
      {asked === undefined ? (
        <HowTo org={org} />
      ) : asked.kind === 'digits' ? (
        <FoundByDigits sha={asked.sha} />
      ) : (
        <FoundByWords key={asked.text} text={asked.text} />
      )}
    </>
  );
}

function shortened(what: string): string {
  return /^[0-9a-f]{13,64}$/i.test(what) ? what.slice(0, 12) : what;
}

function AskForm({ what }: { readonly what: string }) {
  const org = useOrg();
  const navigate = useNavigate();
  const [typed, setTyped] = useState(what);
  useEffect(() => setTyped(what), [what]);
  return (
    <form
      className="mb-4 flex flex-wrap items-end gap-2 no-print"
      onSubmit={(event) => {
        event.preventDefault();
        const text = typed.trim();
        if (text !== '') void navigate({ href: paths.trace(org, text) });
      }}
    >
      <div className="w-full max-w-xl">
        <Field
          label="Commit, fingerprint, pull request, ticket, or version"
          name="what"
          value={typed}
          onChange={setTyped}
          placeholder="9f14efa, SHOP-812, or https://…/pull/812"
          autoFocus={what === ''}
        />
      </div>
      <Button type="submit" variant="primary">
        Find
      </Button>
    </form>
  );
}

function HowTo({ org }: { readonly org: string }) {
  return (
    <Panel>
      <Empty title="Trace a change to where it runs" command={`waymark where 9f14efa --org ${org}`}>
        Enter a commit or a fingerprint (at least 5 characters), the URL of a pull request, a ticket, a version, or the
        name of a{' '}
        <Link className="underline" href={paths.flows(org)}>
          trail
        </Link>
        . For a library, see{' '}
        <Link className="underline" href={paths.components(org)}>
          Components
        </Link>
        . On the command line:
      </Empty>
    </Panel>
  );
}
