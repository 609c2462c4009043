import { describe, expect, it } from 'vitest';
import { missingIn, newNotification } from './notification-draft.ts';

const whole = { ...newNotification('env'), name: 'alerts', scopes: ['production'], triggers: ['ON_COMPLIANT_ENV'] };

describe('what is missing', () => {
  it('is nothing when the draft is complete', () => {
    expect(missingIn(whole, ['others'])).toBeUndefined();
  });

  it('is another name, because saving would overwrite the notification that has it', () => {
    expect(missingIn(whole, ['alerts'])).toMatch(/with this name exists/);
    expect(missingIn({ ...whole, number: 3 }, ['alerts'])).toBeUndefined();
  });

  it('is a scope, and a trigger', () => {
    expect(missingIn({ ...whole, scopes: [] }, [])).toBe('Choose an environment to watch');
    expect(missingIn({ ...whole, kind: 'flow', scopes: [] }, [])).toBe('Choose a flow to watch');
    expect(missingIn({ ...whole, triggers: [] }, [])).toBe('Choose a trigger');
  });
});
