import { useState } from 'react';
import { showToast } from '../../lib/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Fields.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { Failure, Loading } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { policyChanges } from './policy-changes.ts';
import { policyProblem } from './policy-problem.ts';
import { saveTrustedKeys } from './trusted-keys.ts';
import type { TrustState } from './use-trust-policy.ts';

/** The panel shows what is saved from then on. */
function save(policy: string | null): void {
  if (!saveTrustedKeys(policy)) showToast('bad', 'This browser stores nothing for this site');
}

/** The keys with which proofs are verified: saved in this browser, or for now those that the server offers. */
export function TrustedKeysPanel({ trust }: { readonly trust: TrustState }) {
  const { offered, saved, isChanged, error } = trust;
  const [isPasting, setPasting] = useState(false);
  return (
    <Panel title="Trust policy" note={saved ? 'saved in this browser' : 'not saved yet'}>
      <div aria-live="polite">{saved ? <Saved at={saved.savedAt} /> : <Comparing />}</div>
      {isChanged && typeof offered === 'string' && <Changed saved={saved?.policy ?? ''} offered={offered} />}
      {!saved && error && <Failure error={error} />}
      {!saved && offered === undefined && !error && <Loading lines={3} />}
      {!saved && offered === null && <p className="text-quiet">This server offers no trust policy.</p>}
      {(saved?.policy ?? offered) && <PolicyText text={saved?.policy ?? offered ?? ''} />}
      {isPasting ? (
        <PastePolicy onDone={() => setPasting(false)} />
      ) : (
        <div className="mt-3 flex flex-wrap gap-2">
          {!saved && typeof offered === 'string' && <Button onPress={() => save(offered)}>Save these keys</Button>}
          <Button variant={saved ? 'plain' : 'quiet'} onPress={() => setPasting(true)}>
            Paste a trust policy
          </Button>
          {saved && (
            <Button variant="quiet" onPress={() => save(null)}>
              Remove
            </Button>
          )}
        </div>
      )}
    </Panel>
  );
}

function Saved({ at }: { readonly at: number }) {
  return (
    <p>
      Saved <Time at={at} as="exact" />. Proofs are verified with these keys, whatever the server offers.
    </p>
  );
}

/** What a user has to do that no program can do for them. */
function Comparing() {
  return (
    <div className="space-y-2">
      <p>
        These keys come from this server. Someone who controls it could offer keys of their own, with proofs that match.
      </p>
      <p>
        <strong className="font-semibold">Compare the keys</strong> with a copy that came another way: in your contract,
        on the operator’s public site, or from a witness itself. They must be the same, character by character. Then
        save them, and this browser notices if they ever change.
      </p>
    </div>
  );
}

function PolicyText({ text }: { readonly text: string }) {
  return (
    <div className="mt-3 rounded-md border border-line bg-raised p-3">
      <pre className="text-[12.5px] break-all whitespace-pre-wrap">{text.trimEnd()}</pre>
    </div>
  );
}

function Changed({ saved, offered }: { readonly saved: string; readonly offered: string }) {
  const { added, removed } = policyChanges(saved, offered);
  return (
    <div className="mt-3">
      <Notice
        kind="unsure"
        title="The server now offers another trust policy"
        actions={<Button onPress={() => save(offered)}>Replace the saved policy</Button>}
      >
        <p>
          Keys change when they are rotated, when a witness is added, or when a new epoch begins. Ask the operator, and
          compare the new lines with another copy, before you replace what you saved.
        </p>
        <Lines title="Only in the server’s policy" of={added} />
        <Lines title="Only in the saved policy" of={removed} />
      </Notice>
    </div>
  );
}

function Lines({ title, of }: { readonly title: string; readonly of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <div className="mt-2">
      <div className="text-[13px] font-medium">{title}</div>
      <ul>
        {of.map((line) => (
          <li key={line}>
            <code className="[overflow-wrap:anywhere]">{line}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}

function PastePolicy({ onDone }: { readonly onDone: () => void }) {
  const [text, setText] = useState('');
  const problem = policyProblem(text);
  return (
    <div className="mt-3 space-y-2">
      <Field
        name="policy"
        label="Trust policy"
        lines={6}
        mono
        autoFocus
        value={text}
        onChange={setText}
        help="The file that you got from the operator or a witness"
      />
      {text !== '' && problem !== null && <p className="text-[13px] text-bad">{problem}</p>}
      <div className="flex gap-2">
        <Button
          variant="primary"
          isDisabled={problem !== null}
          onPress={() => {
            save(`${text.trim()}\n`);
            onDone();
          }}
        >
          Save this policy
        </Button>
        <Button variant="quiet" onPress={onDone}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
