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

/** The type to record, and the parsed content. */
export const SARIF_KIND = 'snyk (SARIF)';

interface ToAttest {
  readonly flags: AttestFlags;
  /** The default name. */
  readonly otherwise?: string;
  /** Fields of this kind only. */
  readonly body?: object;
  /** The file that the service reads, with the extension by which it finds it in an archive. */
  readonly report?: { readonly files: readonly NamedFile[]; readonly ending: string };
  /** The display name of the kind. */
  readonly kind: string;
  /** Called when the service has it. */
  readonly onRecorded?: () => Promise<void>;
}

export interface Recorded {
  readonly target: Target;
  readonly kind: string;
  readonly sent: Sent;
  /** As recorded by the service; unknown for spooled evidence and in a dry run. */
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

/** Annotations of the command are added to those of the user. */
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
    session.say(`'${name}' waits for artifact '${artifact}': it counts once that artifact is attested in the trail`);
  }
  if (binding === 'unbound') {
    session.warn(`'${name}' is about '${artifact}', but the template of the trail has no artifact with that name`);
  }
}

/** The evidence is recorded whether or not it can be read back, so no failure here is an error. */
async function readBack(session: Session, flow: string, id: string): Promise<Attestation | undefined> {
  try {
    const { data } = await session.client().call(listAttestations, {
      params: { org: session.need('org') },
      query: { flow, attestation_id: id },
      signal: session.io.signal,
    });
    return data[0];
  } catch {
    session.detail("Recorded, but the command couldn't read the response of the service");
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
  if (sent.kind === 'spooled') return 'spooled';
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

/** The outcome of a command that attests once. */
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

/** The evidence is recorded, so the step does not fail; the page of the build shows the verdict. */
export function warnInCi(session: Session, { attestation }: Recorded): void {
  if (attestation?.is_compliant !== false) return;
  const message = foundIn(attestation);
  annotate(session, { level: 'warning', title: `Non-compliant: ${attestation.attestation_name}`, message });
}

export function tellDryRun(session: Session): void {
  if (session.settings.dryRun) session.say('(dry run: nothing was recorded)');
}

export function refuseAttachments(flags: AttestFlags, why: string): void {
  if ((flags.attachment ?? []).length > 0) throw usageError('--attachment cannot be used here', why);
}
