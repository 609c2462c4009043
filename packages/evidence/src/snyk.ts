import * as z from 'zod';
import { highestScore, levelOfSeverity, type Scan, type ScannedFinding } from './finding.ts';
import { listOf, shaped } from './shape.ts';
import { Unreadable } from './unreadable.ts';

const Vulnerability = z.object({
  id: z.string(),
  severity: z.enum(['critical', 'high', 'medium', 'low']),
  title: z.string().optional(),
  packageName: z.string().optional(),
  name: z.string().optional(),
  version: z.string().optional(),
  cvssScore: z.unknown().optional(),
  identifiers: z.record(z.string(), z.unknown()).nullish(),
  fixedIn: z.unknown().optional(),
  purl: z.string().nullish(),
});
type Vulnerability = z.infer<typeof Vulnerability>;

const Tested = z.object({ ok: z.boolean().optional(), vulnerabilities: listOf(Vulnerability) });

/** A result for a container image has its own packages and, beside them, the applications in it. */
const Project = Tested.extend({ applications: listOf(Tested).optional() });

export function readSnyk(name: string, document: unknown): Scan {
  const projects: unknown[] = Array.isArray(document) ? document : [document];
  const findings = projects.flatMap((project, index) => {
    const { applications = [], ...own } = shaped(name, Project, project, Array.isArray(document) ? [index] : []);
    return [own, ...applications].flatMap((tested) => findingsOf(name, tested));
  });
  return { tools: [{ name: 'Snyk', version: '' }], findings };
}

/** Snyk lists a vulnerability once for each path to the package. */
function findingsOf(name: string, { ok, vulnerabilities }: z.infer<typeof Tested>): ScannedFinding[] {
  if (ok === false && vulnerabilities.length === 0) {
    throw new Unreadable(`${name}: says "ok": false but lists no vulnerability.`);
  }
  const unique = new Map(vulnerabilities.map((one) => [`${one.id} ${packageOf(one)}`, one]));
  return [...unique.values()].map((one) => ({
    id: one.id,
    level: levelOfSeverity(one.severity),
    message: one.title ?? '',
    location: packageOf(one) || null,
    severity: one.severity,
    aliases: ['CVE', 'GHSA'].flatMap((kind) => textsIn(one.identifiers?.[kind])),
    score: highestScore([one.cvssScore]),
    component: one.purl ?? packageOf(one),
    fixed: textsIn(one.fixedIn)[0],
  }));
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function packageOf({ packageName, name, version }: Vulnerability): string {
  return [packageName ?? name, version].filter(Boolean).join('@');
}
