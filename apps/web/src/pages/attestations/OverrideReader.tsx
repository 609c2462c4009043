import type { Attestation } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { Link } from '../../ui/Link.tsx';
import { Notice } from '../../ui/Panel.tsx';

/** Who replaced a verdict, with which reason, and what it was before. */
export function OverrideReader({ of }: { readonly of: Attestation }) {
  if (of.overrides === null) return null;
  return (
    <Notice
      kind="waived"
      title={`Overridden as ${of.is_compliant ? 'compliant' : 'non-compliant'} by ${of.reported_by}`}
    >
      <p className="whitespace-pre-line">{of.override_reason ?? 'No reason recorded.'}</p>
      <p className="mt-1">
        It replaces the verdict of{' '}
        <Link href={paths.trail(of.org, of.flow_name, of.trail_name, of.overrides)} className="underline">
          the previous attestation
        </Link>
        , which is kept unchanged.
      </p>
    </Notice>
  );
}
