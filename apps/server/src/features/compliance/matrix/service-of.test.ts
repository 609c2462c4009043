import { describe, expect, it } from 'vitest';
import { namingReport, withoutTag } from './service-of.ts';

describe('the name of an image', () => {
  it.each([
    ['app', 'app'],
    ['app:1.2', 'app'],
    ['ghcr.io/acme/app:1.2', 'ghcr.io/acme/app'],
    ['registry.example.com:5000/app', 'registry.example.com:5000/app'],
    ['registry.example.com:5000/app:1.2@sha256:abc', 'registry.example.com:5000/app'],
    ['app@sha256:abc', 'app'],
    ['/srv/app.jar', '/srv/app.jar'],
    [':latest', ':latest'],
    ['@sha256:abc', '@sha256:abc'],
    ['', ''],
  ])('%j is %j without its tag', (name, expected) => {
    expect(withoutTag(name)).toBe(expected);
  });
});

describe('what an artifact is a version of', () => {
  const named = { flow: 'mobile', templateName: 'app' };
  const unnamed = { flow: 'web', templateName: null };

  it('is named by the newest report with a name in the template, or else by the newest', () => {
    expect(namingReport([unnamed, named, { flow: 'old', templateName: 'old' }])).toBe(named);
    expect(namingReport([unnamed, { flow: 'old', templateName: null }])).toBe(unnamed);
    expect(namingReport([])).toBeUndefined();
  });
});
