import { expect } from 'vitest';
import { containersOf, type Manifest, podsOf } from './manifest.ts';

/** What Kubernetes calls the restricted Pod Security Standard, and more. */
export function expectHardened(manifests: readonly Manifest[]): void {
  const pods = podsOf(manifests);
  expect(pods.length).toBeGreaterThan(0);
  for (const pod of pods) {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65_532,
      runAsGroup: 65_532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    // Kubernetes would set WAYMARK_PORT for a Service of the name waymark.
    expect(pod.enableServiceLinks).toBe(false);
    expect(pod).not.toHaveProperty('hostNetwork');
    expect(JSON.stringify(pod.volumes ?? [])).not.toContain('hostPath');
  }
  for (const container of containersOf(pods)) {
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources).toMatchObject({
      requests: { cpu: expect.any(String), memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    });
  }
}

/** Secrets are named, never made and never part of the environment. */
export function expectNoSecretInside(manifests: readonly Manifest[], secrets: readonly string[]): void {
  expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
  const named = [
    ...containersOf(podsOf(manifests)).flatMap(({ env = [] }) => env.filter(({ valueFrom }) => !valueFrom)),
    ...manifests
      .flatMap(({ kind, data = {} }) => (kind === 'ConfigMap' ? Object.keys(data) : []))
      .map((name) => ({ name })),
  ].map(({ name }) => name);
  expect(named.filter((name) => secrets.includes(name))).toEqual([]);
}
