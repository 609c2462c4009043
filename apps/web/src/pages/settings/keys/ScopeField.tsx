import { useState } from 'react';
import { Field, Select } from '../../../ui/Fields.tsx';
import { scopeChoices } from './key-scope.ts';

const NAMED: Readonly<Record<string, string>> = { evidence: 'Flows', snapshot: 'Environments' };

/** Fills in `scope`, and `scope_names` where a scope can be limited by name. */
export function ScopeField({ usually = '' }: { readonly usually?: string }) {
  const [kind, setKind] = useState(usually);
  const named = NAMED[kind];
  return (
    <div className="space-y-2">
      <Select label="Scope" name="scope" value={kind} onChange={setKind} choices={scopeChoices} />
      {named === undefined ? (
        <p className="text-[12.5px] text-quiet">
          {kind === 'read'
            ? 'The key cannot change anything.'
            : 'Choose a scope for a pipeline or a reporter to limit what a leaked key can do.'}
        </p>
      ) : (
        <Field
          name="scope_names"
          label={`${named} (optional)`}
          maxLength={4000}
          placeholder={kind === 'evidence' ? 'shop, bank' : 'prod'}
          help={`Names, separated by commas; all ${named.toLowerCase()} if left empty`}
        />
      )}
    </div>
  );
}
