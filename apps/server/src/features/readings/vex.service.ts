import { hash } from 'node:crypto';
import type { Vex, VexStatement } from '@waymark/evidence';
import type { VexEvidence, VexReading } from '@waymark/policy';
import type { NewReading } from './reading.service.ts';

/** What a VEX document says about the artifact, to be stored together with its attestation. */
export function readingOfVex({ format, author, statements }: Vex): NewReading {
  const reading: VexReading = { kind: 'vex', format, author, statements: statements.map(inOrder) };
  const content = JSON.stringify(reading);
  return { id: hash('sha256', content), content, size: statements.length, findings: [], seen: new Map(), names: [] };
}

/** In the order of keys that a text of it always has. */
function inOrder({ names, status, components, justification, at }: VexStatement): VexEvidence {
  return {
    ...{ names, status },
    ...(components && { components }),
    ...(justification !== undefined && { justification }),
    ...(at !== undefined && { at }),
  };
}
