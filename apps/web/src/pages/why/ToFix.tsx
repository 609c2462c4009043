import { useId } from 'react';
import { paths } from '../../lib/paths.ts';
import { useWhyNot } from '../../lib/session.ts';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Link } from '../../ui/Link.tsx';
import { WaiveDialog } from '../environments/AllowArtifact.tsx';
import { EvidenceLinks, OverrideButton } from './Override.tsx';

interface Artifact {
  readonly name: string;
  readonly fingerprint: string;
}

export interface Action {
  readonly fix: string;
  readonly artifacts: readonly Artifact[];
  readonly artifact_count: number;
  /** Ids of the attestations whose verdict can be overridden instead. */
  readonly overridable: readonly string[];
}

const NAMED = 3;
const SHOWN = 20;
/** Links of evidence take a request each. */
const LINKED = 5;

interface ToFixProps {
  readonly org: string;
  readonly actions: readonly Action[];
  /** The physical environment where a waiver would help. */
  readonly waiveIn?: string;
  /** What to waive, if the fixes name no artifacts because there is just one. */
  readonly waived?: Artifact;
}

/** The actions that make it pass, each with what can be done at once; the most effective comes first. */
export function ToFix({ org, actions, waiveIn, waived }: ToFixProps) {
  const id = useId();
  const whyNot = useWhyNot('manage_environments');
  const whyNoOverride = useWhyNot('record_evidence');
  if (actions.length === 0) return null;
  const left = actions.length - SHOWN;
  const waivable = (action: Action) => [...action.artifacts, ...(waived ? [waived] : [])].filter(hasFingerprint);
  const isWaivable = waiveIn !== undefined && actions.some((action) => waivable(action).length > 0);
  const isOverridable = actions.some(({ overridable }) => overridable.length > 0);
  return (
    <section aria-labelledby={id} className="border-b border-line bg-raised/40 px-4 py-3">
      <h3 id={id} className="mb-2 text-[13.5px] font-semibold">
        {actions.length === 1 ? 'To fix' : 'To fix, most effective first'}
      </h3>
      <ol className="list-decimal space-y-2 pl-5">
        {actions.slice(0, SHOWN).map((action, place) => (
          <li key={action.fix} className="[overflow-wrap:anywhere]">
            <div className="flex flex-wrap items-start gap-x-4 gap-y-1">
              <div className="min-w-0 flex-1 basis-72">
                {action.fix}
                {action.artifacts.length > 0 && <Helped org={org} action={action} />}
                {place < LINKED && action.overridable.slice(0, 1).map((id) => <EvidenceLinks key={id} id={id} />)}
              </div>
              <div className="flex flex-wrap gap-2">
                {action.overridable.slice(0, NAMED).map((id) => (
                  <OverrideButton key={id} id={id} isDisabled={whyNoOverride !== undefined} />
                ))}
                {waiveIn !== undefined && (
                  <Waive environment={waiveIn} artifacts={waivable(action)} isDisabled={whyNot !== undefined} />
                )}
              </div>
            </div>
          </li>
        ))}
      </ol>
      {left > 0 && <p className="mt-2 text-quiet">{left} more are in the tree.</p>}
      {isOverridable && whyNoOverride !== undefined && (
        <p className="mt-2 text-[12.5px] text-quiet no-print">{`An override ${whyNoOverride.replace(/^R/, 'r')}.`}</p>
      )}
      {isWaivable && whyNot !== undefined && (
        <p className="mt-2 text-[12.5px] text-quiet no-print">{`Adding a waiver ${whyNot.replace(/^R/, 'r')}.`}</p>
      )}
    </section>
  );
}

function hasFingerprint({ fingerprint }: Artifact): boolean {
  return fingerprint !== '';
}

interface WaiveProps {
  readonly environment: string;
  readonly artifacts: readonly Artifact[];
  readonly isDisabled: boolean;
}

function Waive({ environment, artifacts, isDisabled }: WaiveProps) {
  const [first, ...others] = artifacts;
  if (!first) return null;
  const what = others.length === 0 ? first.name : `one of ${artifacts.length} artifacts`;
  return (
    <DialogButton
      label="Waive…"
      name={`Waive ${what} in ${environment}`}
      isDisabled={isDisabled}
      title={`Add waiver in ${environment}`}
    >
      {(close) => <WaiveDialog environment={environment} artifacts={artifacts} onClose={close} />}
    </DialogButton>
  );
}

function Helped({ org, action: { artifacts, artifact_count } }: { readonly org: string; readonly action: Action }) {
  const named = artifacts.slice(0, NAMED);
  const left = artifact_count - named.length;
  return (
    <span className="block text-[13px] text-quiet">
      Fixes{' '}
      {named.map(({ name, fingerprint }, place) => (
        <span key={`${name} ${fingerprint}`}>
          {place > 0 && ', '}
          {fingerprint === '' ? (
            name
          ) : (
            <Link className="underline" href={paths.anyArtifact(org, fingerprint)}>
              {name}
            </Link>
          )}
        </span>
      ))}
      {left > 0 && ` and ${left} more`}
    </span>
  );
}

/** If the API returns no small set of actions, the fixes in the tree take its place. */
export function plainActions(fixes: readonly string[], overridable?: ReadonlyMap<string, readonly string[]>): Action[] {
  return fixes.map((fix) => ({ fix, artifacts: [], artifact_count: 0, overridable: overridable?.get(fix) ?? [] }));
}
