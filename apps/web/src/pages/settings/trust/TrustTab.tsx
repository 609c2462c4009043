import { TrustedIdentities } from './TrustedIdentities.tsx';
import { TrustedKeys } from './TrustedKeys.tsx';

export function TrustTab() {
  return (
    <div className="space-y-4">
      <TrustedKeys />
      <TrustedIdentities />
    </div>
  );
}
