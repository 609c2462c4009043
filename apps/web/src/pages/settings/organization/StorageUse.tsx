import { getStorage, STORAGE_WARNING_PERCENT, type Storage } from '@waymark/contract';
import { useRead } from '../../../lib/queries.ts';
import { amountWords, usedPercent } from '../../../lib/storage-words.ts';
import { classes } from '../../../ui/classes.ts';
import { Notice, Panel } from '../../../ui/Panel.tsx';
import { Loaded } from '../../../ui/States.tsx';

/** How much evidence the org stores, and its quota. */
export function StorageUse({ org }: { readonly org: string }) {
  const storage = useRead(getStorage, { params: { org } }, { fresh: true });
  return (
    <Panel title="Storage">
      <Loaded of={storage}>
        {(found) => (
          <div className="space-y-3">
            <Level of={found} />
            <Amount kind="bytes" label="Evidence" storage={found} />
            <Amount kind="rows" label="Rows" storage={found} />
            <p className="text-[13px] text-quiet">
              Storage used by trails, artifacts, attestations, approvals, and snapshots of this org, including attached
              files.
              {found.bytes.quota === null && found.rows.quota === null
                ? ' There is no quota.'
                : ' The operator of this installation sets the quota.'}
            </p>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function Level({ of: { level } }: { readonly of: Storage }) {
  if (level === 'ok') return null;
  if (level === 'warning') {
    return (
      <Notice kind="unsure" title="The storage quota is almost used up">
        When it is used up, Waymark rejects new evidence and environment reports. Ask the operator of this installation
        to raise it.
      </Notice>
    );
  }
  return (
    <Notice kind="bad" title="The storage quota is used up">
      Waymark rejects new evidence and environment reports. Ask the operator of this installation to raise the quota.
    </Notice>
  );
}

const FILLS = { ok: 'bg-good-fill', warning: 'bg-unsure-fill', full: 'bg-bad-fill' } as const;

interface AmountProps {
  readonly kind: 'bytes' | 'rows';
  readonly label: string;
  readonly storage: Storage;
}

/** The bar repeats the text. */
function Amount({ kind, label, storage }: AmountProps) {
  const percent = usedPercent(storage[kind]);
  return (
    <div className="max-w-xl">
      <div className={classes('flex flex-wrap gap-x-4', percent !== null && 'justify-between')}>
        <span className="w-20 text-quiet">{label}</span>
        <span>
          {amountWords(kind, storage[kind])}
          {percent !== null && <span className="text-quiet"> · {percent} percent</span>}
        </span>
      </div>
      {percent !== null && (
        <div aria-hidden className="mt-1 h-2 overflow-hidden rounded-full bg-raised">
          <div className={classes('h-full', FILLS[levelOf(percent)])} style={{ width: `${percent}%` }} />
        </div>
      )}
    </div>
  );
}

function levelOf(percent: number): Storage['level'] {
  if (percent >= 100) return 'full';
  return percent >= STORAGE_WARNING_PERCENT ? 'warning' : 'ok';
}
