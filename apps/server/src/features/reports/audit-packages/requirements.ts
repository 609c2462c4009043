import type { ArtifactStatus, Judgement, SlotStatus } from '@waymark/compliance';
import type { Template, TemplateAttestation } from '@waymark/template';
import { type Html, html, type Part } from '../../../platform/http/html.ts';
import { quiet, text } from '../kit/cells.ts';
import { grid } from '../kit/grid.ts';
import { complianceMark, verdictMark } from '../kit/verdict-mark.ts';
import type { Medium } from './medium.ts';
import { typeInWords } from './node-label.ts';

const COLUMNS = ['About', 'Needs', 'Type', 'Verdict', 'Satisfied by'];

export interface Asked {
  readonly template: Template;
  readonly judgement: Judgement;
  /** Set for a package about one artifact report. */
  readonly artifact: ArtifactStatus | undefined;
  readonly packaged: ReadonlySet<string>;
  readonly medium: Medium;
}

/** The requirements of the template, and what met them. */
export function requirements({ template: { trail }, judgement, artifact: only, packaged, medium }: Asked): Html {
  const statusOf = (name: string) =>
    only ?? judgement.artifacts.find((it) => it.name === name && !it.unexpected && !it.superseded);
  const asked = only ? trail.artifacts.filter(({ name }) => name === only.name && !only.unexpected) : trail.artifacts;
  const slotRows = (about: Part, required: readonly TemplateAttestation[], slots: readonly SlotStatus[] = []) =>
    required.map((it) =>
      slotRow(
        about,
        it,
        slots.find((slot) => slot.name === it.name && !slot.unexpected),
        packaged,
      ),
    );
  const rows = [
    ...slotRows('the trail', trail.attestations, judgement.attestations),
    ...asked.flatMap(({ name, attestations }) => {
      const status = statusOf(name);
      return [artifactRow(name, status, packaged), ...slotRows(text(name), attestations, status?.attestations)];
    }),
  ];
  return html`<h2>Requirements</h2>
<p class="quiet">From the template that the trail pinned${medium === 'package' && html`: <a href="records/template.json">template.json</a>`}</p>
${rows.length === 0 ? html`<p>Nothing is required.</p>` : grid('Requirements', COLUMNS, rows)}`;
}

function artifactRow(name: string, status: ArtifactStatus | undefined, packaged: ReadonlySet<string>): Part[] {
  const { artifactId, fingerprint } = status ?? {};
  return [
    text(name),
    quiet('the artifact itself'),
    '',
    verdictMark(status?.status ?? 'MISSING'),
    artifactId && fingerprint
      ? linked('artifact', artifactId, html`<code>${fingerprint.slice(0, 12)}</code>`, packaged)
      : '',
  ];
}

function slotRow(
  about: Part,
  { name, type }: TemplateAttestation,
  slot: SlotStatus | undefined,
  packaged: ReadonlySet<string>,
): Part[] {
  const isFilled = slot?.attestationId != null;
  return [
    about,
    text(name),
    typeInWords(type),
    [
      isFilled ? complianceMark(slot.isCompliant === true) : verdictMark('MISSING'),
      slot?.overriddenAttestationId != null && html` ${quiet('overridden')}`,
    ],
    isFilled && slot.attestationId !== null ? linked('attestation', slot.attestationId, slot.type, packaged) : '',
  ];
}

function linked(kind: 'artifact' | 'attestation', id: string, label: Part, packaged: ReadonlySet<string>): Part {
  return packaged.has(id) ? html`<a href="records/${kind}s/${id}.json">${label}</a>` : label;
}
