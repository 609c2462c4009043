import { html, type Part } from '../../../platform/http/html.ts';
import type { TrailEvent } from '../../trails/trail-events.reads.ts';
import { quiet, text, time } from '../kit/cells.ts';
import { complianceMark, verdictMark } from '../kit/verdict-mark.ts';

export const EVENT_COLUMNS = ['When', 'What', 'Name', 'Verdict', 'By'];

export function eventCells(event: TrailEvent): Part[] {
  return [time(event.created_at), whatHappened(event), nameOf(event), verdictOf(event), text(event.created_by)];
}

function whatHappened(event: TrailEvent): string {
  switch (event.source) {
    case 'trail':
      if (event.type === 'trail_reported') return 'Trail created';
      return event.changes?.length ? `Trail changed: ${event.changes.join(', ')}` : 'Trail changed';
    case 'artifact':
      return 'Artifact reported';
    case 'attestation':
      return event.attestation_type === 'override' ? 'Verdict overridden' : 'Attestation reported';
    case 'approval':
      return `Approval ${event.approval_number ?? ''} ${event.approval_state === 'PENDING' ? 'requested' : 'reported'}`;
  }
}

function nameOf({ source, name, template_name: artifact, attestation_type: type }: TrailEvent): Part {
  if (source === 'artifact') return [text(name), aside('as', artifact)];
  if (source !== 'attestation') return text(name);
  return [text(name), aside('of type', type === 'override' ? null : type), aside('on', artifact)];
}

function aside(preposition: string, value: string | null): Part {
  return value !== null && html` ${quiet([preposition, ' ', text(value)])}`;
}

function verdictOf({ is_compliant: isCompliant, approval_state: state }: TrailEvent): Part {
  if (isCompliant !== null) return complianceMark(isCompliant);
  return state === null ? '' : verdictMark(state);
}
