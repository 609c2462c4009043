import { type Attestation, type Contract, listAttestations } from '@waymark/contract';
import { usageError } from '../run/cli-error.ts';
import type { Outcome } from '../run/outcome.ts';
import type { Session } from '../run/session.ts';
import type { Style } from '../run/style.ts';
import { type AttestFlags, notesOf, type Target, targetOf } from './attest-flags.ts';
import { foundIn, signOf } from './attestation-line.ts';
import { tellDoubts } from './build-facts.ts';
import { annotate } from './ci-output.ts';
import { readInput } from './find-files.ts';
import { endingOf, type Sent, sendEvidence } from './send-evidence.ts';
import { checkTotal, type NamedFile, packed, tgzOf } from './tgz.ts';

const UNPACKED_MAX_BYTES = 50 * 1024 * 1024;

/** The type that it is recorded as, and what was read. */
export const SARIF_KIND = 'snyk (SARIF)';

interface ToAttest {
  readonly flags: AttestFlags;
  /** How it is called unless told otherwise. */
  readonly otherwise?: string;
  /** What the kind has of its own. */
  readonly body?: object;
  /** What the service reads, with the ending by which it finds it in an archive. */
  readonly report?: { readonly files: readonly NamedFile[]; readonly ending: string };
  /** What the kind is called for people. */
  readonly kind: string;
  /** What is asked or told when the service has it. */
  readonly onRecorded?: () => Promise<void>;
}

export interface Recorded {
  readonly target: Target;
  readonly kind: string;
  readonly sent: Sent;
  /** As the service has it; not known of what was spooled, nor in a dry run. */
  readonly attestation: Attestation | undefined;
  readonly binding: string | undefined;
}

export async function recordAttestation(session: Session, contract: Contract, given: ToAttest): Promise<Recorded> {
  const org = session.need('org');
  const flow = session.need('flow');
  const trail = session.need('trail');
  const target = await targetOf(session, given.flags, given.otherwise);
  const file = await attachmentOf(session, given);
  const body = merged(notesOf(session, given.flags), { ...target.body, ...given.body });
  const sent = await sendEvidence(
    session,
    contract,
    { params: { org, flow_name: flow, trail_name: trail }, body, ...(file && { file }) },
    [org, flow, trail],
  );
  const [id, binding] = sent.kind === 'recorded' ? (sent.headers.get('waymark-attestation') ?? '').split('; ') : [];
  if (binding !== undefined) tellBinding(session, target, binding);
  const attestation = session.settings.dryRun || !id ? undefined : await readBack(session, flow, id);
  return { target, kind: given.kind, sent, attestation, binding };
}

/** What the command adds to the notes of the user stands beside them. */
function merged(notes: object, own: object): object {
  const { annotations: mine } = own as { annotations?: object };
  const { annotations: theirs } = notes as { annotations?: object };
  return { ...notes, ...own, ...((mine || theirs) && { annotations: { ...mine, ...theirs } }) };
}

async function attachmentOf(session: Session, { flags, report }: ToAttest): Promise<NamedFile | undefined> {
  const attached = await Promise.all((flags.attachment ?? []).map((path) => readInput(session, path)));
  const files = [...(report ? packed(report.files, report.ending) : []), ...attached];
  const [only] = report && report.files.length === 1 && attached.length === 0 ? report.files : files;
  if (files.length <= 1) return only && { ...only, name: only.name.split(/[\\/]/).at(-1) ?? only.name };
  checkTotal(files, UNPACKED_MAX_BYTES);
  return { name: 'evidence.tgz', content: tgzOf(packed(files, '')) };
}

function tellBinding(session: Session, { name, artifact }: Target, binding: string): void {
  if (binding === 'pending') {
    session.say(`'${name}' waits for the artifact '${artifact}': it counts as soon as that is attested in the trail`);
  }
  if (binding === 'unbound') {
    session.warn(`'${name}' is about '${artifact}', and the template of the trail has no artifact of that name`);
  }
}

/** It is recorded whether or not it can be read now, so nothing that happens here is an error. */
async function readBack(session: Session, flow: string, id: string): Promise<Attestation | undefined> {
  try {
    const { data } = await session.client().call(listAttestations, {
      params: { org: session.need('org') },
      query: { flow, attestation_id: id },
      signal: session.io.signal,
    });
    return data[0];
  } catch {
    session.detail('It is recorded; what the service says of it could not be read');
    return undefined;
  }
}

/** One line for people. */
export function lineOf({ target, kind, sent, attestation }: Recorded, style: Style): readonly string[] {
  const about = target.artifact === undefined ? '' : `→ ${target.artifact}`;
  return [signOf(attestation?.is_compliant, style), target.name, kind, stateOf(sent, attestation), about];
}

function stateOf(sent: Sent, attestation: Attestation | undefined): string {
  if (attestation) return foundIn(attestation);
  if (sent.kind === 'spooled') return 'kept in the spool';
  return sent.kind === 'ignored' ? 'not sent' : 'accepted by the service';
}

export function dataOf({ target, sent, attestation }: Recorded): unknown {
  if (attestation) return attestation;
  const state =
    sent.kind === 'spooled' ? { spooled: sent.id } : { [sent.kind === 'ignored' ? 'ignored' : 'dry_run']: true };
  return { attestation_name: target.name, ...state };
}

export function trailPage(session: Session): string {
  return session.pageOf(session.need('org'), 'flows', session.need('flow'), 'trails', session.need('trail'));
}

/** What a command that attests once ends with. */
export async function attestOne(session: Session, contract: Contract, given: ToAttest): Promise<Outcome> {
  tellDoubts(session, given.flags.commit);
  const recorded = await recordAttestation(session, contract, given);
  tellDryRun(session);
  if (recorded.sent.kind === 'recorded') await given.onRecorded?.();
  warnInCi(session, recorded);
  return {
    ending: endingOf(session, [recorded.sent]),
    data: dataOf(recorded),
    text: (style) => lineOf(recorded, style).filter(Boolean).join('  '),
    page: trailPage(session),
  };
}

/** It is recorded, which is no failure of the step; the page of the build shows it all the same. */
export function warnInCi(session: Session, { attestation }: Recorded): void {
  if (attestation?.is_compliant !== false) return;
  const message = foundIn(attestation);
  annotate(session, { level: 'warning', title: `Not compliant: ${attestation.attestation_name}`, message });
}

export function tellDryRun(session: Session): void {
  if (session.settings.dryRun) session.say('(dry run: nothing was recorded)');
}

export function refuseAttachments(flags: AttestFlags, why: string): void {
  if ((flags.attachment ?? []).length > 0) throw usageError('--attachment cannot be given here', why);
}
