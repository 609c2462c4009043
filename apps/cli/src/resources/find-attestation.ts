import { type Attestation, listAttestations } from '@waymark/contract';
import { CliError } from '../run/cli-error.ts';
import type { Session } from '../run/session.ts';

export async function findAttestation(session: Session, id: string): Promise<Attestation> {
  const { data } = await session.client().call(listAttestations, {
    params: { org: session.need('org') },
    query: { attestation_id: id },
    signal: session.io.signal,
  });
  const [found] = data;
  if (found) return found;
  throw new CliError('notFound', `Attestation '${id}' does not exist in this org`, {
    fix: "Run 'waymark attestation list' to see the ids",
  });
}
