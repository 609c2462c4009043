import { describe, expect, it } from 'vitest';
import type { RunCompliance } from '../../../platform/db/tables.ts';
import { annotationOf } from './annotation.ts';

const run = (compliance: RunCompliance, more: Partial<Parameters<typeof annotationOf>[0]> = {}) => ({
  startedIn: 1,
  hasExited: false,
  compliance,
  changed: undefined,
  ...more,
});
const changed = (from: RunCompliance, cause: 'verdict' | 'provenance' = 'verdict') => ({ changed: { cause, from } });

describe('the annotation of a run', () => {
  it('says how it started, and treats waived as compliant', () => {
    expect(annotationOf(run('unknown'), 1)).toBe('started-unknown');
    expect(annotationOf(run('compliant'), 1)).toBe('started-compliant');
    expect(annotationOf(run('waived'), 1)).toBe('started-compliant');
    expect(annotationOf(run('non-compliant'), 1)).toBe('started-non-compliant');
    expect(annotationOf(run('non-compliant'), 2)).toBe('unchanged');
  });

  it('says what it became', () => {
    expect(annotationOf(run('compliant', changed('unknown')), 2)).toBe('became-compliant');
    expect(annotationOf(run('waived', changed('non-compliant')), 2)).toBe('became-compliant');
    expect(annotationOf(run('waived', changed('compliant')), 2)).toBe('unchanged');
    expect(annotationOf(run('non-compliant', changed('waived')), 2)).toBe('became-non-compliant');
    expect(annotationOf(run('unknown', changed('compliant')), 2)).toBe('unchanged');
  });

  it('names new provenance unless the verdict changed with it', () => {
    expect(annotationOf(run('unknown', changed('unknown', 'provenance')), 2)).toBe('updated-provenance');
    expect(annotationOf(run('compliant', changed('unknown', 'provenance')), 2)).toBe('became-compliant');
  });

  it('says that it exited, whatever else happened', () => {
    expect(annotationOf(run('compliant', { startedIn: 1, hasExited: true }), 2)).toBe('exited');
  });
});
